"""COP-KMeans: k-means that never breaks a link."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import kmeans_plusplus

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.partition._assign import nearest, squared_distances
from cscluster.algorithms.partition._centres import LloydClusterer
from cscluster.algorithms.partition._closure import Closure
from cscluster.algorithms.partition._lloyd import fill_empty, means
from cscluster.algorithms.partition._restarts import LocalMinimum, RestartedClusterer
from cscluster.constraints import Constraints
from cscluster.errors import InfeasibleError
from cscluster.linalg.scatter import group_sums


class COPKMeans(RestartedClusterer, LloydClusterer):
    r"""K-means over the partitions that keep every link.

    Seeks a local minimum of

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2 \quad \text{subject to} \quad
              l_i = l_j \; ((i,j) \in M), \quad l_i \ne l_j \; ((i,j) \in C) .

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres mu.

    Raises
    ------
    ConstraintError
        If links contradict each other.
    InfeasibleError
        If no start finds a partition that keeps all links.  To find one is to colour a graph, so
        that one may exist all the same.

    Notes
    -----
    A must-link component chooses its cluster as one, and next comes always the component to which
    cannot-links leave the fewest clusters.  This order fails far less often than the samples' own
    order in [1]_.  An iteration that would raise the objective is not made, so the objective falls.

    An iteration takes O(n K d) for the samples and O(e log e) for e separated pairs of components.

    References
    ----------
    .. [1] K. Wagstaff, C. Cardie, S. Rogers, S. Schroedl, "Constrained K-means Clustering with
       Background Knowledge", ICML 2001.
    .. [2] D. Brélaz, "New Methods to Color the Vertices of a Graph", 1979. doi:10.1145/359094.359101

    Examples
    --------
    >>> from cscluster import Constraints, COPKMeans
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    >>> links = Constraints([(2, 3)], [(1, 2)], n_samples=5)
    >>> labels = COPKMeans(n_clusters=2, random_state=0).fit(X, links).labels_
    >>> labels.tolist() in ([0, 0, 1, 1, 1], [1, 1, 0, 0, 0])
    True
    """

    version = 3
    keeps_hard_links = True
    weighs_links = False

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`."""
        X, constraints = self._validate(X, constraints)
        constraints.require_consistent()
        if constraints.n_components < self.n_clusters:
            raise InfeasibleError(
                f"Must-links leave {constraints.n_components} components, "
                f"too few for {self.n_clusters} clusters."
            )
        random = np.random.RandomState(self.random_state)
        origin, closure = X.mean(axis=0), Closure.of(constraints)
        runs = [
            self._run(X - origin, mu, constraints.components, closure, random)
            for mu in self._starts(X - origin, random)
        ]
        feasible = [run for run in runs if run is not None]
        if not feasible:
            raise InfeasibleError(
                f"None of {self.n_init} starts found a partition into {self.n_clusters} clusters "
                "that keeps all links."
            )
        return self._end_at(feasible, origin)

    def _starts(self, X: FloatArray, random: np.random.RandomState) -> Iterator[FloatArray]:
        """Yield first centres: those of k-means last, unless there is only one start."""
        for _ in range(max(self.n_init - 1, 1)):
            yield kmeans_plusplus(X, self.n_clusters, random_state=random)[0]
        if self.n_init > 1:
            yield Reference(X, self.n_clusters, self.random_state).kmeans.cluster_centers_

    def _run(
        self,
        X: FloatArray,
        mu: FloatArray,
        component: IntArray,
        closure: Closure,
        random: np.random.RandomState,
    ) -> LocalMinimum | None:
        """Alternate from the centres `mu`; None if no partition was found."""
        order = random.permutation(closure.n_components)
        still = self.tol * X.var(axis=0).mean()
        labels, objective, converged = None, [np.inf], False
        while not converged and len(objective) <= self.max_iter:
            D = squared_distances(X, mu)
            candidate = keep_links(D, closure, order)
            if candidate is None:
                break
            fill_empty(X, D, candidate, component)
            mu_before, mu_candidate = mu, means(X, candidate, self.n_clusters)
            J = float(((X - mu_candidate[candidate]) ** 2).sum())
            if objective[-1] <= J:
                converged = True
                break
            labels, mu = candidate, mu_candidate
            objective.append(J)
            converged = bool(((mu - mu_before) ** 2).sum() <= still)
        return None if labels is None else LocalMinimum(labels, mu, np.array(objective[1:]), converged)


def keep_links(D: FloatArray, closure: Closure, order: IntArray) -> IntArray | None:
    """Return the cheapest cluster of each sample such that no link breaks; None if that fails.

    `D` are the costs of the samples; `order` decides between components with equally many
    clusters left.
    """
    labels = nearest(D)
    cost = group_sums(D[closure.points], closure.component, closure.n_components)
    chosen = colour(order, cost, closure.separated)
    labels[closure.points] = chosen[closure.component]
    return labels if (chosen >= 0).all() else None


def colour(order: IntArray, cost: FloatArray, separated: csr_array) -> IntArray:
    """Give each component its cheapest cluster that no component separated from it has.

    Next is always the component with the fewest clusters left, of equals the first in `order`; the result is
    -1 from the first one on that has none.
    """
    return _colour(order, cost.copy(), separated.indptr, separated.indices)


@compiled()
def _colour(order: IntArray, cost: FloatArray, indptr: IntArray, indices: IntArray) -> IntArray:
    """Do so, on costs that turn infinite where a cluster is taken."""
    n, n_clusters = cost.shape
    labels = np.full(n, -1)
    n_left = np.full(n, n_clusters)
    rank = np.argsort(order)
    waiting = [n_clusters * n + r for r in range(n)]  # clusters left, then rank; sorted, so a heap already
    while len(waiting):
        u = order[heappop(waiting) % n]
        if labels[u] >= 0:  # the entry was overtaken by one with fewer clusters left
            continue
        if n_left[u] == 0:
            break
        h = cost[u].argmin()
        labels[u] = h
        for v in indices[indptr[u] : indptr[u + 1]]:
            if np.isfinite(cost[v, h]):
                cost[v, h] = np.inf
                n_left[v] -= 1
                heappush(waiting, n_left[v] * n + rank[v])
    return labels
