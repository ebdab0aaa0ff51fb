"""Arrays: their types, by the names that all parts of the package use for them; dense ones, and distances."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray
from scipy import sparse

from cscluster.errors import DataError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_ROUNDING = 1e-7
"""What counts as zero, relative to the largest distance."""


def dense(X: Any) -> FloatArray:
    """Return numbers, in a sparse array or not, as a dense array of floats."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def require_memory(owner: str, shape: tuple[int, ...], advice: str) -> None:
    """Refuse an array of numbers that does not fit into the memory that is free.

    Parameters
    ----------
    owner : str
        What needs it, for the message.
    shape : tuple of int
        Shape of the array.
    advice : str
        What to do instead.

    Raises
    ------
    DataError
        With the size of the array and the advice.
    """
    size, free = 8 * math.prod(shape), psutil.virtual_memory().available
    if size > free:
        raise DataError(
            f"{owner} needs an array of {' x '.join(map(str, shape))} numbers, {size / 2**30:.1f} GB, but "
            f"{free / 2**30:.1f} GB are free. {advice[0].upper()}{advice[1:]}."
        )


def checked_distances(D: FloatArray) -> FloatArray:
    """Return a copy of a distance matrix without rounding errors: symmetric, with a zero diagonal.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_samples)
        The matrix.

    Raises
    ------
    DataError
        If the matrix holds no distances; it names what is wrong, and where.
    """
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise DataError(f"A distance matrix must be square, got shape {D.shape}.")
    for rule, is_wrong in _distance_rules(D):
        if is_wrong.any():
            i, j = np.argwhere(is_wrong)[0]
            raise DataError(f"Distances must {rule}, got {D[i, j]:g} from row {i} to row {j}.")
    checked = (D + D.T) / 2
    np.fill_diagonal(checked, 0.0)
    return checked


def _distance_rules(D: FloatArray) -> Iterator[tuple[str, BoolArray]]:
    """Yield what distances must be, and where they are not."""
    yield "be finite", ~np.isfinite(D)
    yield "not be negative", D < 0
    zero = _ROUNDING * D.max()
    yield "be zero on the diagonal", np.diag(np.diag(D) > zero)
    yield "be symmetric", np.abs(D - D.T) > zero
