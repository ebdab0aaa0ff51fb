"""Arrays: their types, by the names that all parts of the package use for them, and dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def dense(X: Any) -> FloatArray:
    """Return numbers, in a sparse array or not, as a dense array of floats."""
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
