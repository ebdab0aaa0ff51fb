"""The command line in a folder of its own."""

import contextlib
import io
import sys
from types import SimpleNamespace

import pytest

from cscluster.cli.app import main


@pytest.fixture
def cscluster(tmp_path, monkeypatch):
    """Return a function that runs the command line in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.delenv("CSCLUSTER_DATA", raising=False)

    def call(*arguments, stream=io.StringIO):
        monkeypatch.setattr(sys, "argv", ["cscluster", *map(str, arguments)])
        out, err, code = stream(), stream(), 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as stop:
                code = stop.code
        return SimpleNamespace(returncode=code or 0, stdout=out.getvalue(), stderr=err.getvalue())

    return call
