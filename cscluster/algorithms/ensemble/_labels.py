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
        scaled = g / g.sum() * (2**16 - 1 - len(g))
        whole = np.rint(scaled)
        slack = np.abs(scaled - whole).sum()
        clusters = np.arange(n_clusters, dtype=L.dtype)
        _round_by_comparison(L, active, g, whole.astype(np.uint16), int(np.ceil(slack)), clusters, labels)
    return labels


@njit(cache=True, nogil=True)
def _round_by_comparison(L, active, gamma, whole, slack, clusters, labels):  # type: ignore[no-untyped-def]
    """Add 16-bit weights in vector registers; recount where rounding them could matter.

    `slack` bounds the error of a difference of two sums of rounded weights.
    """
    n, n_clusters = L.shape[1], len(clusters)
    votes = np.empty((n_clusters, _BLOCK), dtype=np.uint16)
    for start in range(0, n, _BLOCK):
        size = min(_BLOCK, n - start)
        votes[:] = 0
        for a in range(len(active)):
            row, g = L[active[a], start : start + size], whole[a]
            for c in range(n_clusters):
                of_cluster, cluster = votes[c], clusters[c]
                for i in range(size):
                    of_cluster[i] += g if row[i] == cluster else np.uint16(0)
        for i in range(size):
            best, first, second = 0, np.int64(votes[0, i]), np.int64(-1) - slack
            for c in range(1, n_clusters):
                v = np.int64(votes[c, i])
                if v > first:
                    best, first, second = c, v, first
                elif v > second:
                    second = v
            if first - second <= slack:
                best = _recount(L, active, gamma, n_clusters, start + i)
            labels[start + i] = best


@njit(cache=True, nogil=True)
def _recount(L, active, gamma, n_clusters, i):  # type: ignore[no-untyped-def]
    votes = np.zeros(n_clusters)
    for a in range(len(active)):
        votes[L[active[a], i]] += gamma[a]
    return np.argmax(votes)


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
