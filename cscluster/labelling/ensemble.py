"""The clustering behind the questions: partitions made once, and their update for the answers."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from threadpoolctl import ThreadpoolController

from cscluster.algorithms.ensemble.landmark_ensemble import LandmarkEnsemble
from cscluster.constraints import Constraints

IntArray = NDArray[np.int64]

N_PARTITIONS = 20
MAX_CLOSURE = 500_000
"""Entailed links are looked at up to this number."""
MAX_PAIRS = 1000
"""Of each kind, as many are learned from, besides the given ones: a mean needs no more."""


class Ensemble:
    """Partitions of the rows, and the clusters that they make with any set of links.

    Attributes
    ----------
    n_clusters : int
        Number of clusters.
    partitions : ndarray of shape (m, n)
        Labels of the partitions.
    """

    def __init__(self, model: LandmarkEnsemble) -> None:
        self._model = model
        self._threads = ThreadpoolController()
        self.n_clusters = model.n_clusters
        self.partitions: NDArray[Any] = model.partitions_

    @classmethod
    def fit(cls, X: Any, n_clusters: int) -> Self:
        """Make the partitions: the offline step of the ensemble."""
        return cls(LandmarkEnsemble(n_clusters=n_clusters, n_partitions=N_PARTITIONS, random_state=0).fit(X))

    def labels(self, links: Constraints) -> IntArray:
        """Return the cluster of each row; the same links give the same clusters in whatever order."""
        model = copy.copy(self._model)
        with self._threads.limit(limits=1):  # for so little work, threads wait longer than they compute
            return np.asarray(model.partial_fit(with_entailed(links)).labels_, dtype=np.int64)


def with_entailed(links: Constraints) -> Constraints:
    """Return links with those that follow from them, evenly thinned to `MAX_PAIRS` of each kind."""
    if sum(links.closure_size) > MAX_CLOSURE:
        return links
    closure = links.closure()
    kept = (_evenly(len(pairs)) for pairs in (closure.must_links, closure.cannot_links))
    return links | closure.select(*kept)


def _evenly(count: int) -> IntArray:
    """Return numbers below `count`, all or `MAX_PAIRS` of them at equal distances."""
    return np.linspace(0, count - 1, min(count, MAX_PAIRS)).astype(np.int64)


def renumbered(labels: IntArray, before: IntArray, n_clusters: int) -> IntArray:
    """Return labels with the numbers that most of each cluster's rows had before."""
    shared = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    np.add.at(shared, (labels, before), 1)
    return np.asarray(linear_sum_assignment(shared, maximize=True)[1][labels], dtype=np.int64)
