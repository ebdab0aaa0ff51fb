"""Best assignments of one sample and of a pair, in O(n_clusters) for each.

Scores have shape (m, n_clusters), one row for each sample or each end of m pairs.
"""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray


def best_two(S: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the clusters with the highest and the second highest score in each row."""
    rows = np.arange(len(S))
    first = S.argmax(axis=1)
    rest = S.copy()
    rest[rows, first] = -np.inf
    return first, rest.argmax(axis=1)


def best_together(S1: FloatArray, S2: FloatArray) -> IntArray:
    """Return argmax over z1 = z2 of ``S1[z1] + S2[z2]`` for each pair, eq. (15)."""
    z = (S1 + S2).argmax(axis=1)
    return np.column_stack([z, z])


def best_apart(S1: FloatArray, S2: FloatArray) -> IntArray:
    """Return argmax over z1 != z2 of ``S1[z1] + S2[z2]`` for each pair, eq. (16).

    If both ends prefer the same cluster, one of them takes its second best.
    """
    rows = np.arange(len(S1))
    first1, second1 = best_two(S1)
    first2, second2 = best_two(S2)
    loss1 = S1[rows, first1] - S1[rows, second1]
    loss2 = S2[rows, first2] - S2[rows, second2]
    clash = first1 == first2
    first1_yields = clash & (loss1 < loss2)
    z1 = np.where(first1_yields, second1, first1)
    z2 = np.where(clash & ~first1_yields, second2, first2)
    return np.column_stack([z1, z2])


def pair_scores(S1: FloatArray, S2: FloatArray, z: IntArray) -> FloatArray:
    """Return ``S1[z1] + S2[z2]`` for each pair and its clusters z, shape (m, 2)."""
    rows = np.arange(len(S1))
    return S1[rows, z[:, 0]] + S2[rows, z[:, 1]]
