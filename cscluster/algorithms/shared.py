"""Work that fits to the same samples have in common, done once for all of them.

An experiment fits many models to one data set: a grid of parameters, several methods, growing sets of
constraints.  Inside of `sharing` a fit uses what an earlier one computed from the same samples.  A fit that
consists of many, as the choice of a method does, lets them share their work by `sharing_parts`.  Anywhere
else a fit computes everything itself.
"""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from scipy import sparse

T = TypeVar("T")


class _Result(NamedTuple):
    """A value, what its computation took, and the samples, which must keep their place in memory."""

    value: Any
    seconds: float
    cpu_seconds: float
    samples: Any


_Results = OrderedDict[Hashable, _Result]


@dataclass
class SharedWork:
    """What fits to the same samples share, and the time that this has saved them.

    Attributes
    ----------
    samples : array or sparse array
        The samples, which nobody changes.
    results, of_samples : OrderedDict
        The latest results of `once` and of `of_samples`; the latter are small, serve all sets of constraints
        and are kept longer.
    seconds, cpu_seconds : float
        Time that was spent before on results which these fits used.  It counts as theirs: a result in full,
        and once, however often they used it.
    """

    samples: Any
    results: _Results = field(default_factory=OrderedDict)
    of_samples: _Results = field(default_factory=OrderedDict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    _counted: set[Hashable] = field(default_factory=set)

    def get(self, results: _Results, size: int, key: Hashable, compute: Callable[[], T]) -> T:
        """Return ``compute()``, or what it returned before.

        A result whose computation warns is not kept: the next fit computes it again, and warns itself.
        """
        if key in results:
            results.move_to_end(key)
            if key not in self._counted:
                self.seconds += results[key].seconds
                self.cpu_seconds += results[key].cpu_seconds
        else:
            begin, cpu_begin = self.clock(), self._cpu_clock()
            with warnings.catch_warnings(record=True) as caught:
                value = compute()
            for warning in caught:
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
            if caught:
                return value
            spent = self.clock() - begin, self._cpu_clock() - cpu_begin
            results[key] = _Result(value, *spent, self.samples)
            if len(results) > size:
                results.popitem(last=False)
        self._counted.add(key)
        shared: T = results[key].value
        return shared

    def clock(self) -> float:
        """Return the seconds of a clock that counts shared work in full."""
        return time.perf_counter() + self.seconds

    def _cpu_clock(self) -> float:
        return time.process_time() + self.cpu_seconds


_current: ContextVar[SharedWork | None] = ContextVar("shared work", default=None)
_of_process = SharedWork(samples=None)


def sharing(X: Any) -> AbstractContextManager[SharedWork]:
    """Let fits to the samples `X` share their work with earlier and later ones of this process."""
    return _using(SharedWork(X, _of_process.results, _of_process.of_samples))


def sharing_parts(X: Any) -> AbstractContextManager[SharedWork]:
    """Let the fits to `X` that one fit consists of share their work; `sharing` keeps it for other fits."""
    return _using(_work_on(X) or SharedWork(X))


@contextmanager
def _using(work: SharedWork) -> Iterator[SharedWork]:
    token = _current.set(work)
    try:
        yield work
    finally:
        _current.reset(token)


def once(X: Any, key: tuple[Hashable, ...], seed: int | None, compute: Callable[[], T]) -> T:
    """Return ``compute()``, or what it returned for an earlier fit.

    Parameters
    ----------
    X : array or sparse array
        The samples.  The result is shared only if they are those of `sharing`.
    key : tuple
        All else that the result depends on.
    seed : int, optional
        Seed of random choices; without one, nothing is shared.
    compute : callable
        Computes the result, which nobody may change.
    """
    work = _work_on(X)
    if seed is None or work is None:
        return compute()
    return work.get(work.results, 16, (_place(X), key, seed), compute)


def of_samples(X: Any, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Return ``compute()``, which follows from the samples and `key` alone, or what it returned before."""
    work = _work_on(X)
    return compute() if work is None else work.get(work.of_samples, 64, (_place(X), key), compute)


def is_shared(X: Any) -> bool:
    """Tell whether fits to these samples share their work now."""
    return _work_on(X) is not None


def clock() -> float:
    """Return the seconds of a clock for parts of a fit; it counts shared work in full."""
    work = _current.get()
    return time.perf_counter() if work is None else work.clock()


def forget() -> None:
    """Drop all that fits of this process share."""
    _of_process.results.clear()
    _of_process.of_samples.clear()


def _work_on(X: Any) -> SharedWork | None:
    """Return the work that fits to these samples share now."""
    work = _current.get()
    return work if work is not None and _place(X) == _place(work.samples) else None


def _place(X: Any) -> tuple[Any, ...]:
    """Return where an array lies in memory, and how; what is no array is its own place."""
    if not hasattr(X, "__array_interface__") and not sparse.issparse(X):
        return (id(X),)
    arrays = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return tuple((a.__array_interface__["data"][0], a.shape, a.strides, a.dtype.str) for a in arrays)
