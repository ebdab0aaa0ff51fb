"""The clustering behind the questions: partitions made once, and SCSC's update for the answers."""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from cscluster.algorithms.ensemble.scsc import SCSC
from cscluster.constraints import Constraints

IntArray = NDArray[np.int64]

N_PARTITIONS = 20
MAX_PAIRS = 20_000
"""Entailed links up to this number are learned from as well."""


class Ensemble:
    """Partitions of the rows, and the clusters that they make with any set of links.

    Attributes
    ----------
    n_clusters : int
        Number of clusters.
    partitions : ndarray of shape (m, n)
        Labels of the partitions.
    """

    def __init__(self, model: SCSC) -> None:
        self._model = model
        self.n_clusters = model.n_clusters
        self.partitions: NDArray[Any] = model.partitions_

    @classmethod
    def fit(cls, X: Any, n_clusters: int) -> Self:
        """Make the partitions: SCSC's offline step."""
        return cls(SCSC(n_clusters, n_partitions=N_PARTITIONS, random_state=0).fit(X))

    def labels(self, links: Constraints) -> IntArray:
        """Return the cluster of each row; the same links give the same clusters in whatever order."""
        closure = links.closure() if sum(links.closure_size) <= MAX_PAIRS else links
        model = copy.copy(self._model)
        return np.asarray(model.partial_fit(closure).labels_, dtype=np.int64)


def renumbered(labels: IntArray, before: IntArray, n_clusters: int) -> IntArray:
    """Return labels with the numbers that most of each cluster's rows had before."""
    shared = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    np.add.at(shared, (labels, before), 1)
    return np.asarray(linear_sum_assignment(shared, maximize=True)[1][labels], dtype=np.int64)
