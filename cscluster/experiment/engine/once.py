"""What a process computes once: compiled code, and the metric that all repeats on one draw of links share."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from cscluster.algorithms import registry
from cscluster.constraints import Constraints
from cscluster.data.dataset import Dataset

_SAMPLES = 48
_compiled: set[tuple[str, str]] = set()


def compile_algorithm(algorithm: str, build: Callable[[], Any], data: Dataset) -> None:
    """Fit a small model like the ones to come, unless this process has done so before.

    Algorithms with the tag ``compiled`` hold numba functions, which are compiled at their first call; here
    that is paid outside of any measured time.
    """
    kind = (algorithm, type(data.X).__name__)
    if kind in _compiled or "compiled" not in registry.find(algorithm).tags:
        return
    _compiled.add(kind)
    rows, links = _sample(data.n_samples)
    X = data.X[rows]
    if isinstance(X, np.ndarray):
        X.setflags(write=False)
    with contextlib.suppress(Exception):  # a failure here will show, and be recorded, in the trial itself
        model = build()
        model.fit(X, links)
        model.predict(X)


@cache
def _sample(n: int) -> tuple[Any, Constraints]:
    rows = np.unique(np.linspace(0, n - 1, _SAMPLES).astype(np.int64))
    order = np.random.default_rng(0).permutation(len(rows))
    pairs = order[: 2 * (len(order) // 2)].reshape(-1, 2)
    half = len(pairs) // 2
    return rows, Constraints(pairs[:half], pairs[half:], n_samples=len(rows))


@dataclass(frozen=True)
class Learned:
    """A fitted metric, the seconds that its fit took and the warnings that it gave."""

    metric: Any
    seconds: float
    warnings: tuple[str, ...]


_last: dict[tuple[Any, ...], Learned] = {}


def shared_metric(place: tuple[Any, ...], learn: Callable[[], Any], warnings: list[str]) -> Learned:
    """Return the fitted metric of a place (cell, point, tier, draw).

    A repeat is a new start of the clusterer on the same links.  The metric does not depend on it: its seed
    is that of the draw, and the repeats of a draw are planned one after another.  So it is learned unless
    it was the last one; a record does not tell which repeat came first.
    """
    if place not in _last:
        _last.clear()
        start = time.perf_counter()
        metric = learn()
        _last[place] = Learned(metric, time.perf_counter() - start, tuple(warnings))
    return _last[place]
