"""What the papers measure besides scores and seconds, as metrics of experiments."""

from __future__ import annotations

import time
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone

from cscluster.algorithms.base import IntArray, Samples
from cscluster.constraints import Constraints
from cscluster.constraints.sampling import random_pairs


def final_loss(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return the final objective of a method (zeng2012, (6))."""
    return float(model.objective_[-1]) if model else np.nan


def objective_rises(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return the share of iterations in which the objective rises (bilenko2004, 3.3)."""
    if not model or len(model.objective_) < 2:
        return 0.0
    J = model.objective_
    return float((np.diff(J) > 1e-9 * np.abs(J[:-1])).mean())


def kmeans_seconds(y: IntArray, labels: IntArray, model: Any = None, X: Samples | None = None) -> float:
    """Return the CPU seconds of k-means on the learned map alone (baghshah2010, 4.5)."""
    if not model:
        return np.nan
    Z, clusterer = model.metric_.transform(X), clone(model.clusterer_)
    start = time.process_time()
    clusterer.fit(Z)
    return time.process_time() - start


def weight_seconds(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return the CPU seconds of one update of the weights gamma alone, by 500 constraints (yi2015, 3.2.2)."""
    if not model:
        return np.nan
    pairs = random_pairs(len(y), 500, np.random.default_rng(0))
    constraints, other = Constraints.from_labels(pairs, y), deepcopy(model)
    start = time.process_time()
    other._update_weights(constraints)
    return time.process_time() - start
