"""Graphs as sparse matrices."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from cscluster.arrays import FloatArray, IntArray


def adjacency(pairs: IntArray, values: FloatArray, n: int) -> csr_array:
    """Return the symmetric matrix of a graph on n nodes with a value on each edge."""
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    return csr_array((np.tile(values, 2), tuple(ends.T)), shape=(n, n))


def root_degrees(W: csr_array) -> FloatArray:
    """Return the square roots of the degrees of a graph.

    A node whose weights are all too small for a float counts as one of the smallest positive degree.
    """
    degrees = np.asarray(W.sum(axis=1)).ravel()
    return np.sqrt(np.where(degrees > 0, degrees, degrees[degrees > 0].min()))


def normalised(A: csr_array, root: FloatArray) -> csr_array:
    """Return ``D^(-1/2) A D^(-1/2)``, where `root` holds the diagonal of ``D^(1/2)``."""
    return A.multiply(1 / root[:, None]).multiply(1 / root).tocsr()


def incident_edges(pairs: IntArray, n: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return starts, neighbours and numbers of the edges of each of n nodes."""
    ends = pairs.ravel()
    order = np.argsort(ends, kind="stable")
    return np.searchsorted(ends[order], np.arange(n + 1)), pairs[:, ::-1].ravel()[order], order // 2
