"""Best assignments of pairs in O(n_clusters) for each, never O(n_clusters^2)."""

from __future__ import annotations

import numpy as np
from numba import njit

from cscluster.algorithms.base import FloatArray, IntArray


@njit(cache=True)
def best_together(s1: FloatArray, s2: FloatArray) -> tuple[int, int]:
    """Return argmax over z1 = z2 of ``s1[z1] + s2[z2]``, eq. (15)."""
    best = 0
    for z in range(1, len(s1)):
        if s1[z] + s2[z] > s1[best] + s2[best]:
            best = z
    return best, best


@njit(cache=True)
def best_apart(s1: FloatArray, s2: FloatArray) -> tuple[int, int]:
    """Return argmax over z1 != z2 of ``s1[z1] + s2[z2]``, eq. (16).

    If both ends prefer the same cluster, the one that loses less takes its second best.
    """
    first1, second1 = top_two(s1)
    first2, second2 = top_two(s2)
    if first1 != first2:
        return first1, first2
    if s1[first1] - s1[second1] < s2[first2] - s2[second2]:
        return second1, first2
    return first1, second2


@njit(cache=True)
def top_two(s: FloatArray) -> tuple[int, int]:
    """Return the places of the highest and the second highest score."""
    first, second = (0, 1) if s[0] >= s[1] else (1, 0)
    for z in range(2, len(s)):
        if s[z] > s[first]:
            first, second = z, first
        elif s[z] > s[second]:
            second = z
    return first, second


@njit(cache=True)
def best_assignments(S: FloatArray, pairs: IntArray, n_must: int, keep: bool) -> IntArray:
    """Return the best assignments that keep, or that break, each link, shape (n_pairs, 2).

    The first `n_must` pairs are must-links, the others cannot-links.
    """
    z = np.empty_like(pairs)
    for j in range(len(pairs)):
        s1, s2 = S[pairs[j, 0]], S[pairs[j, 1]]
        z[j, 0], z[j, 1] = best_together(s1, s2) if (j < n_must) == keep else best_apart(s1, s2)
    return z


def pair_scores(S: FloatArray, pairs: IntArray, z: IntArray) -> FloatArray:
    """Return ``S[j1, z1] + S[j2, z2]`` for each pair (j1, j2) and its clusters (z1, z2)."""
    return S[pairs[:, 0], z[:, 0]] + S[pairs[:, 1], z[:, 1]]
