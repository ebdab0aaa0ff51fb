"""LCVQE: k-means whose centres are drawn towards the samples of broken links."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np
from sklearn.cluster import kmeans_plusplus

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.partition._assign import nearest, squared_distances
from cscluster.algorithms.partition._centres import LloydClusterer
from cscluster.algorithms.partition._lloyd import fill_empty
from cscluster.algorithms.partition._restarts import LocalMinimum, RestartedClusterer
from cscluster.constraints import Constraints
from cscluster.linalg.scatter import group_sums


@compiled()
def settle_links(D: FloatArray, labels: IntArray, must: IntArray, cannot: IntArray) -> None:
    """Decide link by link, in place, whether a sample of a broken link changes its cluster.

    A must-link between clusters g and h: both samples go to g, or both to h, or they stay, at half of
    what each would cost in the other's cluster, whichever is cheapest.  A cannot-link inside g: the
    sample farther from the centre goes to the next cluster, which costs less than to stay and be drawn
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
            labels[far] = _next(D[far], g)


@compiled()
def _next(distances: FloatArray, g: int) -> int:
    """Return the closest cluster other than g, g itself if there is no other."""
    best = g
    for h in range(len(distances)):
        if h != g and (best == g or distances[h] < distances[best]):
            best = h
    return best


def draws(D: FloatArray, labels: IntArray, links: Constraints) -> tuple[IntArray, IntArray, FloatArray]:
    """Return which samples are drawn to which clusters by broken links, and how strongly.

    Each sample of a broken must-link is drawn with one half to the other's cluster; of a broken
    cannot-link the one farther from the centre is drawn with one to its next cluster.
    """
    broken = links.violated(labels)
    i, j = broken.must_links.T
    a, b = broken.cannot_links.T
    g = labels[a]
    far = np.where(D[a, g] > D[b, g], a, b)
    others = D[far].copy()
    others[np.arange(len(far)), g] = np.inf
    sample = np.concatenate([i, j, far])
    cluster = np.concatenate([labels[j], labels[i], others.argmin(axis=1)])
    return sample, cluster, np.repeat([0.5, 1.0], [2 * len(i), len(far)])


def descend(X: FloatArray, links: Constraints, mu: FloatArray, max_iter: int, still: float) -> LocalMinimum:
    """Alternate between assignment and centres until the centres come to rest.

    The objective may rise, as links are settled one by one; the lowest one is returned.
    """
    K = len(mu)
    history: list[float] = []
    best = LocalMinimum(np.empty(0, dtype=np.int64), mu, np.array([np.inf]), False)
    shift = np.inf
    while shift > still and len(history) < max_iter:
        D = squared_distances(X, mu)
        labels = nearest(D)
        settle_links(D, labels, links.must_links, links.cannot_links)
        fill_empty(X, D, labels, np.arange(len(X)))
        sample, cluster, weight = draws(D, labels, links)
        drawn = group_sums(X[sample] * weight[:, None], cluster, K)
        total = np.bincount(labels, minlength=K) + np.bincount(cluster, weight, minlength=K)
        mu_new = (group_sums(X, labels, K) + drawn) / total[:, None]
        spread = ((X - mu_new[labels]) ** 2).sum()
        paid = weight @ ((X[sample] - mu_new[cluster]) ** 2).sum(axis=1)
        history.append(float(spread + paid))
        shift, mu = float(((mu_new - mu) ** 2).sum()), mu_new
        if history[-1] < best.objective[-1]:
            best = LocalMinimum(labels, mu, np.array(history), False)
    return replace(best, converged=shift <= still)


class LCVQE(RestartedClusterer, LloydClusterer):
    r"""Linear-time constrained vector quantization error.

    Seeks a partition l and centres mu that make small

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2
              + \frac{1}{2} \sum_{(i,j) \in M, \, l_i \ne l_j}
                \left( \|x_i - \mu_{l_j}\|^2 + \|x_j - \mu_{l_i}\|^2 \right)
              + \sum_{(i,j) \in C, \, l_i = l_j} \|x_r - \mu_{h(r)}\|^2

    where r is the sample of a broken cannot-link that is farther from its centre, and h(r) the cluster
    next to it.  Broken links draw centres: what they cost follows the distances, with no weight to
    choose.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres mu.

    Notes
    -----
    Readings.  The objective is twice that of [1]_.  Links are settled one after another, must-links
    first, each as the paper's rule says; what is still broken after that draws the centres.  To leave a
    broken cannot-link never costs less than to move, so those that stay were broken by a later
    decision.  Weights of links and what links entail are not used.  The iteration of lowest objective is
    the result, as the objective may rise.

    An iteration takes O(n K d) for the samples and O(K) for each link.

    References
    ----------
    .. [1] D. Pelleg, D. Baras, "K-Means with Large and Noisy Constraint Sets", 2007, section 3.2.
       doi:10.1007/978-3-540-74958-5_67

    Examples
    --------
    >>> from cscluster import LCVQE, Constraints
    >>> X = [[0.0], [1.0], [2.2], [8.0], [9.0]]
    >>> links = Constraints([(2, 3)], n_samples=5)
    >>> labels = LCVQE(n_clusters=2, random_state=0).fit(X, links).labels_
    >>> bool(labels[0] == labels[1] != labels[3] == labels[4])
    True
    """

    weighs_links = False

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`."""
        X, constraints = self._validate(X, constraints)
        random = np.random.RandomState(self.random_state)
        origin = X.mean(axis=0)
        X = X - origin
        still = self.tol * X.var(axis=0).mean()
        starts = [kmeans_plusplus(X, self.n_clusters, random_state=random)[0] for _ in range(self.n_init)]
        return self._end_at((descend(X, constraints, mu, self.max_iter, still) for mu in starts), origin)
