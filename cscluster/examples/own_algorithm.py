"""OwnAlgorithm: say in a line what it does."""

from typing import Any, Self

import numpy as np
from sklearn.cluster import kmeans_plusplus

from cscluster.algorithms.base import Clusterer, IntArray, Samples
from cscluster.algorithms.parameters import Integer, parameter


class OwnAlgorithm(Clusterer):
    """k-means in which samples that must be together move together; replace it by your method.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster.

    Examples
    --------
    >>> constraints = [(0, 1, "must"), (1, 2, "cannot")]
    >>> model = OwnAlgorithm(n_clusters=2, random_state=0)
    >>> model.fit([[0.0], [1.0], [8.0], [9.0]], constraints=constraints).labels_
    array([1, 1, 0, 0])
    """

    max_iter: int = parameter(100, "limit of iterations", Integer(1))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`, satisfying the must-links."""
        X, constraints = self._validate(X, y, constraints)
        group = constraints.components
        sizes = np.bincount(group)
        means = np.stack([np.bincount(group, column) for column in X.T], axis=1) / sizes[:, None]
        centers, _ = kmeans_plusplus(X, self.n_clusters, random_state=self._seed)
        labels, converged = np.full(len(sizes), -1), False
        objective: list[float] = []
        while not converged and len(objective) < self.max_iter:
            distances = ((means[:, None] - centers) ** 2).sum(axis=2)
            before, labels = labels, distances.argmin(axis=1)
            objective.append(sizes @ distances.min(axis=1))
            converged = np.array_equal(labels, before)
            for k in np.unique(labels):
                centers[k] = np.average(means[labels == k], axis=0, weights=sizes[labels == k])
        self.cluster_centers_ = centers
        return self._set_partition(
            labels[group], objective=objective, n_iter=len(objective), converged=converged
        )

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest centre of each new sample."""
        X = self._validate_new(X)
        return ((X[:, None] - self.cluster_centers_) ** 2).sum(axis=2).argmin(axis=1)
