"""What a fit would cost, told before it begins.

A method whose time or memory grows faster than that of k-means declares them as a function of the sizes
(`ConstrainedEstimator._cost`).  A fit that would need too much is refused at once, in a sentence that says
what it would need and what to use instead.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from cscluster.errors import DataError, ParameterError

MAX_SECONDS = "CSCLUSTER_MAX_SECONDS"
"""Environment variable with the seconds that a fit may take, in the place of the limit below."""
TIMES_KMEANS = 20
"""A fit may take so many times what k-means with ten starts takes."""
LEAST_SECONDS = 30.0
"""So many seconds are always allowed."""

_given: ContextVar[float | None] = ContextVar("the seconds that an experiment gives a fit", default=None)

_KMEANS_SECONDS = 7e-8
_NEIGHBOUR_SECONDS = (2.5e-9, 4.5e-11)
_EIGEN_SECONDS = 2e-10
_TREE_SECONDS = 7e-9
_TREE_FEATURES = (7, 15)
"""Up to so many features the neighbours are searched in a tree: little work, and almost all distances."""


@dataclass(frozen=True)
class Cost:
    """What a fit needs beyond the samples.

    Attributes
    ----------
    advice : str
        What to use instead: the end of a sentence.
    seconds : float
        Rough time of one core, as measured on one machine (``docs/performance.md``).
    bytes : float
        Memory.
    """

    advice: str
    seconds: float = 0.0
    bytes: float = 0.0


def kernel_matrix(n: int, m: int, advice: str, seconds: float = 0.0) -> Cost:
    """Return the cost of a method that holds an n x m matrix of numbers."""
    return Cost(advice, seconds, 8.0 * n * m)


def neighbour_seconds(n: int, d: int) -> float:
    """Return the time of a search for the nearest neighbours of n samples among each other."""
    few, most = _TREE_FEATURES
    if d <= most:
        return _TREE_SECONDS * n * n if d > few else 0.0
    of_pair, of_feature = _NEIGHBOUR_SECONDS
    return n * n * (of_pair + of_feature * d)


def eigen_seconds(d: int) -> float:
    """Return the time of an eigendecomposition of a d x d matrix."""
    return _EIGEN_SECONDS * d**3


def require_affordable(owner: str, cost: Cost | None, n: int, d: int, n_links: int, n_clusters: int) -> None:
    """Refuse a fit that needs more than half of the machine's memory, or more time than is allowed.

    Raises
    ------
    DataError
        With what the fit would need and what to use instead.
    """
    if cost is None:
        return
    task = f"{n} samples of {d} features with {n_links} links"
    memory = physical_memory() // 2
    if cost.bytes > memory:
        raise DataError(
            f"{owner} would need {cost.bytes / 2**30:.1f} GB of memory for {task}, but only "
            f"{memory / 2**30:.1f} GB, half of this machine's, may be used; {cost.advice}."
        )
    allowed, by, more = _allowed(n, d, n_clusters)
    if cost.seconds > allowed:
        raise DataError(
            f"{owner} would take about {_duration(cost.seconds)} of one core for {task}, more than the "
            f"{_duration(allowed)} allowed ({by}); {cost.advice}, or {more}."
        )


@contextmanager
def allowing(seconds: float | None) -> Iterator[None]:
    """Allow each fit inside so many seconds, which is the limit of its trial; None changes nothing."""
    token = _given.set(seconds)
    try:
        yield
    finally:
        _given.reset(token)


def dividing(parts: int) -> AbstractContextManager[None]:
    """Allow each fit inside its part of the seconds that an experiment allows, where it does."""
    given = _given.get()
    return allowing(None if given is None else given / parts)


def _allowed(n: int, d: int, n_clusters: int) -> tuple[float, str, str]:
    """Return the time that a fit may take, what gives it, and how to allow more."""
    by_user, by_experiment = os.environ.get(MAX_SECONDS), _given.get()
    more = f"allow more seconds by the environment variable {MAX_SECONDS}"
    if by_user is not None:
        try:
            return float(by_user), MAX_SECONDS, more
        except ValueError:
            raise ParameterError(f"{MAX_SECONDS} must be a number of seconds, got '{by_user}'.") from None
    if by_experiment is not None:
        return by_experiment, "the timeout of the experiment", "set a longer timeout"
    allowed = max(LEAST_SECONDS, TIMES_KMEANS * _KMEANS_SECONDS * n * d * n_clusters)
    return allowed, f"{TIMES_KMEANS} times k-means, or {LEAST_SECONDS:g} s", more


def physical_memory() -> int:
    """Return the bytes of memory that the machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return 16 * 2**30


def _duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
