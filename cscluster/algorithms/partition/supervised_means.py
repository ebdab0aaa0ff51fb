"""Supervised-Means: the nearest neighbourhood, without any clustering."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import Samples, warn_of_contradictions
from cscluster.algorithms.partition._centers import CenterClusterer, inertia
from cscluster.algorithms.partition._seeding import seed_centers


class SupervisedMeans(CenterClusterer):
    """Assign each sample to the nearest of the centers that PCK-Means would start from.

    What the constraints alone achieve; the difference to `PCKMeans` is what the samples add.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centroids of the neighbourhoods that must-links form; if there are more than K, those that
        a farthest-first traversal weighted by size picks; if there are fewer, random perturbations
        of the centroid of the data for the rest.

    Notes
    -----
    Constraints are not enforced, and a cluster may stay empty.  `objective_` is the sum of squared
    distances to the centers.

    An iteration takes O(n K d).

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney, "Integrating Constraints and Metric Learning in
       Semi-Supervised Clustering", 2004, sections 3.1 and 4.2. doi:10.1145/1015330.1015360

    Examples
    --------
    >>> from cscluster import Constraints, SupervisedMeans
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    >>> constraints = Constraints([(0, 1), (3, 4)], n_samples=5)
    >>> SupervisedMeans(n_clusters=2).fit(X, constraints=constraints).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    weighs_constraints = False

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Find the centers and assign `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        warn_of_contradictions(constraints, "Only the must-links are used.")
        rng = np.random.default_rng(self._seed)
        self.cluster_centers_ = seed_centers(X, constraints, self.n_clusters, rng)
        labels = self.predict(X)
        J = inertia(X, labels, self.cluster_centers_)
        return self._set_partition(labels, objective=[J], n_iter=1, converged=True)
