"""How many threads numeric libraries use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

SMALL = 250_000
"""Numbers in a table for which threads wait for each other longer than they compute."""


def for_table(X: Any) -> AbstractContextManager[Any]:
    """Return a context in which fits to small data use one thread, and others as many as they like.

    Beside other work on the machine, threads that have little to do spend most of their time waiting, and
    that takes all cores (``docs/performance.md``).

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The data.
    """
    return nullcontext() if X.shape[0] * X.shape[1] > SMALL else one()


def one() -> AbstractContextManager[Any]:
    """Return a context in which numeric libraries use one thread."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits
