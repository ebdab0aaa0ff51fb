"""The parameter that methods share which need distances only."""

from __future__ import annotations

from scipy.spatial.distance import cdist

from cscluster.algorithms.base import ConstrainedEstimator, FloatArray
from cscluster.algorithms.parameters import Choice, parameter
from cscluster.arrays import checked_distances, require_memory


class DistanceEstimator(ConstrainedEstimator):
    """An estimator that sees distances only."""

    metric: str = parameter(
        "euclidean",
        "distance between samples. With 'precomputed', X is the matrix of their distances",
        Choice("euclidean", "precomputed"),
    )

    def _distances(self, X: FloatArray) -> FloatArray:
        """Return the matrix of distances between samples, which may be changed."""
        require_memory(type(self).__name__, (2, len(X), len(X)), "use pckmeans, or fewer rows")
        return checked_distances(X) if self.metric == "precomputed" else cdist(X, X)
