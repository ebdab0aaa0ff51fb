"""An algorithm of one's own: the template of ``cscluster new algorithm``."""

from typing import Self

import numpy as np
from sklearn.cluster import kmeans_plusplus

from cscluster.algorithms.base import IntArray, Samples, SeededClusterer
from cscluster.algorithms.parameters import Integer, parameter
from cscluster.constraints import Constraints


class OwnAlgorithm(SeededClusterer):
    """k-means in which samples that must be together move together; replace it by your method.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each cluster.

    Examples
    --------
    >>> from cscluster import Constraints
    >>> links = Constraints(must_links=[(0, 1)], cannot_links=[(1, 2)], n_samples=4)
    >>> OwnAlgorithm(n_clusters=2, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]], links).labels_
    array([1, 1, 0, 0])
    """

    max_iter: int = parameter(100, "limit of iterations", Integer(1))

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`, keeping the must-links."""
        X, constraints = self._validate(X, constraints)
        group = constraints.components
        sizes = np.bincount(group)
        means = np.stack([np.bincount(group, column) for column in X.T], axis=1) / sizes[:, None]
        centers, _ = kmeans_plusplus(X, self.n_clusters, random_state=self.random_state)
        labels, objective = np.full(len(sizes), -1), []
        self.n_iter_, self.converged_ = 0, False
        while not self.converged_ and self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            distances = ((means[:, None] - centers) ** 2).sum(axis=2)
            before, labels = labels, distances.argmin(axis=1)
            objective.append(sizes @ distances.min(axis=1))
            self.converged_ = np.array_equal(labels, before)
            for k in np.unique(labels):
                centers[k] = np.average(means[labels == k], axis=0, weights=sizes[labels == k])
        self.cluster_centers_ = centers
        self.labels_ = labels[group]
        self.objective_ = np.array(objective)
        return self

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest centre of each new sample."""
        X = self._validate_new(X)
        return ((X[:, None] - self.cluster_centers_) ** 2).sum(axis=2).argmin(axis=1)
