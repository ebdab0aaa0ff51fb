"""How the program starts and ends."""

import os
import signal
import subprocess
import sys

import pytest

from cscluster.cli import listing
from cscluster.cli.app import main

INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

module = sys.argv.pop()
sys.meta_path.insert(0, Interrupt())
signal.signal(signal.SIGINT, signal.default_int_handler)
from cscluster.cli.app import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "cscluster.cli.listing"])
def test_ctrl_c_while_modules_are_imported(module):
    words = [sys.executable, "-c", INTERRUPTED_IMPORT, "list", module]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ninterrupted\n")


def test_ctrl_c_in_a_command(cscluster, monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(listing, "algorithms", lambda: os.kill(os.getpid(), signal.SIGINT))
    done = cscluster("list")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\ninterrupted\n")
    assert signal.getsignal(signal.SIGINT) is before


def test_windows_is_told_in_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("cscluster: Windows is not supported")


def test_a_character_that_the_terminal_lacks():
    words = [sys.executable, "-c", "from cscluster.cli.app import main; main()", "list"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "kernel-\\u03b2" in done.stdout
