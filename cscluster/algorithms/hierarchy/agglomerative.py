"""Agglomerative clustering with must-links and cannot-links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import DisjointSet
from scipy.sparse.csgraph import connected_components

from cscluster.algorithms.base import (
    Clusterer,
    FloatArray,
    IntArray,
    Samples,
    require_components,
    warn_of_contradictions,
)
from cscluster.algorithms.distance_parameters import DistanceEstimator
from cscluster.algorithms.parameters import Choice, parameter
from cscluster.constraints import Constraints
from cscluster.errors import ParameterError, warn


def updated_distances(
    linkage: str, d_a: FloatArray, d_b: FloatArray, d_ab: float, n_a: float, n_b: float, n: FloatArray
) -> FloatArray:
    """Return the distances of the union of clusters a and b from all clusters, by Lance and Williams.

    Parameters
    ----------
    linkage : str
        What the distance of two clusters is.
    d_a, d_b : ndarray of shape (n_clusters,)
        Distances of a and of b from all clusters.
    d_ab : float
        Distance of a from b.
    n_a, n_b, n : float, float, ndarray of shape (n_clusters,)
        Sizes of a, of b and of all clusters.
    """
    if linkage == "single":
        return np.minimum(d_a, d_b)
    if linkage == "complete":
        return np.maximum(d_a, d_b)
    if linkage == "average":
        return (n_a * d_a + n_b * d_b) / (n_a + n_b)
    squares = (n_a + n) * d_a**2 + (n_b + n) * d_b**2 - n * d_ab**2
    return np.sqrt(np.maximum(squares, 0) / (n_a + n_b + n))


@dataclass
class Merging:
    """Clusters, each in the place of one of its samples, and the costs of merging them.

    The cost of a merge is a pair, compared by its first part, then by its second: the weight of the
    cannot-links that it violates, and the distance.  Places without a cluster have infinite costs.

    Attributes
    ----------
    linkage : str
        What the distance of two clusters is.
    D, V : ndarray of shape (n_samples, n_samples)
        Distances, and weights of violated cannot-links.
    sizes : ndarray of shape (n_samples,)
        Number of samples of each cluster; 0 where there is none.
    """

    linkage: str
    D: FloatArray
    V: Any
    sizes: FloatArray

    @classmethod
    def of(cls, linkage: str, D: FloatArray, constraints: Constraints) -> Self:
        """Return one cluster for each sample."""
        n = len(D)
        V = np.zeros((n, n), dtype=np.float32)
        i, j = constraints.cannot_links.T
        V[i, j] = V[j, i] = constraints.cannot_weights
        for costs in (D, V):
            np.fill_diagonal(costs, np.inf)
        return cls(linkage, D, V, np.ones(n))

    def nearest(self, a: int) -> int | None:
        """Return the cluster that merges with `a` at the least cost; None if hard cannot-links veto all."""
        least = self.V[a].min()
        return int(np.argmin(np.where(self.V[a] == least, self.D[a], np.inf))) if least < np.inf else None

    def cost(self, a: int, b: int) -> tuple[float, float]:
        """Return the cost of a merge."""
        return float(self.V[a, b]), float(self.D[a, b])

    def merge(self, a: int, b: int) -> None:
        """Put cluster `a` into the place of `b`."""
        n_a, n_b = self.sizes[[a, b]]
        new = updated_distances(self.linkage, self.D[a], self.D[b], self.D[a, b], n_a, n_b, self.sizes)
        for costs, row in ((self.D, new), (self.V, self.V[a] + self.V[b])):
            row[[a, b]] = np.inf
            costs[b] = costs[:, b] = row
            costs[:, a] = np.inf
        self.sizes[[a, b]] = 0, n_a + n_b


def merged(clusters: Merging) -> tuple[list[tuple[int, int]], list[tuple[float, float]], list[int]]:
    """Merge as long as hard cannot-links allow; return merges, their costs, and the clusters that are left.

    A chain goes from cluster to nearest cluster until two are nearest to each other.  Their merge is that of
    the greedy order at some time, since a union is never nearer to a third cluster than its nearer part; so
    the merges are sorted in the end.
    """
    pairs, costs = list[tuple[int, int]](), list[tuple[float, float]]()
    waiting, left, chain = clusters.sizes > 0, list[int](), list[int]()
    while chain or waiting.any():
        chain = chain or [int(np.argmax(waiting))]
        a = chain[-1]
        b = clusters.nearest(a)
        if b is None:
            left.append(a)
            waiting[a] = False
            chain.pop()
        elif len(chain) > 1 and clusters.cost(a, chain[-2]) <= clusters.cost(a, b):
            b = chain[-2]
            pairs.append((a, b))
            costs.append(clusters.cost(a, b))
            clusters.merge(a, b)
            waiting[a] = False
            del chain[-2:]
        else:
            chain.append(b)
    order = np.lexsort(np.reshape(costs, (-1, 2)).T[::-1]).tolist()
    return [pairs[i] for i in order], [costs[i] for i in order], left


def linkage_matrix(pairs: list[tuple[int, int]], heights: FloatArray) -> FloatArray:
    """Return merges, each given by a sample of both clusters, in the form of SciPy.

    A merge that is lower than the one before it is lifted just above that.
    """
    n = len(pairs) + 1
    Z = np.empty((n - 1, 4))
    groups, name = DisjointSet(range(n)), np.arange(n)
    for row, ((a, b), height) in enumerate(zip(pairs, heights.tolist(), strict=True)):
        before = Z[row - 1, 2] if row else 0.0
        first, second = sorted(name[[groups[a], groups[b]]].tolist())
        groups.merge(a, b)
        name[groups[a]] = n + row
        lifted = height if height >= before else np.nextafter(before, np.inf)
        Z[row] = first, second, lifted, groups.subset_size(a)
    return Z


class Agglomerative(DistanceEstimator, Clusterer):
    r"""Agglomerative clustering: must-links are merged first, cannot-links forbid merges or delay them.

    Starts with the components of the must-links, and merges two clusters A and B of least cost

    .. math:: \Bigl( \sum_{(i,j) \in C, \; i \in A, \; j \in B} \bar w_{ij}, \;\; d(A, B) \Bigr)

    until one is left.  Costs are compared by the cannot-links that a merge violates, then by the distance.
    A hard cannot-link, of infinite weight, forbids the merge.  A soft one, of weight one, is violated only
    where every other merge violates as many.

    Use it for any distance, for a dendrogram, or to choose the number of clusters later.  With 20 constraints
    or more that are all right, choose single linkage.  Do not use it for more than 10,000 rows, nor where
    must-links may be wrong: none is ever violated.

    Attributes
    ----------
    linkage_matrix_ : ndarray of shape (n_samples - 1, 4)
        The merges in the form of ``scipy.cluster.hierarchy``.  Must-links have height 0, forbidden merges
        infinite height.  Where merges begin to violate cannot-links, heights that would fall are lifted just
        above the one before, so that `fcluster` cuts as `labels_at` does.
    n_clusters_ : int
        Number of clusters of `labels_`.
    fewest_clusters_ : int
        Number of clusters at which all further merges are forbidden, 1 without hard cannot-links.

    Raises
    ------
    ConstraintError
        If must-links join samples of a hard cannot-link.
    InfeasibleError
        If must-links leave fewer clusters than asked for.

    Notes
    -----
    Readings.  [1]_ imposes must-links by zero distances and completes distances by shortest paths.  Here
    must-links change the distance of clusters only through `linkage`.  [2]_ forbids all merges that violate
    cannot-links, which often ends above the true number of clusters.  This is what hard constraints do, and
    a dead end above `n_clusters` is said in a warning.

    For these linkages, no union is nearer to a third cluster than its nearer part, in either part of the
    cost.  Costs therefore rise from merge to merge, and chains of nearest neighbours find them in O(n^2)
    steps.  Memory is O(n^2): 1.3 GB for 10,000 samples.

    References
    ----------
    .. [1] D. Klein, S. D. Kamvar, C. D. Manning, "From Instance-level Constraints to Space-level
       Constraints", ICML 2002.
    .. [2] I. Davidson, S. S. Ravi, "Agglomerative Hierarchical Clustering with Constraints: Theoretical
       and Empirical Results", PKDD 2005. doi:10.1007/11564126_11

    Examples
    --------
    >>> from cscluster import Agglomerative
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    >>> model = Agglomerative(n_clusters=2).fit(X, constraints=[(2, 3, "must"), (1, 2, "cannot")])
    >>> model.labels_.tolist(), model.labels_at(3).tolist()
    ([0, 0, 1, 1, 1], [0, 0, 1, 1, 2])
    """

    satisfies_hard_constraints = True
    weighs_constraints = False

    linkage: str = parameter(
        "average",
        "distance of two clusters: that of their nearest or farthest samples, the mean of all, or ward's "
        "growth of the squared distances from the means, which takes given distances as Euclidean",
        Choice("single", "complete", "average", "ward"),
    )

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Build the hierarchy and cut it.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        hard = constraints.select(constraints.is_must | np.isinf(constraints.weights))
        hard.require_consistent()
        require_components(constraints, self.n_clusters)
        warn_of_contradictions(constraints, "All must-links are satisfied.")
        clusters = Merging.of(self.linkage, self._distances(X), constraints)
        joined = [(int(b), int(group[0])) for group in constraints.neighbourhoods for b in group[1:]]
        for a, b in joined:
            clusters.merge(a, b)
        pairs, costs, left = merged(clusters)
        self._pairs, self._n_joined = [*joined, *pairs], len(joined)
        self.fewest_clusters_ = len(left)
        heights = [0.0] * len(joined) + [d for _, d in costs] + [np.inf] * (len(left) - 1)
        forbidden = [(a, left[0]) for a in left[1:]]
        self.linkage_matrix_ = linkage_matrix([*self._pairs, *forbidden], np.array(heights))
        self.n_clusters_ = max(self.n_clusters, self.fewest_clusters_)
        if self.n_clusters_ > self.n_clusters:
            warn(
                f"The hierarchy ends with {self.n_clusters_} clusters, not {self.n_clusters}: hard "
                "cannot-links forbid all further merges."
            )
        labels = self.labels_at(self.n_clusters_)
        return self._set_partition(
            labels, n_iter=len(X) - self.n_clusters_, converged=self.n_clusters_ == self.n_clusters
        )

    def labels_at(self, n_clusters: int) -> IntArray:
        """Return the partition into another number of clusters.

        Parameters
        ----------
        n_clusters : int
            From `fewest_clusters_` to the number of must-link components.
        """
        n = len(self.linkage_matrix_) + 1
        most = n - self._n_joined
        if not self.fewest_clusters_ <= n_clusters <= most:
            raise ParameterError(
                f"The hierarchy has from {self.fewest_clusters_} to {most} clusters, not {n_clusters}."
            )
        i, j = np.reshape(self._pairs[: n - n_clusters], (-1, 2)).astype(np.intp).T
        graph = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
        return connected_components(graph, directed=False)[1].astype(np.int64)
