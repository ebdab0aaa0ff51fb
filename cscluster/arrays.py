"""Arrays: their types, by the names that all parts of the package use for them, and dense ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray
from scipy import sparse

from cscluster.errors import DataError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


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
        What to do instead: the end of the sentence.

    Raises
    ------
    DataError
        With the size of the array and the advice.
    """
    size, free = 8 * math.prod(shape), psutil.virtual_memory().available
    if size > free:
        raise DataError(
            f"{owner} needs an array of {' x '.join(map(str, shape))} numbers, {size / 2**30:.1f} GB, but "
            f"{free / 2**30:.1f} GB are free; {advice}."
        )
