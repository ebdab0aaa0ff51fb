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
from typing import Any, TypeVar

from scipy import sparse

_MOST_RESULTS = 16
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
    global _borrowed, _borrowed_cpu
    samples = _samples.get()
    if samples is None or seed is None or _place(X) != _place(samples):
        return compute()
    whole_key = (_place(X), key, seed)
    if whole_key in _results:
        _results.move_to_end(whole_key)
        result = _results[whole_key]
        _borrowed += result.seconds
        _borrowed_cpu += result.cpu_seconds
    else:
        begin, cpu_begin = clock(), cpu_clock()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = compute()
        given = tuple(_as_warning(each.message, each.category) for each in caught)
        cost = (clock() - begin, cpu_clock() - cpu_begin)
        result = _results[whole_key] = _Result(value, *cost, given, samples)
        if len(_results) > _MOST_RESULTS:
            _results.popitem(last=False)
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=2)
    return result.value


def clock() -> float:
    """Return seconds of a clock that counts shared work wherever its result is used."""
    return time.perf_counter() + _borrowed


def cpu_clock() -> float:
    """Return CPU seconds of this process, of a clock that counts shared work likewise."""
    return time.process_time() + _borrowed_cpu


def forget() -> None:
    """Drop all shared results."""
    _results.clear()


def _as_warning(message: Warning | str, category: type[Warning]) -> Warning:
    return message if isinstance(message, Warning) else category(message)


def _place(X: Any) -> tuple[Any, ...]:
    """Return where an array lies in memory, and how."""
    arrays = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    return tuple((a.__array_interface__["data"][0], a.shape, a.strides, a.dtype.str) for a in arrays)
