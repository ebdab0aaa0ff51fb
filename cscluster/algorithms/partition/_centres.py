"""What methods with centres share: parameters, the best of several starts, and `predict`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from cscluster.algorithms.base import FloatArray, IntArray, Samples, SeededClusterer
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.algorithms.partition._assign import nearest_centers
from cscluster.algorithms.partition._restarts import LocalMinimum


class CentreClusterer(SeededClusterer):
    """A clusterer whose clusters have centres."""

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest centre of each sample, links aside."""
        return nearest_centers(self._validate_new(X), self.cluster_centers_)

    def _end_at(self, minima: Iterable[LocalMinimum], origin: FloatArray) -> Self:
        """Set the fitted attributes to the lowest of some minima; centres are seen from `origin`."""
        best = min(minima, key=lambda minimum: minimum.objective[-1])
        self.labels_ = best.labels
        self.cluster_centers_: FloatArray = best.mu + origin
        self.objective_ = best.objective
        self.n_iter_ = len(best.objective)
        self.converged_ = best.converged
        return self


class LloydClusterer(CentreClusterer):
    """A clusterer that moves its centres until they rest."""

    max_iter: int = parameter(300, "iteration limit", Integer(1))
    tol: float = parameter(
        1e-4,
        "squared shift of the centres, relative to the variance of the data, that counts as none",
        Real(0),
    )
