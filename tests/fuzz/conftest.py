"""Feeds damaged files to a reader, and watches what comes out of it and what it leaves behind."""

import contextlib
import random
import resource
import signal
import warnings
from collections import Counter
from pathlib import Path

import pytest

from cscluster.errors import CsclusterError

LEAKS = ("Traceback", "validation error", "pydantic", "object at 0x", "<class ")


class HangError(BaseException):
    """No answer in time; not an Exception, lest a reader take it for a damaged file."""


@contextlib.contextmanager
def limited(seconds=20):
    """Interrupt what hangs."""

    def stop(number, frame):
        raise HangError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def little_memory(allowance=2**31):
    """Let a reader that asks for much more memory than any of the files needs run out of it."""
    used = next(
        int(line.split()[1]) * 1024
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmData:")
    )
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (used + allowance, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def check_message(error):
    """A message is one paragraph for the person at the keyboard."""
    text = str(error)
    assert text.strip(), "an empty message"
    assert all(line.strip() for line in text.split("\n")), "more than a paragraph"
    assert not any(leak in text for leak in LEAKS), "the message shows its insides"
    assert max(map(len, text.split("\n"))) < 2000, "a line without end"


@pytest.fixture
def fuzz(tmp_path, monkeypatch):
    """Return a function that tries a reader on many damaged contents.

    ``fuzz(kind, count, make, read)``: `make` takes a random generator and returns a content, `read` takes it.
    """
    here = tmp_path / "above" / "here"
    here.mkdir(parents=True)
    monkeypatch.chdir(here)

    def files():
        return sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))

    def run(kind, count, make, read):
        outcomes, before = Counter(), files()
        with little_memory(), warnings.catch_warnings(action="ignore"):
            for number in range(count):
                content = make(random.Random(f"{kind} {number}"))
                try:
                    with limited():
                        read(content)
                    outcomes["accepted"] += 1
                except CsclusterError as error:
                    outcomes["refused"] += 1
                    with context(kind, number, content):
                        check_message(error)
                except (Exception, HangError) as error:
                    with context(kind, number, content):
                        raise error from None
        print(f"\n{kind}: {count} damaged, {dict(outcomes)}")
        assert outcomes["refused"], "nothing was refused: the damage does not reach the reader"
        left = [path for path in files() if path not in before and "input" not in path.name]
        assert not left, f"{kind} left files behind"

    return run


@contextlib.contextmanager
def context(kind, number, content):
    """Name the case in the report of a failure."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"{kind} number {number}: {content[:3000]!r}")
        raise
