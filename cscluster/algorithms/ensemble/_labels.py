"""The label store of an ensemble, and compiled kernels that read it once.

Labels are kept as ``L`` of shape (m, n), one row for each partition, in the smallest type that
holds them.  The kernels go through blocks of samples whose results stay in the cache while the
m rows stream by; rows of weight zero are never read.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray

Labels = NDArray[np.unsignedinteger]
Table = NDArray[np.float32]

_BLOCK = 1024
_FEW = 16
"""Up to so many clusters, comparing a label with each of them is faster than looking up its vote."""
_MANY = 4096
"""Of more partitions 16-bit weights would tell too few votes apart."""


def label_type(n_clusters: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest type for labels below `n_clusters`: uint8 up to 255 clusters."""
    return np.dtype(np.min_scalar_type(n_clusters))


def allocate(n_partitions: int, n_samples: int, n_clusters: int, path: str | Path | None = None) -> Labels:
    """Return an uninitialised label store, in memory or memory-mapped to the NPY file `path`."""
    shape, dtype = (n_partitions, n_samples), label_type(n_clusters)
    if path is None:
        return np.empty(shape, dtype=dtype)
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)


def round_votes(L: Labels, gamma: FloatArray, n_clusters: int) -> IntArray:
    """Return the cluster with the largest entry of ``sum_k gamma_k P_k`` for each sample.

    Of equal entries the first wins.
    """
    active = np.flatnonzero(gamma)
    g = gamma[active]
    labels = np.empty(L.shape[1], dtype=np.int64)
    if n_clusters > _FEW or len(g) > _MANY:
        _round_by_scatter(L, active, g, n_clusters, labels)
    else:
        whole, slack = _whole_weights(g)
        _round_by_comparison(L, active, g, whole, slack, n_clusters, labels)
    return labels


def _whole_weights(g: FloatArray) -> tuple[NDArray[np.uint16], int]:
    """Return multiples of the weights, rounded to 16 bits, whose sum has 16 bits as well.

    Also returned is what rounding can add to the difference of two sums at most, or -1 if the
    multiples are whole already; the smallest is, so equal weights are.
    """
    factor = (2**16 - 1 - len(g)) / g.sum()
    if factor * g.min() >= 1:
        factor = np.floor(factor * g.min()) / g.min()
    whole = np.rint(factor * g)
    error = float(np.abs(factor * g - whole).sum())
    return whole.astype(np.uint16), int(np.ceil(error)) if error > 1e-6 else -1


@njit(cache=True, nogil=True)
def _round_by_comparison(L, active, gamma, whole, slack, n_clusters, labels):  # type: ignore[no-untyped-def]
    """Add 16-bit weights in vector registers; recount where rounding them could matter."""
    n, m = L.shape[1], len(active)
    rows = np.zeros((4, _BLOCK), dtype=np.uint16)
    votes = np.empty((n_clusters, _BLOCK), dtype=np.uint16)
    top = np.empty((3, _BLOCK), dtype=np.uint16)
    leader, first, second = top[0], top[1], top[2]  # unpacking would hide that they are contiguous
    g = np.append(whole, np.zeros(3, dtype=np.uint16))
    doubt = np.empty(_BLOCK, dtype=np.int64)
    exact = np.empty((_BLOCK, n_clusters))
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        votes[:] = 0
        for a in range(0, m, 4):
            for b in range(min(4, m - a)):
                _widen(L[active[a + b], start : start + size], rows[b])
            _add_four(votes, rows[0], rows[1], rows[2], rows[3], g[a], g[a + 1], g[a + 2], g[a + 3])
        _two_largest(votes, leader, first, second)
        doubtful = 0
        for i in range(size):
            labels[start + i] = leader[i]
            doubt[doubtful] = start + i
            doubtful += np.int64(first[i]) - np.int64(second[i]) <= slack
        _recount(L, active, gamma, doubt[:doubtful], exact, labels)


@njit(cache=True, nogil=True)
def _widen(row, wide):  # type: ignore[no-untyped-def]
    """Copy labels to 16 bits, the width of votes, so that no comparison has to change it."""
    for i in range(len(row)):
        wide[i] = row[i]


@njit(cache=True, nogil=True)
def _add_four(votes, row0, row1, row2, row3, g0, g1, g2, g3):  # type: ignore[no-untyped-def]
    """Add the weights of four partitions to the votes, of shape (clusters, samples), in one pass."""
    none = np.uint16(0)
    for c in range(len(votes)):
        of_cluster, cluster = votes[c], np.uint16(c)
        for i in range(_BLOCK):
            of_cluster[i] += (
                (g0 if row0[i] == cluster else none)
                + (g1 if row1[i] == cluster else none)
                + (g2 if row2[i] == cluster else none)
                + (g3 if row3[i] == cluster else none)
            )


@njit(cache=True, nogil=True)
def _two_largest(votes, leader, first, second):  # type: ignore[no-untyped-def]
    """Find the first cluster with the most votes, its votes, and the most votes of the others."""
    for i in range(_BLOCK):
        leader[i], first[i], second[i] = 0, votes[0, i], 0
    for c in range(1, len(votes)):
        of_cluster, cluster = votes[c], np.uint16(c)
        for i in range(_BLOCK):  # three short loops, as only short ones become vector instructions
            less = first[i] if of_cluster[i] > first[i] else of_cluster[i]
            second[i] = less if less > second[i] else second[i]
        for i in range(_BLOCK):
            leader[i] = cluster if of_cluster[i] > first[i] else leader[i]
        for i in range(_BLOCK):
            first[i] = of_cluster[i] if of_cluster[i] > first[i] else first[i]


@njit(cache=True, nogil=True)
def _recount(L, active, gamma, samples, votes, labels):  # type: ignore[no-untyped-def]
    """Label some samples by their exact votes."""
    votes[: len(samples)] = 0
    for a in range(len(active)):
        row, g = L[active[a]], gamma[a]
        for q in range(len(samples)):
            votes[q, row[samples[q]]] += g
    for q in range(len(samples)):
        labels[samples[q]] = np.argmax(votes[q])


@njit(cache=True, nogil=True)
def _round_by_scatter(L, active, gamma, n_clusters, labels):  # type: ignore[no-untyped-def]
    n = L.shape[1]
    block = max(1, _BLOCK * _FEW // n_clusters)
    votes = np.empty((block, n_clusters))
    for start in range(0, n, block):
        size = min(block, n - start)
        votes[:] = 0
        for a in range(len(active)):
            row, g = L[active[a], start : start + size], gamma[a]
            for i in range(size):
                votes[i, row[i]] += g
        for i in range(size):
            labels[start + i] = np.argmax(votes[i])


def embed(L: Labels, tables: Table, samples: IntArray | None = None) -> Table:
    """Return ``e_i = sum_k tables[k, L[k, i]]``, of shape (n, M), of all or of some samples."""
    if samples is not None:
        L = L[:, samples]
    E = np.empty((L.shape[1], tables.shape[2]), dtype=np.float32)
    _embed(L, tables, E)
    return E


@njit(cache=True, nogil=True)
def _embed(L, tables, E):  # type: ignore[no-untyped-def]
    (m, n), M = L.shape, E.shape[1]
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        E[start:stop] = 0
        for k in range(m):
            of_partition = tables[k]
            for i in range(start, stop):
                t, e = of_partition[L[k, i]], E[i]
                for q in range(M):
                    e[q] += t[q]


def largest_score(L: Labels, tables: Table, W: Table, offset: Table, *, unit: bool) -> IntArray:
    """Return the column of the largest ``e_i^T W + offset`` for each sample.

    The coordinates ``e = embed(L, tables)``, scaled to length one if `unit`, are never in memory
    all at once.
    """
    labels = np.empty(L.shape[1], dtype=np.int64)
    for start in range(0, L.shape[1], 16 * _BLOCK):
        block = slice(start, start + 16 * _BLOCK)
        E = embed(L[:, block], tables)
        labels[block] = np.argmax((normalized(E) if unit else E) @ W + offset, axis=1)
    return labels


def normalized(E: Table) -> Table:
    """Return rows scaled to length one; rows of zeros stay."""
    length = np.sqrt(np.einsum("ij,ij->i", E, E))
    length[length == 0] = 1
    return E / length[:, None]
