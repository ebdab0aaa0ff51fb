"""What is shown while the user waits."""

import io

from numba import njit
from rich.console import Console

from cscluster.cli import cluster_view
from cscluster.cli.cluster_view import when_compiling


def test_compilation_is_told_of_when_it_begins():
    told = []
    double = njit(lambda x: 2 * x)
    with when_compiling(lambda: told.append("compiling")):
        assert told == []
        assert double(2) == 4
        assert told == ["compiling"]
        assert double(3) == 6
    assert told == ["compiling"]


def test_a_fit_moves_the_bar(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    terminal = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr(cluster_view, "err", terminal)
    with cluster_view.fits() as begin:
        begin("RCA", 3, 20)
    assert "RCA" in terminal.file.getvalue()
    assert "3/20" in terminal.file.getvalue()
