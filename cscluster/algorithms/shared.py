"""Work that fits to the same samples have in common, done once for all of them.

An experiment fits many models to one data set: a grid of parameters, several methods, growing sets of
links.  Inside of `sharing` a fit takes over what an earlier one computed from the same samples.  A fit that
consists of many, as the choice of a method does, lets them share their work by `sharing_parts`.  Anywhere
else a fit computes everything itself.
"""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
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


class _Results(OrderedDict[Hashable, _Result]):
    """At most `most` results; the one that was not used for the longest time makes room for another."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most


@dataclass(frozen=True)
class _Scope:
    """Whose fits share their work, where it is kept, and what the fit that they are parts of has paid for."""

    samples: Any
    results: _Results
    of_samples: _Results
    paid: set[Hashable] | None = None


_scope: ContextVar[_Scope | None] = ContextVar("scope", default=None)
_results = _Results(_MOST_RESULTS)
_of_samples = _Results(_MOST_OF_SAMPLES)
_borrowed = 0.0
_borrowed_cpu = 0.0


@contextmanager
def sharing(X: Any) -> Iterator[None]:
    """Let fits to the samples `X`, which nobody changes, share their work with earlier and later ones."""
    with _in_scope(_Scope(X, _results, _of_samples)):
        yield


@contextmanager
def sharing_parts(X: Any) -> Iterator[None]:
    """Let the fits to `X` that one fit consists of share their work.

    `clock` counts such work once.  It is dropped at the end, unless `sharing` keeps it for other fits.
    """
    outer = _scope.get()
    if outer is None or not is_shared(X):
        outer = _Scope(X, _Results(_MOST_RESULTS), _Results(_MOST_OF_SAMPLES))
    with _in_scope(outer if outer.paid is not None else replace(outer, paid=set())):
        yield


@contextmanager
def _in_scope(scope: _Scope) -> Iterator[None]:
    token = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(token)


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
    scope = _scope_of(X)
    if seed is None or scope is None:
        return compute()
    return _take(scope, scope.results, (_place(X), key, seed), compute)


def of_samples(X: Any, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Return ``compute()``, which follows from the samples and `key` alone, or what it returned before.

    As `once`; such results are small, serve all draws of links and are kept longer.
    """
    scope = _scope_of(X)
    return compute() if scope is None else _take(scope, scope.of_samples, (_place(X), key), compute)


def is_shared(X: Any) -> bool:
    """Tell whether fits to these samples share their work now."""
    return _scope_of(X) is not None


def _scope_of(X: Any) -> _Scope | None:
    """Return the scope in which fits to these samples share their work now, if there is one."""
    scope = _scope.get()
    return scope if scope is not None and _place(X) == _place(scope.samples) else None


def _take(scope: _Scope, results: _Results, key: Hashable, compute: Callable[[], T]) -> T:
    """Return a stored result, or compute it and drop the one that was not used for the longest time."""
    global _borrowed, _borrowed_cpu
    if key in results:
        results.move_to_end(key)
        result = results[key]
        if scope.paid is None or key not in scope.paid:
            _borrowed += result.seconds
            _borrowed_cpu += result.cpu_seconds
    else:
        begin, cpu_begin = clock(), cpu_clock()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = compute()
        given = tuple(_as_warning(each.message, each.category) for each in caught)
        cost = (clock() - begin, cpu_clock() - cpu_begin)
        result = results[key] = _Result(value, *cost, given, scope.samples)
        if len(results) > results.most:
            results.popitem(last=False)
    if scope.paid is not None:
        scope.paid.add(key)
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
