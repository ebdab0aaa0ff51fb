"""Matrices of distances."""

from __future__ import annotations

import numpy as np

from cscluster.arrays import FloatArray
from cscluster.errors import DataError

_ROUNDING = 1e-7
"""What counts as zero, relative to the largest distance."""


def checked_distances(D: FloatArray) -> FloatArray:
    """Return a copy of a distance matrix without rounding errors: symmetric, with a zero diagonal.

    Raises
    ------
    DataError
        If the matrix holds no distances; it names what is wrong, and where.
    """
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise DataError(f"A distance matrix must be square, got shape {D.shape}.")
    if not np.isfinite(D).all():
        i, j = np.argwhere(~np.isfinite(D))[0]
        raise DataError(f"Distances must be finite, got {D[i, j]} between rows {i} and {j}.")
    if D.min() < 0:
        i, j = np.unravel_index(np.argmin(D), D.shape)
        raise DataError(f"Distances must not be negative, got {D[i, j]:g} between rows {i} and {j}.")
    zero = _ROUNDING * D.max()
    i = int(np.argmax(np.diag(D)))
    if D[i, i] > zero:
        raise DataError(f"A distance matrix must have a zero diagonal, got {D[i, i]:g} for row {i}.")
    gap = np.abs(D - D.T)
    i, j = np.unravel_index(np.argmax(gap), D.shape)
    if gap[i, j] > zero:
        raise DataError(
            f"A distance matrix must be symmetric, got {D[i, j]:g} from row {i} to row {j}, and {D[j, i]:g} "
            "back."
        )
    checked = (D + D.T) / 2
    np.fill_diagonal(checked, 0.0)
    return checked
