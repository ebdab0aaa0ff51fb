"""A good assignment of constrained nodes to clusters, by local search that violates no hard constraint.

The moves are Kempe chains: node u goes from cluster g to cluster h, the nodes of h that may not be
with it go to g, those of g that may not be with them to h, and so on.  A chain violates no hard
constraint if none was violated before; a node without hard constraints in h is a chain of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from cscluster.algorithms.compiled import compiled, compiled_part
from cscluster.arrays import FloatArray, IntArray

_LONGEST = 100
"""Chains of more nodes than this are not tried: they hardly ever help."""


class _Graph(NamedTuple):
    """The neighbours ``ends[starts[u] : starts[u + 1]]`` of each node u, and the weights of the edges."""

    starts: IntArray
    ends: IntArray
    weights: FloatArray


class _State(NamedTuple):
    """Labels, the number ``partners[u, h]`` of nodes of cluster h that u must not be with, and a chain."""

    labels: IntArray
    partners: IntArray
    mark: IntArray
    chain: IntArray


def improve(cost: FloatArray, labels: IntArray, hard: csr_array, soft: csr_array) -> IntArray:
    """Return labels that no short Kempe chain makes cheaper.

    Parameters
    ----------
    cost : ndarray of shape (n_nodes, n_clusters)
        Cost of each node in each cluster, without penalties.
    labels : ndarray of shape (n_nodes,)
        Labels that satisfy the hard constraints.
    hard, soft : sparse arrays of shape (n_nodes, n_nodes)
        Ones where two nodes must not be together; cost of being apart (if positive) or together
        (if negative).
    """
    labels = labels.copy()
    graphs = (_Graph(graph.indptr, graph.indices, graph.data) for graph in (hard, soft))
    _descend(cost, labels, *graphs)
    return labels


@compiled()
def _descend(cost: FloatArray, labels: IntArray, hard: _Graph, soft: _Graph) -> None:
    """Make the best chain of each node in turn, in place, until no node has one that helps."""
    n, n_clusters = cost.shape
    partners = np.zeros((n, n_clusters), dtype=np.int64)
    for u in range(n):
        for e in range(hard.starts[u], hard.starts[u + 1]):
            partners[u, labels[hard.ends[e]]] += 1
    mark = np.zeros(n, dtype=np.int64)
    chain = np.empty(_LONGEST, dtype=np.int64)
    state = _State(labels, partners, mark, chain)
    stamp = 0
    tolerance = 1e-12 * np.abs(cost).max()
    changed = True
    while changed:
        changed = False
        for u in range(n):
            g, best, best_gain = labels[u], -1, tolerance
            has_soft = soft.starts[u + 1] > soft.starts[u]
            for h in range(n_clusters):
                if h == g or partners[u, h] >= _LONGEST:
                    continue
                if partners[u, h] == 0 and not has_soft:
                    if cost[u, g] - cost[u, h] > best_gain:
                        best, best_gain = h, cost[u, g] - cost[u, h]
                    continue
                stamp += 1
                size = _chain(u, h, state, hard, stamp)
                gain = 0.0
                for w in chain[:size]:
                    to = g + h - labels[w]
                    gain += cost[w, labels[w]] - cost[w, to]
                    for e in range(soft.starts[w], soft.starts[w + 1]):
                        v = soft.ends[e]
                        if mark[v] != stamp:
                            if labels[v] == labels[w]:
                                gain -= soft.weights[e]
                            elif labels[v] == to:
                                gain += soft.weights[e]
                if gain > best_gain:
                    best, best_gain = h, gain
            if best >= 0:
                stamp += 1
                size = _chain(u, best, state, hard, stamp)
                for w in chain[:size]:
                    before = labels[w]
                    labels[w] = g + best - before
                    for e in range(hard.starts[w], hard.starts[w + 1]):
                        partners[hard.ends[e], before] -= 1
                        partners[hard.ends[e], labels[w]] += 1
                changed = True


@compiled_part()
def _chain(u: int, h: int, state: _State, hard: _Graph, stamp: int) -> int:
    """Collect the nodes that change when u goes to cluster h; return their number, 0 if too many."""
    labels, partners, mark, chain = state
    g = labels[u]
    chain[0], mark[u], size, done = u, stamp, 1, 0
    while done < size:
        w = chain[done]
        done += 1
        other = g + h - labels[w]
        if partners[w, other] == 0:
            continue
        for e in range(hard.starts[w], hard.starts[w + 1]):
            v = hard.ends[e]
            if labels[v] == other and mark[v] != stamp:
                if size == _LONGEST or partners[v, labels[w]] >= _LONGEST:
                    return 0
                mark[v] = stamp
                chain[size] = v
                size += 1
    return size
