"""Warnings of a trial, kept apart even when trials share a process."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_current = threading.local()


def _show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
    note(f"{category.__name__}: {message}".splitlines()[0])


def note(text: str) -> None:
    """Add a warning to those of this thread's trial, once."""
    caught: list[str] | None = getattr(_current, "caught", None)
    if caught is not None and text not in caught:
        caught.append(text)


def noted() -> list[str]:
    """Return the warnings of this thread's trial so far."""
    return list(getattr(_current, "caught", None) or [])


@contextmanager
def hooked() -> Iterator[None]:
    """Send every warning of this process to the trial whose thread it comes from."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = _show
        yield


@contextmanager
def captured() -> Iterator[list[str]]:
    """Collect the warnings of this thread; needs `hooked` around it."""
    _current.caught = []
    try:
        yield _current.caught
    finally:
        _current.caught = None
