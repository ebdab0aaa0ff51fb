"""The assignment step: samples without constraints at once, constrained points one after another.

Step 2a of Figure 1 of bilenko2004 lists every pair of the closure.  `assign_points` gives the same labels
without listing them: the penalty of a violated constraint between points i and j under the metric of a
cluster has the form ``<alpha_i, phi_j>`` (must-link) or ``<beta_i, phi_j>`` (cannot-link), where phi is
``[1]`` if every violation costs the same, and ``[1, z, |z|^2]`` if the cost follows a distance.  What i pays
against many partners therefore needs only the sum of their phi, which is updated for each component and
cluster while points move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from cscluster.algorithms.base import BoolArray, FloatArray, IntArray
from cscluster.algorithms.compiled import compiled, compiled_part
from cscluster.algorithms.partition._closure import Closure
from cscluster.linalg.graph import incident_edges
from cscluster.linalg.scatter import group_sums

ASSIGNMENTS = ("keep", "reset", "block", "greedy")
_MANY_UNITS = 8


class Penalties(NamedTuple):
    """What violated constraints cost under each of `n_metrics` metrics: one, or one for each cluster.

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


class Units(NamedTuple):
    """What moves as one, points or whole components, and the constraints of each; the same in all iterations.

    Attributes
    ----------
    unit : ndarray of shape (n_points,)
        Unit of each point.
    first : ndarray of shape (n_units,)
        First point of each unit.
    component : ndarray of shape (n_units,)
        Component of each unit.
    is_must : ndarray of shape (n_pairs,)
        Whether the closure's `pairs` are must-linked.
    starts, partners, pairs : ndarrays
        From ``starts[u]`` to ``starts[u + 1]``, the partners of unit u in pairs, and the pairs' numbers.
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
    is_must: BoolArray
    starts: IntArray
    partners: IntArray
    pairs: IntArray
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
        edges = incident_edges(unit[closure.pairs], len(first))
        sizes = np.bincount(component, minlength=closure.n_components)
        many = _gathered(sizes, closure.separated, n_clusters)
        gathered = np.full(closure.n_components, -1)
        gathered[many] = np.arange(len(many))
        apart, gathered_apart = _lists(closure.separated), _lists(closure.separated[:, many])
        return cls(unit, first, component, closure.is_must, *edges, *apart, gathered, *gathered_apart)


class _Sums(NamedTuple):
    """Sums of phi over labelled units.

    ``own[p, h]`` is over the ``size[p, h]`` units of component p in cluster h, under the metric of h;
    ``total[p, m]`` over all labelled units of p, under metric m.  For a component p of many units,
    ``apart[gathered[p], h]`` sums ``own[q, h]`` over the components q that p is separated from, and
    ``apart_size`` likewise.
    """

    own: FloatArray
    size: IntArray
    total: FloatArray
    apart: FloatArray
    apart_size: IntArray

    @classmethod
    def zeros(cls, units: Units, n_clusters: int, n_metrics: int, width: int) -> _Sums:
        """Return the sums over no unit."""
        n_components, n_gathered = len(units.gathered), int(units.gathered.max(initial=-1)) + 1
        return cls(
            np.zeros((n_components, n_clusters, width)),
            np.zeros((n_components, n_clusters), dtype=np.int64),
            np.zeros((n_components, n_metrics, width)),
            np.zeros((n_gathered, n_clusters, width)),
            np.zeros((n_gathered, n_clusters), dtype=np.int64),
        )


def _lists(A: csr_array) -> tuple[IntArray, IntArray]:
    """Return where the columns of each row begin, and the columns; scipy leaves the integer type open."""
    return A.indptr.astype(np.int64), A.indices.astype(np.int64)


def assign_points(
    D: FloatArray,
    labels: IntArray,
    penalties: Penalties,
    units: Units,
    assignment: str,
    rng: np.random.Generator,
) -> IntArray:
    """Return new labels of the points, each visited once, in random or greedy order.

    Parameters
    ----------
    D : ndarray of shape (n_points, n_clusters)
        Cost of each point in each cluster, without penalties.
    labels : ndarray of shape (n_points,)
        Current labels, -1 for points without one.
    penalties : Penalties
        What violated constraints cost.
    units : Units
        What moves as one.
    assignment : {'keep', 'reset', 'block', 'greedy'}
        'keep': a point sees the current labels of all its partners; 'reset': of those visited
        before it; 'block': components move as one; 'greedy': as 'keep', in greedy order.
    rng : Generator
        Draws the order.
    """
    alpha, beta, phi, extra = penalties
    if assignment == "block":
        n_units = len(units.first)
        D, labels = group_sums(D, units.unit, n_units), labels[units.first]
        alpha, beta, phi = (
            np.stack([group_sums(part, units.unit, n_units) for part in factor])
            for factor in (alpha, beta, phi)
        )
    labels = np.full_like(labels, -1) if assignment == "reset" else labels.copy()
    extra = np.require(extra, requirements="W")  # one signature, and so one compilation
    sums = _Sums.zeros(units, D.shape[1], len(phi), phi.shape[2])
    order = greedy_order(D, units) if assignment == "greedy" else rng.permutation(len(D))
    scratch = np.empty(D.shape[1])
    _sweep(order, D, labels, Penalties(alpha, beta, phi, extra), units, sums, scratch)
    return labels[units.unit]


def greedy_order(D: FloatArray, units: Units) -> IntArray:
    """Return points by their number of constraints in the closure, then by distance to the nearest center."""
    sizes = np.bincount(units.component)
    apart = np.array([sizes[each].sum() for each in np.split(units.apart, units.apart_starts[1:-1])])
    n_constraints = (sizes + apart)[units.component] + np.diff(units.starts)
    return np.lexsort((D.min(axis=1), n_constraints))


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
    penalties: Penalties,
    units: Units,
    sums: _Sums,
    cost: FloatArray,
) -> None:
    """Visit the units in `order` and give each, in place, the label of least cost.

    `sums` come as zeros and `cost` as scratch: what is allocated in here is compiled as well.

    A unit outside h pays half of each must-link under the metric of h and half under that of the
    partner's cluster.  Up to a constant this is half of ``total`` less ``own``, and where there is
    one metric, ``total`` is constant as well.
    """
    alpha, beta, phi, extra = penalties
    own, size, total = sums.own, sums.size, sums.total
    n_clusters, n_metrics = D.shape[1], len(phi)
    one = np.int64(1)  # a literal would be compiled for each value
    for u in range(len(labels)):
        if labels[u] >= 0:
            _add(one, u, labels[u], phi, units, sums)

    for u in order:
        p, current = units.component[u], labels[u]
        if current >= 0:
            _add(-one, u, current, phi, units, sums)
        for h in range(n_clusters):
            m = h % n_metrics
            cost[h] = D[u, h]
            if size[p, h] > 0:
                cost[h] -= _dot(alpha[m, u], own[p, h])
            if n_metrics > 1:
                cost[h] += 0.5 * _dot(alpha[m, u], total[p, m])
        g = units.gathered[p]
        if g >= 0:
            for h in range(n_clusters):
                if sums.apart_size[g, h] > 0:
                    cost[h] += _dot(beta[h % n_metrics, u], sums.apart[g, h])
        else:
            for at in range(units.apart_starts[p], units.apart_starts[p + 1]):
                q = units.apart[at]
                for h in range(n_clusters):
                    if size[q, h] > 0:
                        cost[h] += _dot(beta[h % n_metrics, u], own[q, h])
        for at in range(units.starts[u], units.starts[u + 1]):
            pair, partner = units.pairs[at], units.partners[at]
            g = labels[partner]
            if partner == u or g < 0:
                continue
            if units.is_must[pair]:
                for h in range(n_clusters):
                    if h != g:
                        cost[h] += 0.5 * (extra[pair, h] + extra[pair, g])
            else:
                cost[g] += extra[pair, g]
        best = max(current, 0)
        for h in range(n_clusters):
            if cost[h] < cost[best]:
                best = h
        labels[u] = best
        _add(one, u, best, phi, units, sums)


@compiled_part(fastmath={"reassoc", "contract"})
def _dot(a: FloatArray, b: FloatArray) -> float:
    result = 0.0
    for k in range(len(a)):
        result += a[k] * b[k]
    return result


@compiled_part()
def _add(sign: int, u: int, h: int, phi: FloatArray, units: Units, sums: _Sums) -> None:
    """Add unit u to the sums of cluster h, or subtract it; an empty sum is zero without rounding."""
    own, size, total = sums.own, sums.size, sums.total
    apart, apart_size = sums.apart, sums.apart_size
    p, m = units.component[u], h % len(phi)
    size[p, h] += sign
    for k in range(phi.shape[2]):
        own[p, h, k] = own[p, h, k] + sign * phi[m, u, k] if size[p, h] else 0.0
        for each in range(len(phi)):
            total[p, each, k] += sign * phi[each, u, k]
    for at in range(units.gathered_starts[p], units.gathered_starts[p + 1]):
        g = units.gathered_apart[at]
        apart_size[g, h] += sign
        for k in range(phi.shape[2]):
            apart[g, h, k] = apart[g, h, k] + sign * phi[m, u, k] if apart_size[g, h] else 0.0
