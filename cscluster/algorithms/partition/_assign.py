"""The assignment step: samples without links at once, points with links one after another.

The penalty of a broken link between points i and j under the metric of a cluster has the form
``<alpha_i, phi_j>`` (must-link) or ``<beta_i, phi_j>`` (cannot-link): phi is ``[1]`` where every
broken link costs the same, and ``[1, z, |z|^2]`` where the cost follows a distance.  What i pays
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


@njit(cache=True)
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

    ``own[p, h]`` sums phi over the ``count[p, h]`` units of component p in cluster h, under the
    metric of h; ``total[p, m]`` sums it over all labelled units of p under metric m.

    A unit outside h pays half of each must-link under the metric of h and half under that of the
    partner's cluster.  Up to a constant this is half of ``total`` less ``own``, and where there is
    one metric, ``total`` is constant as well.
    """
    n_clusters, n_metrics, n_components = D.shape[1], len(phi), len(indptr) - 1
    metric = np.arange(n_clusters) % n_metrics
    own = np.empty((n_components, n_clusters, phi.shape[2]))
    count = np.zeros((n_components, n_clusters), dtype=np.int64)
    total = np.zeros((n_components, n_metrics, phi.shape[2]))

    for u in range(len(labels)):
        if labels[u] >= 0:
            _enter(component[u], labels[u], phi[:, u], metric, own, count, total)

    cost = np.empty(n_clusters)
    for u in order:
        p, current = component[u], labels[u]
        if current >= 0:
            _leave(p, current, phi[:, u], metric, own, count, total)
        for h in range(n_clusters):
            m = metric[h]
            cost[h] = D[u, h]
            if count[p, h] > 0:
                cost[h] -= _dot(alpha[m, u], own[p, h])
            if n_metrics > 1:
                cost[h] += 0.5 * _dot(alpha[m, u], total[p, m])
        for q in indices[indptr[p] : indptr[p + 1]]:
            for h in range(n_clusters):
                if count[q, h] > 0:
                    cost[h] += _dot(beta[metric[h], u], own[q, h])
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
        _enter(p, best, phi[:, u], metric, own, count, total)


@njit(cache=True, fastmath={"reassoc", "contract"})
def _dot(a: FloatArray, b: FloatArray) -> float:
    result = 0.0
    for k in range(len(a)):
        result += a[k] * b[k]
    return result


@njit(cache=True)
def _enter(
    p: int,
    h: int,
    phi: FloatArray,
    metric: IntArray,
    own: FloatArray,
    count: IntArray,
    total: FloatArray,
) -> None:
    """Add a unit of component p to cluster h."""
    if count[p, h] == 0:
        own[p, h] = phi[metric[h]]
    else:
        own[p, h] += phi[metric[h]]
    count[p, h] += 1
    total[p] += phi


@njit(cache=True)
def _leave(
    p: int,
    h: int,
    phi: FloatArray,
    metric: IntArray,
    own: FloatArray,
    count: IntArray,
    total: FloatArray,
) -> None:
    """Take a unit of component p out of cluster h."""
    own[p, h] -= phi[metric[h]]
    count[p, h] -= 1
    total[p] -= phi
