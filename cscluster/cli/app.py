"""The program ``cscluster``: starts the command line, and ends it in good order at any moment."""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings

WINDOWS = "cscluster: Windows is not supported. Use Linux, macOS or the Windows Subsystem for Linux.\n"


def main() -> None:
    """Run the command line.

    This module imports next to nothing, so that Ctrl-C is caught from the first moment on.
    """
    if sys.platform == "win32":
        sys.stderr.write(WINDOWS)
        sys.exit(2)
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # where its encoding lacks a character
        warnings.showwarning = _show_warning  # type: ignore[assignment]  # only the message is of interest
        from cscluster.cli.commands import app

        app(prog_name="cscluster")
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        sys.exit(130)
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left of the output has no place to go
        sys.stderr.write("cscluster: cannot write to standard output: no space left on the device.\n")
        sys.exit(1)


def _show_warning(message: Warning | str, *_: object) -> None:
    """Write a warning in a line, without the place in the code that it is about."""
    sys.stderr.write(f"cscluster: warning: {message}\n")
