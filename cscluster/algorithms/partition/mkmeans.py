"""MK-Means: k-means that learns metrics from violated constraints, without a penalty for them."""

from __future__ import annotations

from typing import Any, Self

from cscluster.algorithms.base import Samples
from cscluster.algorithms.partition._constrained_kmeans import ConstrainedKMeans
from cscluster.algorithms.partition.mpckmeans import FLOOR, MATRIX, METRIC, W, learn_metrics
from cscluster.constraints import Constraints


class MKMeans(ConstrainedKMeans):
    r"""K-means with learned metrics: `MPCKMeans` without constraints in the start and the assignment.

    Constraints only enter the metrics, equation (7) of [1]_.  A sample chooses the cluster h of least

    .. math:: \|x_i - \mu_h\|^2_{A_h} - \log\det A_h .

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.
    metrics_ : ndarray of shape (n_metrics, n_features[, n_features])
        The metrics A, or their diagonals.  See `MPCKMeans`.
    n_floored_, n_reseeded_ : int
        How often a metric met its floor, and an empty cluster was given a sample.

    Notes
    -----
    The first centers are random perturbations of the centroid of the data.  Constraints move no sample, so
    that labels may violate them however many there are.  `objective_` is that of MPCK-Means.  It may rise,
    since the assignment ignores the constraints.

    An iteration takes O(n K d), with full matrices O(n d^2) for each metric.

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney, "Integrating Constraints and Metric Learning in
       Semi-Supervised Clustering", 2004, equations (2) and (7). doi:10.1145/1015330.1015360

    Examples
    --------
    >>> from cscluster import Constraints, MKMeans
    >>> X = [[0.0, 9.0], [0.1, -9.0], [0.3, 3.0], [2.0, 9.5], [2.1, -9.2], [2.2, 0.0]]
    >>> constraints = Constraints([(0, 1), (3, 4)], [(0, 3), (2, 5)], n_samples=6)
    >>> MKMeans(n_clusters=2, random_state=1).fit(X, constraints=constraints).metrics_.shape
    (1, 2)
    """

    version = 4

    metric: str = METRIC
    matrix: str = MATRIX
    floor: float = FLOOR
    w: float = W

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X` and learn the metrics.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        return learn_metrics(self, X, constraints, Constraints.empty(len(X)), None)
