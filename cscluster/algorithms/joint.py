"""Labels of linked samples, chosen together, from any method's costs of samples in clusters."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import sparse

from cscluster.algorithms.base import BoolArray, FloatArray, IntArray
from cscluster.constraints import Constraints

_RISING = (0.03, 0.1, 0.3, 1.0)
"""The search begins with cheap links and ends with their full cost, each time from where it was."""
_MAX_SWEEPS = 50

LINK_PRICE = 3.0
"""What a broken link costs where costs are squared distances, in units of a sample's mean cost."""


def joint_labels(cost: FloatArray, links: Constraints, w: float) -> IntArray:
    r"""Return labels that weigh the costs of samples against the links that they break.

    Minimises by local search

    .. math:: \sum_i c_{i l_i} + w \sum_{(i,j) \in M} w_{ij} [l_i \ne l_j]
              + w \sum_{(i,j) \in C} w_{ij} [l_i = l_j]

    over the labels l of linked samples; a sample without links takes its cheapest cluster.  Moves are
    those of one sample and of a whole must-link component; starts are the cheapest cluster of each sample
    and of each component.  Only given links count, so that one wrong must-link can be broken at its own
    cost, however large the components are that it joins.

    Parameters
    ----------
    cost : ndarray of shape (n_samples, n_clusters)
        Cost of each sample in each cluster.
    links : Constraints
        The links.
    w : float
        Cost of breaking a link of weight one.
    """
    labels = cost.argmin(axis=1).astype(np.int64)
    points = links.touched
    if not len(points):
        return labels
    c = np.ascontiguousarray(cost[points])
    component = np.unique(links.components[points], return_inverse=True)[1]
    largest_first = np.argsort(np.argsort(-np.bincount(component), kind="stable"), kind="stable")
    component = largest_first[component]
    members = np.argsort(component, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(component))])
    ends = np.searchsorted(points, np.concatenate([links.must_links, links.cannot_links]))
    is_must = np.arange(len(ends)) < len(links.must_links)
    weight = np.concatenate([links.must_weights, links.cannot_weights])
    graph = _adjacency(ends, len(points))
    together = sparse.csr_array((np.ones(len(points)), (component, np.arange(len(points))))) @ c
    best, lowest = labels[points], np.inf
    for start in (labels[points], together.argmin(axis=1)[component]):
        candidate = start.astype(np.int64)
        for share in _RISING:
            _descend(c, candidate, component, members, bounds, *graph, is_must, w * share * weight)
        broken = (candidate[ends[:, 0]] == candidate[ends[:, 1]]) != is_must
        value = c[np.arange(len(c)), candidate].sum() + w * weight[broken].sum()
        if value < lowest:
            best, lowest = candidate, value
    labels[points] = best
    return labels


def _adjacency(ends: IntArray, n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return starts, neighbours and numbers of the links of each of n points."""
    from_ = ends.ravel()
    to = ends[:, ::-1].ravel()
    order = np.argsort(from_, kind="stable")
    return np.searchsorted(from_[order], np.arange(n + 1)), to[order], order // 2


@njit(cache=True)
def _descend(
    c: FloatArray,
    labels: IntArray,
    component: IntArray,
    members: IntArray,
    bounds: IntArray,
    starts: IntArray,
    neighbours: IntArray,
    number: IntArray,
    is_must: BoolArray,
    price: FloatArray,
) -> None:
    """Move components and samples, in place, as long as that lowers the objective."""
    for _ in range(_MAX_SWEEPS):
        moved = False
        for p in range(len(bounds) - 1):
            group = members[bounds[p] : bounds[p + 1]]
            if len(group) > 1:
                moved |= _move(group, c, labels, component, starts, neighbours, number, is_must, price)
            for k in range(len(group)):
                one = group[k : k + 1]
                moved |= _move(one, c, labels, component, starts, neighbours, number, is_must, price)
        if not moved:
            return


@njit(cache=True)
def _move(
    group: IntArray,
    c: FloatArray,
    labels: IntArray,
    component: IntArray,
    starts: IntArray,
    neighbours: IntArray,
    number: IntArray,
    is_must: BoolArray,
    price: FloatArray,
) -> bool:
    """Give a component, or one sample, the cluster of least cost; tell whether that is lower than before."""
    n_clusters = c.shape[1]
    cost, now = np.zeros(n_clusters), 0.0
    for i in group:
        for h in range(n_clusters):
            cost[h] += c[i, h]
        now += c[i, labels[i]]
        for e in range(starts[i], starts[i + 1]):
            j, link = neighbours[e], number[e]
            inside = len(group) > 1 and component[j] == component[i]  # counted from both of its ends
            of_link = price[link] / 2 if inside else price[link]
            if (labels[i] == labels[j]) != is_must[link]:
                now += of_link
            for h in range(n_clusters):
                same = inside or h == labels[j]
                if same != is_must[link]:
                    cost[h] += of_link
    best = cost.argmin()
    if not cost[best] < now - 1e-12 * (1 + abs(now)):
        return False
    labels[group] = best
    return True
