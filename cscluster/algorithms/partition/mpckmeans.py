"""MPCK-Means: k-means that pays for broken links and learns metrics from them."""

from __future__ import annotations

from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.cost import Cost, eigen_seconds
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.parameters import Choice, Real, parameter
from cscluster.algorithms.partition._lloyd import ConstrainedKMeans, LinkedAssignment, best_run
from cscluster.algorithms.partition._metric import Metrics
from cscluster.algorithms.partition.pckmeans import Euclidean
from cscluster.constraints import Constraints


class MetricKMeans(ConstrainedKMeans):
    """What mpckmeans and mkmeans share: learned metrics.

    Attributes
    ----------
    metrics_ : ndarray of shape (n_metrics, n_features[, n_features])
        The metrics A, or their diagonals: one, or one for each cluster.
    n_floored_ : int
        Number of iterations in which an eigenvalue of A^-1 was lifted to the floor.
    """

    metric: str = parameter("single", "one metric, or one for each cluster", Choice("single", "multiple"))
    matrix: str = parameter(
        "diagonal", "weights of the features, or full matrices", Choice("diagonal", "full")
    )
    floor: float = parameter(
        0.1, "least eigenvalue of A^-1, relative to the variances of the features", Real(0, 1, open_low=True)
    )

    w: float = parameter(
        1.0, "cost of a broken link of weight one, which competes with squared distances", Real(0)
    )

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        if self.matrix == "diagonal":
            return None
        n_metrics = self.n_clusters if self.metric == "multiple" else 1
        advice = "use diagonal matrices (mpckmeans), or rca, which takes principal components"
        return Cost(advice, 10 * n_metrics * (eigen_seconds(d) + 5e-11 * n * d * d), 24.0 * n_metrics * d * d)

    def _learn(
        self, X: FloatArray, constraints: Constraints, *, seeds: Constraints, assignment: str | None
    ) -> Self:
        """Alternate from the neighbourhoods of `seeds` and from k-means."""
        rng = np.random.default_rng(self.random_state)
        reference = Reference(X, self.n_clusters, self.random_state)
        first = Metrics.start(
            X, self.n_clusters, metric=self.metric, matrix=self.matrix, w=self.w, floor=self.floor
        )
        euclidean = Euclidean(self.w, self.n_clusters)
        self.metrics_, self.n_floored_ = first.matrices(), 0
        if self.fallback:
            of_kmeans = reference.linked_labels(constraints) if assignment else reference.kmeans.labels_
            if self._falls_back_at_once(constraints, reference, of_kmeans, euclidean):
                return self
        starts = list(self._starts(X, seeds, reference, rng))
        run = best_run(self._runs(X, constraints, starts, first, assignment, rng), X, constraints)
        self._store(run)
        if self.fallback:
            self._fall_back(X, constraints, reference, of_kmeans, euclidean)
        if not self.uses_kmeans_:
            self.metrics_, self.n_floored_ = run.model.matrices(), run.model.n_floored
        return self


class MPCKMeans(MetricKMeans, LinkedAssignment):
    r"""K-means with a cost for each broken link under metrics that are learned along the way.

    Finds a partition l, centres mu and metrics A that make small

    .. math:: \sum_i \left( \|x_i - \mu_{l_i}\|^2_{A_{l_i}} - \log\det A_{l_i} \right)
              + w \sum_{(i,j) \in M} w_{ij} f_M(i, j) [l_i \ne l_j]
              + w \sum_{(i,j) \in C} \bar w_{ij} f_C(i, j) [l_i = l_j]

    where M and C are the transitive closure of the must-links and the cannot-links they entail,
    :math:`f_M` is the squared distance of the pair, averaged over the metrics of its two clusters,
    and :math:`f_C` is how much closer the pair is than the maximally separated pair of samples.

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
    **Assignment.**  With 'keep' a point follows partners that are still in the wrong cluster;
    'reset' lets them find a partition that keeps most links, and was the best rule on average for
    every kind of metric (docs/measurements.md).

    **Metrics.**  A broken must-link counts half in the metrics of its two clusters, so fully in a
    single one.  For diagonal matrices the maximally separated pair are opposite corners of the
    bounding box, which keep the weights of equation (8) positive; for full ones it is searched
    along a few farthest samples.  Equation (7) may still give a singular or indefinite A^-1.  Its
    small eigenvalues are lifted to the floor, since negative ones call for a large weight, not
    for none; this is the optimum among metrics so bounded.

    **Objective.**  It never rises with 'keep' and 'block' while the maximally separated pair stays
    the same, which for diagonal matrices is always.  Where `max_iter` iterations reach no fixed point,
    the labels, centres and metrics are those of the lowest objective.

    **Links.**  Given links keep their weights, entailed links have weight one.  Contradictory links
    are named in a warning, and then only the given links count.

    **Cost.**  An iteration takes O(n K d), with full matrices O(n d^2) for each metric, and
    O(K c d) for each point with links, where c is the number of components that its own component
    is separated from.  The closure is never expanded.

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

    version = 5

    assignment: str = "reset"

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X` and learn the metrics."""
        X, constraints = self._validate(X, constraints)
        return self._learn(X, constraints, seeds=constraints, assignment=self.assignment)
