"""Sums of rows by group."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from cscluster.algorithms.base import FloatArray, IntArray


def group_sums(X: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Return the sum of the rows of `X` in each group, of shape (n_groups, n_features)."""
    n = len(X)
    members = csr_array((np.ones(n), group, np.arange(n + 1)), shape=(n, n_groups))
    return np.asarray(members.T @ X)
