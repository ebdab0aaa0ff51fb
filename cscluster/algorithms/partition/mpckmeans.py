"""MPCK-Means: k-means that pays for broken links and learns metrics from them."""

from __future__ import annotations

from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.parameters import Choice, Parameter, Real
from cscluster.algorithms.partition._lloyd import ConstrainedKMeans
from cscluster.algorithms.partition._metric import Metrics
from cscluster.algorithms.partition._seeding import seed_centers
from cscluster.constraints import Constraints


class MPCKMeans(ConstrainedKMeans):
    r"""K-means with a cost for each broken link under metrics that are learned along the way.

    Finds a partition l, centres mu and metrics A that make small

    .. math:: \sum_i \left( \|x_i - \mu_{l_i}\|^2_{A_{l_i}} - \log\det A_{l_i} \right)
              + w \sum_{(i,j) \in M} w_{ij} f_M(i, j) [l_i \ne l_j]
              + w \sum_{(i,j) \in C} \bar w_{ij} f_C(i, j) [l_i = l_j]

    where M and C are the transitive closure of the must-links and the cannot-links they entail,
    :math:`f_M` is the squared distance of the pair, averaged over the metrics of its two clusters,
    and :math:`f_C` is how much closer the pair is than the maximally separated pair of samples.

    Parameters
    ----------
    n_clusters : int
        Number of clusters K.
    metric : {'single', 'multiple'}
        One metric, or one for each cluster.
    matrix : {'diagonal', 'full'}
        Weights of the features, or full matrices.
    w : float
        Cost of breaking a link of weight one.
    assignment : {'keep', 'reset', 'block'}
        What a point sees when it chooses a cluster.  'keep': the current labels of all its
        partners (the paper's text).  'reset': of those that have chosen before it in this
        iteration; after 30 iterations it goes on as 'keep'.  'block': of all, but a must-link
        component chooses as one.
    floor : float
        Least eigenvalue of A^-1, relative to the variances of the features.
    max_iter : int
        Largest number of iterations.
    tol : float
        Squared shift of the centres, relative to the variance of the data, that counts as none.
    random_state : int, optional
        Seed of the order of assignment and of centres that no neighbourhood provides.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres mu.
    metrics_ : ndarray of shape (n_metrics, n_features[, n_features])
        The metrics A, or their diagonals: one, or one for each cluster.
    n_floored_ : int
        Number of iterations in which an eigenvalue of A^-1 was lifted to the floor.
    n_reseeded_ : int
        How often an empty cluster was given samples.

    Notes
    -----
    TODO

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney, "Integrating Constraints and Metric Learning in
       Semi-Supervised Clustering", 2004, equations (4) to (8), Figure 1.
       doi:10.1145/1015330.1015360

    Examples
    --------
    >>> from cscluster import Constraints, MPCKMeans
    >>> X = [[0.0, 9.0], [0.1, -9.0], [0.3, 3.0], [2.0, 9.5], [2.1, -9.2], [2.2, 0.0]]
    >>> links = Constraints([(0, 1), (3, 4)], [(0, 3), (2, 5)], n_samples=6)
    >>> model = MPCKMeans(n_clusters=2, random_state=0).fit(X, links)
    >>> model.labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> bool(model.metrics_[0, 0] > 100 * model.metrics_[0, 1])  # the second feature says nothing
    True
    """

    parameters = {
        **ConstrainedKMeans.parameters,
        "metric": Parameter("one metric, or one for each cluster", Choice("single", "multiple")),
        "matrix": Parameter("weights of features, or full matrices", Choice("diagonal", "full")),
        "floor": Parameter("least eigenvalue of A^-1 relative to variances", Real(0, 1, open_low=True)),
    }

    metrics_: FloatArray
    n_floored_: int

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        metric: str = "single",
        matrix: str = "diagonal",
        w: float = 1.0,
        assignment: str = "reset",
        floor: float = 0.1,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.matrix = matrix
        self.w = w
        self.assignment = assignment
        self.floor = floor
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X` and learn the metrics."""
        X, constraints = self._validate(X, constraints)
        return self._learn(X, constraints, seeds=constraints, assignment=self.assignment)

    def _learn(
        self, X: FloatArray, constraints: Constraints, *, seeds: Constraints, assignment: str | None
    ) -> Self:
        """Start from the neighbourhoods of `seeds` and alternate."""
        rng = np.random.default_rng(self.random_state)
        start = seed_centers(X, seeds, self.n_clusters, rng)
        euclidean = Metrics.start(
            X, self.n_clusters, metric=self.metric, matrix=self.matrix, w=self.w, floor=self.floor
        )
        model = self._alternate(X, constraints, start, euclidean, assignment, rng)
        self.metrics_ = model.matrices()
        self.n_floored_ = model.n_floored
        return self
