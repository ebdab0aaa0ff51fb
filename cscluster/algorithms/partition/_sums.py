"""Sums of rows by group."""

from __future__ import annotations

import numpy as np
from numba import njit

from cscluster.algorithms.base import FloatArray, IntArray


@njit(cache=True)
def group_sums(X: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Return the sum of the rows of `X` in each group, of shape (n_groups, n_features)."""
    sums = np.zeros((n_groups, X.shape[1]))
    for i in range(len(X)):
        for k in range(X.shape[1]):
            sums[group[i], k] += X[i, k]
    return sums
