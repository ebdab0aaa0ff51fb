"""Work that fits to the same samples have in common, done once for all of them.

An experiment fits many models to one data set: a grid of parameters, several methods, growing sets of
links.  Inside of `sharing` a fit takes over what an earlier one computed from the same samples; anywhere
else it computes everything itself.
"""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from scipy import sparse

_MOST_RESULTS = 16
_MOST_OF_SAMPLES = 64
T = TypeVar("T")


@dataclass(frozen=True)
class _Result:
    """A value, what its computation cost and warned of, and the samples, which keep their place."""

    value: Any
    seconds: float
    cpu_seconds: float
    warnings: tuple[Warning, ...]
    samples: Any


_samples: ContextVar[Any] = ContextVar("samples", default=None)
_results: OrderedDict[Hashable, _Result] = OrderedDict()
_of_samples: OrderedDict[Hashable, _Result] = OrderedDict()
_borrowed = 0.0
_borrowed_cpu = 0.0


@contextmanager
def sharing(X: Any) -> Iterator[None]:
    """Let fits to the samples `X`, which nobody changes, share their work with earlier and later ones."""
    token = _samples.set(X)
    try:
        yield
    finally:
        _samples.reset(token)


def once(X: Any, key: tuple[Hashable, ...], seed: int | None, compute: Callable[[], T]) -> T:
    """Return ``compute()``, or what it returned for an earlier fit.

    A caller cannot tell which of both it was: the warnings are given again, and `clock` moves on by the
    seconds that the computation took, `cpu_clock` by its CPU seconds.

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
    if seed is None or not is_shared(X):
        return compute()
    return _take(_results, _MOST_RESULTS, (_place(X), key, seed), compute)


def of_samples(X: Any, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Return ``compute()``, which follows from the samples and `key` alone, or what it returned before.

    As `once`; such results are small, serve all draws of links and are kept longer.
    """
    return _take(_of_samples, _MOST_OF_SAMPLES, (_place(X), key), compute) if is_shared(X) else compute()


def is_shared(X: Any) -> bool:
    """Tell whether fits to these samples share their work now."""
    samples = _samples.get()
    return samples is not None and _place(X) == _place(samples)


def _take(results: OrderedDict[Hashable, _Result], most: int, key: Hashable, compute: Callable[[], T]) -> T:
    """Return a stored result, or compute it and drop the one that was not used for the longest time."""
    global _borrowed, _borrowed_cpu
    if key in results:
        results.move_to_end(key)
        result = results[key]
        _borrowed += result.seconds
        _borrowed_cpu += result.cpu_seconds
    else:
        begin, cpu_begin = clock(), cpu_clock()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = compute()
        given = tuple(_as_warning(each.message, each.category) for each in caught)
        cost = (clock() - begin, cpu_clock() - cpu_begin)
        result = results[key] = _Result(value, *cost, given, _samples.get())
        if len(results) > most:
            results.popitem(last=False)
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=3)
    return cast("T", result.value)


def clock() -> float:
    """Return seconds of a clock that counts shared work wherever its result is used."""
    return time.perf_counter() + _borrowed


def cpu_clock() -> float:
    """Return CPU seconds of this process, of a clock that counts shared work likewise."""
    return time.process_time() + _borrowed_cpu


def forget() -> None:
    """Drop all shared results."""
    _results.clear()
    _of_samples.clear()


def _as_warning(message: Warning | str, category: type[Warning]) -> Warning:
    return message if isinstance(message, Warning) else category(message)


def _place(X: Any) -> tuple[Any, ...]:
    """Return where an array lies in memory, and how; what is no array is its own place."""
    if not hasattr(X, "__array_interface__") and not sparse.issparse(X):
        return (id(X),)
    arrays = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return tuple((a.__array_interface__["data"][0], a.shape, a.strides, a.dtype.str) for a in arrays)
