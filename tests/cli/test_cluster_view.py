"""What is shown while the user waits."""

import io

from rich.console import Console

from cscluster.cli import cluster_view


def test_a_fit_moves_the_bar(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    terminal = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr(cluster_view, "err", terminal)
    with cluster_view.fits() as begin:
        begin("RCA", 3, 20)
    assert "RCA" in terminal.file.getvalue()
    assert "3/20" in terminal.file.getvalue()
