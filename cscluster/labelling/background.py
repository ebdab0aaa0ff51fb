"""Work that goes on while a person thinks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Work = TypeVar("Work")


class Background(Generic[Work]):
    """Does the latest of what it is given, in a thread of its own; what came before it is left out.

    Parameters
    ----------
    do : callable
        Called with one piece of work after another; an exception that it raises ends up in `error`.
    """

    def __init__(self, do: Callable[[Work], None]) -> None:
        self._do = do
        self._waiting: list[Work] = []
        self._busy = self._closed = False
        self._changed = threading.Condition()
        self.error: Exception | None = None
        threading.Thread(target=self._run, daemon=True, name="clusters").start()

    @property
    def is_idle(self) -> bool:
        """Whether everything is done."""
        return not (self._busy or self._waiting)

    def put(self, work: Work) -> None:
        """Ask for work."""
        with self._changed:
            self._waiting = [work]
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until everything is done."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_idle)

    def close(self) -> None:
        """End the thread after what it is doing now."""
        with self._changed:
            self._closed, self._waiting = True, []
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                work = self._waiting.pop()
                self._busy = True
            try:
                self._do(work)
                self.error = None
            except Exception as error:
                self.error = error
            with self._changed:
                self._busy = False
                self._changed.notify_all()
