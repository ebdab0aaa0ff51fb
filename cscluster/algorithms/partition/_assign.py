"""The assignment step: samples without links at once, points with links one after another.

The penalty of a broken link between points i and j under the metric of a cluster has the form
``<alpha_i, phi_j>`` (must-link) or ``<beta_i, phi_j>`` (cannot-link): phi is ``[1]`` where every
broken link costs the same, and ``[1, z, |z|^2]`` where the cost is a distance.  What i pays
against many partners therefore needs only the sum of their phi, which is kept for each component
and cluster while points move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.partition._closure import Closure
from cscluster.algorithms.partition._sums import group_sums

ASSIGNMENTS = ("keep", "reset", "block")


@dataclass(frozen=True)
class Penalties:
    """What broken links cost under each of `n_metrics` metrics: one, or one for each cluster.

    Attributes
    ----------
    alpha, beta, phi : ndarrays of shape (n_metrics, n_points, r)
        Factors of the penalties of must-links and cannot-links.
    extra : ndarray of shape (n_pairs, n_clusters)
        Cost of each of the closure's `pairs` under the metric of each cluster.
    """

    alpha: FloatArray
    beta: FloatArray
    phi: FloatArray
    extra: FloatArray


def squared_distances(X: FloatArray, mu: FloatArray) -> FloatArray:
    """Return ``||x_i - mu_h||^2``, of shape (n_samples, n_centers)."""
    D = X @ (-2.0 * mu.T)
    D += np.einsum("ij,ij->i", X, X)[:, None]
    D += np.einsum("ij,ij->i", mu, mu)
    return D


def nearest(D: FloatArray) -> IntArray:
    """Return the cluster of least cost for each row of `D`."""
    return D.argmin(axis=1).astype(np.int64, copy=False)


def assign_points(
    D: FloatArray,
    labels: IntArray,
    penalties: Penalties,
    closure: Closure,
    assignment: str,
    rng: np.random.Generator,
) -> IntArray:
    """Return new labels of the points, each visited once, in random order.

    Parameters
    ----------
    D : ndarray of shape (n_points, n_clusters)
        Cost of each point in each cluster, links aside.
    labels : ndarray of shape (n_points,)
        Current labels, -1 for points without one.
    penalties : Penalties
        What broken links cost.
    closure : Closure
        The links.
    assignment : {'keep', 'reset', 'block'}
        'keep': a point sees the current labels of all its partners; 'reset': of those visited
        before it; 'block': components move as one.
    rng : Generator
        Draws the order.
    """
    alpha, beta, phi = penalties.alpha, penalties.beta, penalties.phi
    unit, component = np.arange(len(labels)), closure.component
    if assignment == "block":
        unit, component = component, np.arange(closure.n_components)
        first = np.unique(unit, return_index=True)[1]
        D, labels = group_sums(D, unit, len(first)), labels[first]
        alpha, beta, phi = (
            np.stack([group_sums(part, unit, len(first)) for part in factor]) for factor in (alpha, beta, phi)
        )
    pairs = unit[closure.pairs]
    entries = np.argsort(pairs.ravel(), kind="stable")
    starts = np.searchsorted(pairs.ravel()[entries], np.arange(len(D) + 1))
    labels = np.full_like(labels, -1) if assignment == "reset" else labels.copy()
    _sweep(
        rng.permutation(len(D)),
        D,
        labels,
        component,
        closure.separated.indptr,
        closure.separated.indices,
        alpha,
        beta,
        phi,
        pairs,
        closure.is_must,
        penalties.extra,
        starts,
        entries,
    )
    return labels[unit]


@njit(cache=True, fastmath={"reassoc"})
def _sweep(
    order: IntArray,
    D: FloatArray,
    labels: IntArray,
    component: IntArray,
    indptr: IntArray,
    indices: IntArray,
    alpha: FloatArray,
    beta: FloatArray,
    phi: FloatArray,
    pairs: IntArray,
    is_must: NDArray[np.bool_],
    extra: FloatArray,
    starts: IntArray,
    entries: IntArray,
) -> None:
    """Visit the units in `order` and give each, in place, the label of least cost.

    ``own[p, h]`` sums phi over the units of component p in cluster h under the metric of h,
    ``total[p, m]`` over all its units under metric m, and ``apart[p, h]`` over the units in
    cluster h from which component p is separated.
    """
    n_clusters, (n_metrics, _, r) = D.shape[1], phi.shape
    n_components = len(indptr) - 1
    own = np.zeros((n_components, n_clusters, r))
    apart = np.zeros((n_components, n_clusters, r))
    total = np.zeros((n_components, n_metrics, r))
    metric = np.arange(n_clusters) % n_metrics

    for u in range(len(labels)):
        if labels[u] >= 0:
            _move(u, labels[u], 1.0, own, apart, total, metric, component, indptr, indices, phi)

    cost = np.empty(n_clusters)
    for u in order:
        p, current = component[u], labels[u]
        if current >= 0:
            _move(u, current, -1.0, own, apart, total, metric, component, indptr, indices, phi)
        for h in range(n_clusters):
            m = metric[h]
            penalty = 0.0
            for k in range(r):
                penalty += alpha[m, u, k] * (0.5 * total[p, m, k] - own[p, h, k])
                penalty += beta[m, u, k] * apart[p, h, k]
            cost[h] = D[u, h] + penalty
        for entry in entries[starts[u] : starts[u + 1]]:
            link = entry // 2
            partner = pairs[link, 1 - entry % 2]
            g = labels[partner]
            if partner == u or g < 0:
                continue
            if is_must[link]:
                for h in range(n_clusters):
                    if h != g:
                        cost[h] += 0.5 * (extra[link, h] + extra[link, g])
            else:
                cost[g] += extra[link, g]
        best = max(current, 0)
        for h in range(n_clusters):
            if cost[h] < cost[best]:
                best = h
        labels[u] = best
        _move(u, best, 1.0, own, apart, total, metric, component, indptr, indices, phi)


@njit(cache=True)
def _move(
    u: int,
    h: int,
    sign: float,
    own: FloatArray,
    apart: FloatArray,
    total: FloatArray,
    metric: IntArray,
    component: IntArray,
    indptr: IntArray,
    indices: IntArray,
    phi: FloatArray,
) -> None:
    """Put unit u into cluster h (`sign` 1) or take it out (`sign` -1)."""
    p, m = component[u], metric[h]
    for k in range(phi.shape[2]):
        own[p, h, k] += sign * phi[m, u, k]
        for every in range(phi.shape[0]):
            total[p, every, k] += sign * phi[every, u, k]
    for q in indices[indptr[p] : indptr[p + 1]]:
        for k in range(phi.shape[2]):
            apart[q, h, k] += sign * phi[m, u, k]
