"""COP-KMeans: k-means that never violates a constraint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import kmeans_plusplus

from cscluster.algorithms.base import FloatArray, IntArray, Samples, require_components
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.partition._centers import (
    MAX_ITER,
    N_INIT,
    TOL,
    CenterClusterer,
    LocalMinimum,
    Step,
    kmeans_step,
    lloyd,
    lowest,
    nearest,
)
from cscluster.algorithms.partition._closure import Closure
from cscluster.algorithms.partition.kmeans import quick_kmeans
from cscluster.errors import InfeasibleError
from cscluster.linalg.scatter import group_sums


class COPKMeans(CenterClusterer):
    r"""K-means over the partitions that satisfy every constraint.

    Seeks a local minimum of

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2 \quad \text{subject to} \quad
              l_i = l_j \; ((i,j) \in M), \quad l_i \ne l_j \; ((i,j) \in C) .

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.

    Raises
    ------
    ConstraintError
        If constraints contradict each other.
    InfeasibleError
        If no start finds a partition that satisfies all constraints.  To find one is to colour a graph,
        so that one may exist all the same.

    Notes
    -----
    A must-link component chooses its cluster as one, and next is always the component to which
    cannot-links leave the fewest clusters [2]_.  This order fails far less often than the samples' own
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
    >>> constraints = Constraints([(2, 3)], [(1, 2)], n_samples=5)
    >>> labels = COPKMeans(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_
    >>> labels.tolist() in ([0, 0, 1, 1, 1], [1, 1, 0, 0, 0])
    True
    """

    version = 3
    satisfies_hard_constraints = True
    weighs_constraints = False

    n_init: int = N_INIT
    max_iter: int = MAX_ITER
    tol: float = TOL

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        constraints.require_consistent()
        require_components(constraints, self.n_clusters)
        random = np.random.RandomState(self._seed)
        origin, closure = X.mean(axis=0), Closure.of(constraints)
        X = X - origin
        still = self.tol * X.var(axis=0).mean()
        minima = []
        for mu in self._starts(X, random):
            assign = partial(feasible_labels, closure, random.permutation(closure.n_components))
            step = kmeans_step(X, assign, constraints.components)
            minimum = descend(step, mu, self.max_iter, still)
            minima += [minimum] if minimum else []
        if not minima:
            raise InfeasibleError(
                f"None of {self.n_init} starts found a partition into {self.n_clusters} clusters "
                "that satisfies all constraints."
            )
        return self._set_minimum(lowest(minima), origin)

    def _starts(self, X: FloatArray, random: np.random.RandomState) -> Iterator[FloatArray]:
        """Yield first centers: those of k-means last, unless there is only one start."""
        for _ in range(max(self.n_init - 1, 1)):
            yield kmeans_plusplus(X, self.n_clusters, random_state=random)[0]
        if self.n_init > 1:
            yield quick_kmeans(X, self.n_clusters, self._seed).cluster_centers_


def descend(step: Step, mu: FloatArray, max_iter: int, still: float) -> LocalMinimum | None:
    """Alternate from the centers `mu` while the objective falls; None if no partition is feasible."""
    best: LocalMinimum | None = None
    try:
        for now in lloyd(step, mu, max_iter, still):
            if best and best.objective[-1] <= now.objective[-1]:
                return replace(best, converged=True)
            best = now
    except InfeasibleError:
        pass
    return best


def feasible_labels(closure: Closure, order: IntArray, D: FloatArray) -> IntArray:
    """Return the cheapest cluster of each sample such that no constraint is violated.

    `D` are the costs of the samples; `order` decides between components with equally many clusters left.
    """
    labels = nearest(D)
    cost = group_sums(D[closure.points], closure.component, closure.n_components)
    chosen = colour(order, cost, closure.separated)
    if (chosen < 0).any():
        raise InfeasibleError("No cluster is left for a component.")
    labels[closure.points] = chosen[closure.component]
    return labels


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
