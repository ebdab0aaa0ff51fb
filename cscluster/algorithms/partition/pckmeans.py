"""PCK-Means: k-means that pays for broken links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.parameters import Null, Real, parameter
from cscluster.algorithms.partition._assign import Penalties, squared_distances
from cscluster.algorithms.partition._closure import Closure
from cscluster.algorithms.partition._lloyd import LinkedAssignment, best_run
from cscluster.constraints import Constraints


@dataclass(frozen=True)
class Euclidean:
    """Euclidean distances, and the same cost `w` for every broken link of weight one."""

    w: float
    n_clusters: int

    def distances(self, X: FloatArray, mu: FloatArray) -> FloatArray:
        """Return ``||x_i - mu_h||^2``."""
        return squared_distances(X, mu)

    def penalties(self, X: FloatArray, closure: Closure) -> Penalties:
        """Return `w` for each link: the terms of equation (1)."""
        one = np.ones((1, len(closure.points), 1))
        extra = np.tile(self.w * closure.extra[:, None], self.n_clusters)
        return Penalties(self.w * one, self.w * one, one, extra)

    def update(
        self, X: FloatArray, labels: IntArray, mu: FloatArray, closure: Closure
    ) -> tuple[Self, float, None]:
        """Return the model, which has nothing to learn, and the objective (1)."""
        broken = sum(links.cost.sum() for links in closure.broken(labels[closure.points]))
        return self, float(((X - mu[labels]) ** 2).sum() + self.w * broken), None


class PCKMeans(LinkedAssignment):
    r"""K-means with a cost for each broken link, started from the neighbourhoods of the links.

    Finds a local minimum over partitions l and centres mu of

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2
              + w \sum_{(i,j) \in M} w_{ij} [l_i \ne l_j] + w \sum_{(i,j) \in C} \bar w_{ij} [l_i = l_j]

    where M and C are the transitive closure of the must-links and the cannot-links they entail.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres mu.
    n_reseeded_ : int
        How often an empty cluster was given a sample.

    Notes
    -----
    Given links keep their weights, entailed links have weight one; links lighter than one entail
    nothing.  The closure assumes that the
    links are consistent; contradictory links are named in a warning, and then only the given
    links count.  The objective never rises with 'keep' and 'block'.  The
    rules hardly differ in their scores (docs/measurements.md).

    An iteration takes O(n K d) for the samples, and O(K c) for each point with links, where c is
    the number of components that its own component is separated from.

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney, "Integrating Constraints and Metric Learning in
       Semi-Supervised Clustering", 2004, equation (1), sections 3.1 and 3.2.
       doi:10.1145/1015330.1015360

    Examples
    --------
    >>> from cscluster import Constraints, PCKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.2]]
    >>> links = Constraints([(0, 1), (3, 4)], [(1, 2)], n_samples=5)
    >>> PCKMeans(n_clusters=2, random_state=0).fit(X, links).labels_.tolist()
    [0, 0, 1, 1, 1]
    """

    version = 4

    w: float | None = parameter(
        None,
        "cost of a broken link of weight one, which competes with squared distances; the mean squared "
        "distance of a sample from its centre in k-means if null (the paper: 1)",
        Real(0),
        Null(),
    )

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`."""
        X, constraints = self._validate(X, constraints)
        rng = np.random.default_rng(self.random_state)
        reference = Reference(X, self.n_clusters, self.random_state)
        model = Euclidean(reference.mean_cost if self.w is None else self.w, self.n_clusters)
        if self.fallback:
            of_kmeans = reference.linked_labels(constraints, self.w)
            if self._falls_back_at_once(constraints, reference, of_kmeans, model):
                return self
        starts = self._starts(X, constraints, reference, rng)
        self._store(best_run(self._runs(X, constraints, starts, model, self.assignment, rng), X, constraints))
        if self.fallback:
            self._fall_back(X, constraints, reference, of_kmeans, model)
        return self
