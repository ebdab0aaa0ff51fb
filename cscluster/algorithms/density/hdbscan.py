"""HDBSCAN, whose hierarchy is cut where most constraints are satisfied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import BoolArray, Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.distance_parameters import DistanceEstimator
from cscluster.algorithms.parameters import Integer, Null, parameter
from cscluster.constraints import Constraints
from cscluster.errors import ParameterError

_TIES = 1e-9
"""Difference between shares of satisfied constraints that counts as none."""

_LEAST_DISTANCE = 1e-300
"""Samples that coincide count as this far apart, so that densities are finite."""


@dataclass(frozen=True)
class CondensedTree:
    """The hierarchy of clusters: a rising density parts them, and takes samples from them.

    Attributes
    ----------
    parent : ndarray of shape (n_nodes,)
        The cluster that each one is a part of, which has a smaller number; -1 for the root, all samples.
    stability : ndarray of shape (n_nodes,)
        Sum over its samples of the density at which they leave it, less that at which it appears.
    last : ndarray of shape (n_samples,)
        The smallest cluster that each sample belongs to.
    """

    parent: IntArray
    stability: FloatArray
    last: IntArray

    @classmethod
    def of(cls, Z: FloatArray, min_size: int) -> Self:
        """Condense a single-linkage hierarchy in the form of SciPy.

        A cluster is parted where both parts have `min_size` samples; smaller parts leave it as noise.
        """
        n = len(Z) + 1
        ends, size = Z[:, :2].astype(np.int64).tolist(), [1] * n + Z[:, 3].astype(np.int64).tolist()
        density = (1 / np.maximum(Z[:, 2], _LEAST_DISTANCE)).tolist()
        parent, born, stability = [-1], [0.0], [0.0]
        cluster, is_noise = [0] * (2 * n - 1), [False] * (2 * n - 1)
        for node in range(2 * n - 2, n - 1, -1):
            c, at = cluster[node], density[node - n]
            is_split = not is_noise[node] and min(size[part] for part in ends[node - n]) >= min_size
            for part in ends[node - n]:
                cluster[part], is_noise[part] = c, is_noise[node] or size[part] < min_size
                if is_split:
                    cluster[part] = len(parent)
                    parent.append(c)
                    born.append(at)
                    stability.append(0.0)
                if is_split or (is_noise[part] and not is_noise[node]):
                    stability[c] += (at - born[c]) * size[part]
        return cls(np.array(parent), np.array(stability), np.array(cluster[:n]))

    def satisfied(self, constraints: Constraints) -> tuple[FloatArray, FloatArray]:
        r"""Return what each cluster counts when chosen, and what the noise that leaves it counts if not.

        Each end of a constraint counts half of its weight where the constraint is satisfied: of a must-link,
        if the cluster holds both ends; of a cannot-link, if it holds only this end, or the end is noise.
        """
        at = self.last[constraints.pairs]
        both = self._common(at)
        counts, noise = np.zeros((2, len(self.parent)))
        is_cannot = ~constraints.is_must
        weights = constraints.weights
        np.add.at(counts, both, np.where(is_cannot, -weights, weights))
        for end in at[is_cannot].T:
            np.add.at(counts, end, weights[is_cannot] / 2)
            np.add.at(noise, end, weights[is_cannot] / 2)
        for node in range(len(counts) - 1, 0, -1):
            counts[self.parent[node]] += counts[node]
        return counts, noise

    def _common(self, nodes: IntArray) -> IntArray:
        """Return the smallest cluster that holds both clusters of each pair."""
        a, b = nodes.T
        while (apart := a != b).any():
            a, b = np.minimum(a, b), np.maximum(a, b)
            b = np.where(apart, self.parent[b], b)
        return a

    def best(self, constraints: Constraints) -> BoolArray:
        """Return which clusters to choose: one on the way from the root to each leaf, never the root.

        The choice satisfies the largest weight of constraints and, of equal ones, has the largest stability.
        """
        own, noise = self.satisfied(constraints)
        best, stability = noise.copy(), np.zeros(len(own))
        ties = _TIES * constraints.weights.sum()
        is_leaf = np.bincount(self.parent[1:], minlength=len(own)) == 0
        chosen = np.zeros(len(own), dtype=bool)
        for node in range(len(own) - 1, 0, -1):
            more = own[node] - best[node]
            is_stable = self.stability[node] >= stability[node]
            if is_leaf[node] or more > ties or (more >= -ties and is_stable):
                chosen[node], best[node], stability[node] = True, own[node], self.stability[node]
            best[self.parent[node]] += best[node]
            stability[self.parent[node]] += stability[node]
        covered = np.zeros(len(own), dtype=bool)
        for node in range(1, len(own)):
            covered[node] = covered[self.parent[node]] or chosen[self.parent[node]]
        return chosen & ~covered

    def labels(self, chosen: BoolArray) -> IntArray:
        """Return the number of the chosen cluster that each sample belongs to; -1 where there is none."""
        number = np.where(chosen, np.cumsum(chosen) - 1, -1)
        for node in range(1, len(chosen)):
            if not chosen[node]:
                number[node] = number[self.parent[node]]
        return number[self.last]


class HDBSCAN(DistanceEstimator, Clusterer):
    r"""Density-based clusters of any shape, chosen from a hierarchy by the constraints.  The rest is noise.

    The higher the density that is asked for, the smaller the clusters into which the samples part.  Of these,
    those without overlap are chosen that satisfy the largest weight of constraints,

    .. math:: \max \sum_j \tfrac{1}{2} \gamma(x_j),

    where gamma(x_j) is the weight of the satisfied constraints of sample x_j (FOSC).  A must-link that
    touches noise is violated.  A cannot-link that touches noise is satisfied.  Of equally good choices it is
    the one of largest stability, so that without constraints the clusters are those of HDBSCAN.

    Use it for clusters of any shape, if their number is unknown and some rows belong nowhere.  Do not use it
    where classes overlap: constraints choose among the clusters that density shows, and make no others.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, -1 for noise.
    n_clusters_ : int
        Number of clusters.

    Notes
    -----
    The hierarchy is scikit-learn's.  Readings of [1]_ and [2]_: one cluster is chosen on each way from the
    root to a leaf, and never the root.  Entailed constraints do not count.  Partial labels count as the
    constraints made from them, not by the B-cubed measure of [2]_.

    The hierarchy takes O(n^2 d) time, and O(n) memory without a matrix of distances.  The choice is linear in
    the number of clusters, and a constraint takes the depth of the hierarchy.

    References
    ----------
    .. [1] R. J. G. B. Campello, D. Moulavi, A. Zimek, J. Sander, "A framework for semi-supervised and
       unsupervised optimal extraction of clusters from hierarchies", Data Mining and Knowledge Discovery,
       2013. doi:10.1007/s10618-013-0311-4
    .. [2] J. Castro Gertrudes, A. Zimek, J. Sander, R. J. G. B. Campello, "A unified view of density-based
       methods for semi-supervised clustering and classification", Data Mining and Knowledge Discovery,
       2019. doi:10.1007/s10618-019-00651-1

    Examples
    --------
    >>> from cscluster import HDBSCAN
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2], [9.0], [9.1], [9.2], [30.0]]
    >>> HDBSCAN(min_cluster_size=3).fit(X, constraints=[(0, 3, "must"), (0, 6, "cannot")]).labels_.tolist()
    [0, 0, 0, 0, 0, 0, 1, 1, 1, -1]
    """

    n_clusters: ClassVar[None]  # type: ignore[assignment,misc]  # no parameter: it is found

    min_cluster_size: int = parameter(5, "fewest samples of a cluster", Integer(2))
    min_samples: int | None = parameter(
        None,
        "samples, itself among them, that a sample needs near it to be dense (None: as `min_cluster_size`)",
        Integer(1),
        Null(),
    )

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Build the hierarchy and choose clusters.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        tree = CondensedTree.of(self._hierarchy(X), self.min_cluster_size)
        labels = tree.labels(tree.best(constraints))
        self.n_clusters_ = int(labels.max()) + 1
        return self._set_partition(labels, n_iter=1, converged=True)

    def _hierarchy(self, X: FloatArray) -> FloatArray:
        """Return the single-linkage hierarchy of mutual reachability distances."""
        min_samples = self.min_samples or self.min_cluster_size
        if min_samples > len(X):
            raise ParameterError(
                f"HDBSCAN needs at least {min_samples} samples, got {len(X)}. Lower 'min_samples'."
            )
        model = sklearn.cluster.HDBSCAN(
            min_cluster_size=self.min_cluster_size, min_samples=min_samples, metric=self.metric, copy=True
        )
        Z = model.fit(self._distances(X) if self.metric == "precomputed" else X)._single_linkage_tree_
        return np.column_stack([Z[name] for name in ("left_node", "right_node", "value", "cluster_size")])
