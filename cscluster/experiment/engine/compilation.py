"""Compiles algorithms before any clock starts, once in a process."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from cscluster.algorithms import registry
from cscluster.constraints import Constraints
from cscluster.data.dataset import Dataset

_SAMPLES = 48
_compiled: set[tuple[str, str, str]] = set()


def compile_algorithm(algorithm: str, build: Callable[[], Any], data: Dataset) -> None:
    """Fit a small model like the ones to come, unless this process has done so before.

    Algorithms with the tag ``compiled`` hold numba functions, which are compiled at their first call; here
    that is paid outside of any measured time.
    """
    if "compiled" not in registry.find(algorithm).tags:
        return
    model = build()
    kind = (algorithm, type(model).__name__, type(data.X).__name__)
    if kind in _compiled:
        return
    _compiled.add(kind)
    rows = np.unique(np.linspace(0, data.n_samples - 1, _SAMPLES).astype(np.int64))
    links = Constraints.from_partial_labels(np.arange(len(rows)) % 2)
    X = data.X[rows]
    if isinstance(X, np.ndarray):
        X.setflags(write=False)
    with contextlib.suppress(Exception):  # a failure here will show, and be recorded, in the trial itself
        model.fit(X, constraints=links)
        model.predict(X)
