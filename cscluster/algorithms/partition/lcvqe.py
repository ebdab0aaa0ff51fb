"""LCVQE: k-means whose centers are drawn towards the samples of violated constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.cluster import kmeans_plusplus

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.partition._centers import (
    MAX_ITER,
    N_INIT,
    TOL,
    CenterClusterer,
    LocalMinimum,
    fill_empty,
    inertia,
    lloyd,
    lowest,
    nearest,
    squared_distances,
)
from cscluster.constraints import Constraints
from cscluster.linalg.scatter import group_sums


@compiled()
def assign_pairs(D: FloatArray, labels: IntArray, must: IntArray, cannot: IntArray) -> None:
    """Decide pair by pair, in place, whether a sample of a violated constraint changes its cluster.

    A must-link between clusters g and h: both samples go to g, or both to h, or they stay, at half of
    what each would cost in the other's cluster, whichever is cheapest.  A cannot-link inside g: the
    sample farther from the center goes to the next cluster, which costs less than to stay and be drawn
    there.
    """
    for i, j in must:
        g, h = labels[i], labels[j]
        if g == h:
            continue
        to_g = D[i, g] + D[j, g]
        to_h = D[i, h] + D[j, h]
        stay = D[i, g] + D[j, h] + 0.5 * (D[i, h] + D[j, g])
        if to_g <= min(to_h, stay):
            labels[j] = g
        elif to_h <= stay:
            labels[i] = h
    for i, j in cannot:
        g = labels[i]
        if g == labels[j]:
            far = i if D[i, g] > D[j, g] else j
            others = D[far].copy()
            others[g] = np.inf
            labels[far] = others.argmin()


def pulls(D: FloatArray, labels: IntArray, constraints: Constraints) -> tuple[IntArray, IntArray, FloatArray]:
    """Return which samples violated constraints draw to which clusters, and how strongly.

    Each sample of a violated must-link is drawn with one half to the other's cluster; of a violated
    cannot-link the one farther from the center is drawn with one to its next cluster.
    """
    violated = constraints.violated(labels)
    i, j = violated.must_links.T
    a, b = violated.cannot_links.T
    g = labels[a]
    far = np.where(D[a, g] > D[b, g], a, b)
    others = D[far].copy()
    others[np.arange(len(far)), g] = np.inf
    sample = np.concatenate([i, j, far])
    cluster = np.concatenate([labels[j], labels[i], others.argmin(axis=1)])
    return sample, cluster, np.repeat([0.5, 1.0], [2 * len(i), len(far)])


def descend(
    X: FloatArray, constraints: Constraints, mu: FloatArray, max_iter: int, still: float
) -> LocalMinimum:
    """Alternate between assignment and centers until the centers come to rest.

    The objective may rise, as constraints are decided one by one; the lowest one is returned.
    """
    K = len(mu)

    def step(mu: FloatArray) -> tuple[IntArray, FloatArray, float]:
        D = squared_distances(X, mu)
        labels = nearest(D)
        assign_pairs(D, labels, constraints.must_links, constraints.cannot_links)
        fill_empty(D, labels, X=X)
        sample, cluster, weight = pulls(D, labels, constraints)
        pulled = group_sums(X[sample] * weight[:, None], cluster, K)
        total = np.bincount(labels, minlength=K) + np.bincount(cluster, weight, minlength=K)
        mu = (group_sums(X, labels, K) + pulled) / total[:, None]
        penalty = weight @ ((X[sample] - mu[cluster]) ** 2).sum(axis=1)
        return labels, mu, inertia(X, labels, mu) + float(penalty)

    best = LocalMinimum(np.empty(0, dtype=np.int64), mu, np.array([np.inf]), False)
    converged = False
    for now in lloyd(step, mu, max_iter, still):
        best, converged = lowest([best, now]), now.converged
    return replace(best, converged=converged)


class LCVQE(CenterClusterer):
    r"""Linear-time constrained vector quantization error.

    Seeks a partition l and centers mu that make small

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2
              + \frac{1}{2} \sum_{(i,j) \in M, \, l_i \ne l_j}
                \left( \|x_i - \mu_{l_j}\|^2 + \|x_j - \mu_{l_i}\|^2 \right)
              + \sum_{(i,j) \in C, \, l_i = l_j} \|x_r - \mu_{h(r)}\|^2

    where r is the sample of a violated cannot-link that is farther from its center, and h(r) the cluster
    next to it.  Violated constraints draw centers: what they cost follows the distances, with no weight
    to choose.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.

    Notes
    -----
    Readings.  The objective is twice that of [1]_.  The paper's rule is applied to one constraint after
    another, must-links first.  Constraints that are still violated then draw the centers.  A violated
    cannot-link never costs less than a move, so those that remain were violated by a later decision.
    Weights and entailed constraints are not used.  The iteration of lowest objective is the result, as
    the objective may rise.

    An iteration takes O(n K d) for the samples and O(K) for each constraint.

    References
    ----------
    .. [1] D. Pelleg, D. Baras, "K-Means with Large and Noisy Constraint Sets", 2007, section 3.2.
       doi:10.1007/978-3-540-74958-5_67

    Examples
    --------
    >>> from cscluster import LCVQE
    >>> X = [[0.0], [1.0], [2.2], [8.0], [9.0]]
    >>> model = LCVQE(n_clusters=2, random_state=0)
    >>> labels = model.fit(X, constraints=[(2, 3, "must")]).labels_
    >>> bool(labels[0] == labels[1] != labels[3] == labels[4])
    True
    """

    weighs_constraints = False

    n_init: int = N_INIT
    max_iter: int = MAX_ITER
    tol: float = TOL

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        random = np.random.RandomState(self._seed)
        origin = X.mean(axis=0)
        X = X - origin
        still = self.tol * X.var(axis=0).mean()
        starts = [kmeans_plusplus(X, self.n_clusters, random_state=random)[0] for _ in range(self.n_init)]
        minima = (descend(X, constraints, mu, self.max_iter, still) for mu in starts)
        return self._set_minimum(lowest(minima), origin)
