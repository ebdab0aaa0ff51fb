"""A good assignment of linked nodes to clusters, by local search that never breaks a hard link.

The moves are Kempe chains: node u goes from cluster g to cluster h, the nodes of h that may not be
with it go to g, those of g that may not be with them to h, and so on.  A chain breaks no hard link if
none was broken before; a node without hard links in h is a chain of its own.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from cscluster.algorithms.compiled import compiled
from cscluster.arrays import FloatArray, IntArray

_LONGEST = 100
"""Chains of more nodes than this are not tried: they hardly ever help."""


def improve(cost: FloatArray, labels: IntArray, hard: csr_array, soft: csr_array) -> IntArray:
    """Return labels that no short Kempe chain makes cheaper.

    Parameters
    ----------
    cost : ndarray of shape (n_nodes, n_clusters)
        Cost of each node in each cluster, links aside.
    labels : ndarray of shape (n_nodes,)
        Labels that keep the hard links.
    hard, soft : sparse arrays of shape (n_nodes, n_nodes)
        Ones where two nodes must not be together; cost of being apart (if positive) or together
        (if negative).
    """
    labels = labels.copy()
    _descend(cost, labels, hard.indptr, hard.indices, soft.indptr, soft.indices, soft.data)
    return labels


@compiled()
def _descend(
    cost: FloatArray,
    labels: IntArray,
    hard_starts: IntArray,
    hard_ends: IntArray,
    soft_starts: IntArray,
    soft_ends: IntArray,
    strength: FloatArray,
) -> None:
    """Make the best chain of each node in turn, in place, until no node has one that helps.

    ``partners[u, h]`` counts the nodes of cluster h that u must not be with.
    """
    n, n_clusters = cost.shape
    partners = np.zeros((n, n_clusters), dtype=np.int64)
    for u in range(n):
        for e in range(hard_starts[u], hard_starts[u + 1]):
            partners[u, labels[hard_ends[e]]] += 1
    mark = np.zeros(n, dtype=np.int64)
    chain = np.empty(_LONGEST, dtype=np.int64)
    stamp = 0
    tolerance = 1e-12 * np.abs(cost).max()
    changed = True
    while changed:
        changed = False
        for u in range(n):
            g, best, best_gain = labels[u], -1, tolerance
            for h in range(n_clusters):
                if h == g or partners[u, h] >= _LONGEST:
                    continue
                stamp += 1
                size = _chain(u, h, labels, partners, hard_starts, hard_ends, mark, stamp, chain)
                gain = 0.0
                for w in chain[:size]:
                    to = g + h - labels[w]
                    gain += cost[w, labels[w]] - cost[w, to]
                    for e in range(soft_starts[w], soft_starts[w + 1]):
                        v = soft_ends[e]
                        if mark[v] != stamp:
                            if labels[v] == labels[w]:
                                gain -= strength[e]
                            elif labels[v] == to:
                                gain += strength[e]
                if gain > best_gain:
                    best, best_gain = h, gain
            if best >= 0:
                stamp += 1
                size = _chain(u, best, labels, partners, hard_starts, hard_ends, mark, stamp, chain)
                for w in chain[:size]:
                    before = labels[w]
                    labels[w] = g + best - before
                    for e in range(hard_starts[w], hard_starts[w + 1]):
                        partners[hard_ends[e], before] -= 1
                        partners[hard_ends[e], labels[w]] += 1
                changed = True


@compiled()
def _chain(
    u: int,
    h: int,
    labels: IntArray,
    partners: IntArray,
    starts: IntArray,
    ends: IntArray,
    mark: IntArray,
    stamp: int,
    chain: IntArray,
) -> int:
    """Collect the nodes that change when u goes to cluster h; return their number, 0 if too many."""
    g = labels[u]
    chain[0], mark[u], size, done = u, stamp, 1, 0
    while done < size:
        w = chain[done]
        done += 1
        other = g + h - labels[w]
        if partners[w, other] == 0:
            continue
        for e in range(starts[w], starts[w + 1]):
            v = ends[e]
            if labels[v] == other and mark[v] != stamp:
                if size == _LONGEST or partners[v, labels[w]] >= _LONGEST:
                    return 0
                mark[v] = stamp
                chain[size] = v
                size += 1
    return size
