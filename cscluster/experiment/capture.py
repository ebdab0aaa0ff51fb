"""Warnings of a trial, kept apart even when trials share a process."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_current = threading.local()


def _show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
    caught: list[str] | None = getattr(_current, "caught", None)
    if caught is not None:
        text = f"{category.__name__}: {message}".splitlines()[0]
        if text not in caught:
            caught.append(text)


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
