"""The label store of an ensemble, and what is computed by reading it once.

Labels are stored as ``L`` of shape (m, n), one row for each partition, in the smallest type that
holds them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.compiled import compiled

Labels = NDArray[np.unsignedinteger]
Table = NDArray[np.float32]

_BLOCK = 2048
"""Samples that are worked on at once, so that what is computed of them stays in the cache."""


def allocate(n_partitions: int, n_samples: int, n_clusters: int, path: str | Path | None = None) -> Labels:
    """Return an uninitialised label store, in memory or memory-mapped to the NPY file `path`.

    It has the smallest type for labels below `n_clusters`: uint8 up to 255 clusters.
    """
    shape, dtype = (n_partitions, n_samples), np.min_scalar_type(n_clusters)
    if path is None:
        return np.empty(shape, dtype=dtype)
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)


@compiled(nogil=True)
def round_votes(L: Labels, gamma: FloatArray, n_clusters: int) -> IntArray:
    """Return the column of the largest entry in each row of ``F = sum_k gamma_k P_k``; the first of equals.

    F is never in memory all at once, and rows of weight zero are not read.
    """
    labels = np.empty(L.shape[1], dtype=np.int64)
    active, votes = np.flatnonzero(gamma), np.zeros((_BLOCK, n_clusters))
    for start in range(0, len(labels), len(votes)):
        size = min(len(votes), len(labels) - start)
        for k in active:
            for i in range(size):
                votes[i, L[k, start + i]] += gamma[k]
        for i in range(size):
            best = 0
            for c in range(votes.shape[1]):
                if votes[i, c] > votes[i, best]:
                    best = c
            labels[start + i] = best
            for c in range(votes.shape[1]):
                votes[i, c] = 0.0
    return labels


def embed(L: Labels, tables: Table) -> Table:
    """Return ``e_i = sum_k tables[k, L[k, i]]``, of shape (n, M)."""
    E = np.zeros((L.shape[1], tables.shape[2]), dtype=np.float32)
    summand = np.empty((_BLOCK, tables.shape[2]), dtype=np.float32)
    for start in range(0, len(E), _BLOCK):
        e = E[start : start + _BLOCK]
        for table, row in zip(tables, L[:, start : start + _BLOCK], strict=True):
            e += np.take(table, row, axis=0, out=summand[: len(e)], mode="clip")  # 'raise' would copy
    return E


def largest_score(L: Labels, tables: Table, W: Table, offset: Table, *, unit: bool) -> IntArray:
    """Return the column of the largest ``e_i^T W + offset`` for each sample.

    The coordinates ``e = embed(L, tables)``, scaled to length one if `unit`, are never in memory
    all at once.
    """
    labels = np.empty(L.shape[1], dtype=np.int64)
    for start in range(0, L.shape[1], 8 * _BLOCK):
        block = slice(start, start + 8 * _BLOCK)
        E = embed(L[:, block], tables)
        labels[block] = np.argmax((normalized(E) if unit else E) @ W + offset, axis=1)
    return labels


def normalized(E: Table) -> Table:
    """Return rows scaled to length one; rows of zeros stay."""
    length = np.sqrt(np.einsum("ij,ij->i", E, E))
    length[length == 0] = 1
    return E / length[:, None]
