"""The assignment step: samples without links at once, points with links one after another.

Step 2a of Figure 1 of bilenko2004 lists every pair of the closure.  `assign_points` gives the same labels
without listing them: the penalty of a broken link between points i and j under the metric of a cluster has
the form ``<alpha_i, phi_j>`` (must-link) or ``<beta_i, phi_j>`` (cannot-link), where phi is ``[1]`` if every
broken link costs the same, and ``[1, z, |z|^2]`` if the cost follows a distance.  What i pays against many
partners therefore needs only the sum of their phi, which is kept for each component and cluster while points
move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.partition._closure import Closure
from cscluster.linalg.kernels import squared_norms
from cscluster.linalg.scatter import group_sums

ASSIGNMENTS = ("keep", "reset", "block")
_MANY_UNITS = 8


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


def squared_distances(X: FloatArray, mu: FloatArray, norms: FloatArray | None = None) -> FloatArray:
    """Return ``||x_i - mu_h||^2``, of shape (n_samples, n_centers); `norms` are the `squared_norms` of X."""
    D = X @ (-2.0 * mu.T)
    D += (squared_norms(X) if norms is None else norms)[:, None]
    D += squared_norms(mu)
    return D


def nearest(D: FloatArray) -> IntArray:
    """Return the cluster of least cost for each row of `D`."""
    return D.argmin(axis=1).astype(np.int64, copy=False)


def nearest_centers(X: FloatArray, mu: FloatArray) -> IntArray:
    """Return the nearest of the centres `mu` for each sample; distances are taken from their mean."""
    origin = mu.mean(axis=0)
    return nearest(squared_distances(X - origin, mu - origin))


@dataclass(frozen=True)
class Units:
    """What moves as one, points or whole components, and the links of each; the same in all iterations.

    Attributes
    ----------
    unit : ndarray of shape (n_points,)
        Unit of each point.
    first : ndarray of shape (n_units,)
        First point of each unit.
    component : ndarray of shape (n_units,)
        Component of each unit.
    pairs : ndarray of shape (n_pairs, 2)
        The units of the closure's `pairs`.
    starts, entries : ndarrays
        ``entries[starts[u] : starts[u + 1]]`` are the ends of pairs that are unit u.
    apart_starts, apart : ndarrays
        ``apart[apart_starts[p] : apart_starts[p + 1]]`` are the components that p is separated from.
    gathered : ndarray of shape (n_components,)
        Number of each component among those of many units (`_gathered`), -1 for others.
    gathered_starts, gathered_apart : ndarrays
        The numbers of those that each component is separated from, likewise.
    """

    unit: IntArray
    first: IntArray
    component: IntArray
    pairs: IntArray
    starts: IntArray
    entries: IntArray
    apart_starts: IntArray
    apart: IntArray
    gathered: IntArray
    gathered_starts: IntArray
    gathered_apart: IntArray

    @classmethod
    def of(cls, closure: Closure, are_blocks: bool, n_clusters: int) -> Units:
        """Return the components, or the points, as units."""
        unit = closure.component if are_blocks else np.arange(len(closure.points))
        first = np.unique(unit, return_index=True)[1]
        component = closure.component[first]
        pairs = unit[closure.pairs]
        entries = np.argsort(pairs.ravel(), kind="stable")
        starts = np.searchsorted(pairs.ravel()[entries], np.arange(len(first) + 1))
        sizes = np.bincount(component, minlength=closure.n_components)
        many = _gathered(sizes, closure.separated, n_clusters)
        gathered = np.full(closure.n_components, -1)
        gathered[many] = np.arange(len(many))
        apart, gathered_apart = _lists(closure.separated), _lists(closure.separated[:, many])
        return cls(unit, first, component, pairs, starts, entries, *apart, gathered, *gathered_apart)


def _lists(A: csr_array) -> tuple[IntArray, IntArray]:
    """Return where the columns of each row begin, and the columns; scipy leaves the integer type open."""
    return A.indptr.astype(np.int64), A.indices.astype(np.int64)


def assign_points(
    D: FloatArray,
    labels: IntArray,
    penalties: Penalties,
    closure: Closure,
    units: Units,
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
    units : Units
        What moves as one.
    assignment : {'keep', 'reset', 'block'}
        'keep': a point sees the current labels of all its partners; 'reset': of those visited
        before it; 'block': components move as one.
    rng : Generator
        Draws the order.
    """
    alpha, beta, phi = penalties.alpha, penalties.beta, penalties.phi
    if assignment == "block":
        n_units = len(units.first)
        D, labels = group_sums(D, units.unit, n_units), labels[units.first]
        alpha, beta, phi = (
            np.stack([group_sums(part, units.unit, n_units) for part in factor])
            for factor in (alpha, beta, phi)
        )
    labels = np.full_like(labels, -1) if assignment == "reset" else labels.copy()
    n_clusters, (n_metrics, _, width) = D.shape[1], phi.shape
    n_components, n_gathered = len(units.gathered), int(units.gathered.max(initial=-1)) + 1
    _sweep(
        rng.permutation(len(D)),
        D,
        labels,
        units.component,
        units.apart_starts,
        units.apart,
        alpha,
        beta,
        phi,
        units.pairs,
        closure.is_must,
        np.require(penalties.extra, requirements="W"),  # one signature, and so one compilation
        units.starts,
        units.entries,
        np.empty(n_clusters),
        np.zeros((n_components, n_clusters, width)),
        np.zeros((n_components, n_clusters), dtype=np.int64),
        np.zeros((n_components, n_metrics, width)),
        units.gathered,
        units.gathered_starts,
        units.gathered_apart,
        np.zeros((n_gathered, n_clusters, width)),
        np.zeros((n_gathered, n_clusters), dtype=np.int64),
    )
    return labels[units.unit]


def _gathered(sizes: IntArray, separated: csr_array, n_clusters: int) -> IntArray:
    """Return the components for which sums over all that they are separated from are kept up to date.

    That costs a step for each unit of a separated component that moves; without it each of the component's
    own units takes one for each separated component and cluster.
    """
    alone = sizes * np.diff(separated.indptr) * n_clusters
    return np.flatnonzero((sizes >= _MANY_UNITS) & (alone > separated @ sizes))


@compiled()
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
    cost: FloatArray,
    own: FloatArray,
    count: IntArray,
    total: FloatArray,
    gathered: IntArray,
    apart_indptr: IntArray,
    apart_indices: IntArray,
    apart: FloatArray,
    apart_count: IntArray,
) -> None:
    """Visit the units in `order` and give each, in place, the label of least cost.

    ``own[p, h]`` sums phi over the ``count[p, h]`` units of component p in cluster h, under the
    metric of h; ``total[p, m]`` sums it over all labelled units of p under metric m.  They come as zeros
    and `cost` as scratch: what is allocated in here is compiled as well.

    For a component p of many units, ``apart[gathered[p], h]`` sums ``own[q, h]`` over the components q that p
    is separated from, and ``apart_count`` likewise; those that a unit of q counts in are
    ``apart_indices[apart_indptr[q] : apart_indptr[q + 1]]``.  Others have -1 in `gathered`.

    A unit outside h pays half of each must-link under the metric of h and half under that of the
    partner's cluster.  Up to a constant this is half of ``total`` less ``own``, and where there is
    one metric, ``total`` is constant as well.
    """
    n_clusters, n_metrics = D.shape[1], len(phi)
    one = np.int64(1)  # a literal would be compiled for each value
    for u in range(len(labels)):
        if labels[u] >= 0:
            _count(one, u, component[u], labels[u], phi, own, count, total)
            _gather(one, u, component[u], labels[u], phi, apart_indptr, apart_indices, apart, apart_count)

    for u in order:
        p, current = component[u], labels[u]
        if current >= 0:
            _count(-one, u, p, current, phi, own, count, total)
            _gather(-one, u, p, current, phi, apart_indptr, apart_indices, apart, apart_count)
        for h in range(n_clusters):
            m = h % n_metrics
            cost[h] = D[u, h]
            if count[p, h] > 0:
                cost[h] -= _dot(alpha[m, u], own[p, h])
            if n_metrics > 1:
                cost[h] += 0.5 * _dot(alpha[m, u], total[p, m])
        if gathered[p] >= 0:
            for h in range(n_clusters):
                if apart_count[gathered[p], h] > 0:
                    cost[h] += _dot(beta[h % n_metrics, u], apart[gathered[p], h])
        else:
            for at in range(indptr[p], indptr[p + 1]):
                q = indices[at]
                for h in range(n_clusters):
                    if count[q, h] > 0:
                        cost[h] += _dot(beta[h % n_metrics, u], own[q, h])
        for at in range(starts[u], starts[u + 1]):
            entry = entries[at]
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
        _count(one, u, p, best, phi, own, count, total)
        _gather(one, u, p, best, phi, apart_indptr, apart_indices, apart, apart_count)


@compiled(fastmath={"reassoc", "contract"})
def _dot(a: FloatArray, b: FloatArray) -> float:
    result = 0.0
    for k in range(len(a)):
        result += a[k] * b[k]
    return result


@compiled()
def _count(
    sign: int, u: int, p: int, h: int, phi: FloatArray, own: FloatArray, count: IntArray, total: FloatArray
) -> None:
    """Add unit u of component p to cluster h, or take it out; an empty sum is zero without rounding."""
    count[p, h] += sign
    for k in range(phi.shape[2]):
        own[p, h, k] = own[p, h, k] + sign * phi[h % len(phi), u, k] if count[p, h] else 0.0
        for m in range(len(phi)):
            total[p, m, k] += sign * phi[m, u, k]


@compiled()
def _gather(
    sign: int,
    u: int,
    p: int,
    h: int,
    phi: FloatArray,
    apart_indptr: IntArray,
    apart_indices: IntArray,
    apart: FloatArray,
    apart_count: IntArray,
) -> None:
    """Add unit u of component p to what the large components separated from p keep of cluster h."""
    for at in range(apart_indptr[p], apart_indptr[p + 1]):
        g = apart_indices[at]
        apart_count[g, h] += sign
        for k in range(phi.shape[2]):
            apart[g, h, k] = apart[g, h, k] + sign * phi[h % len(phi), u, k] if apart_count[g, h] else 0.0
