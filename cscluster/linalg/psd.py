"""Functions of symmetric positive semi-definite matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def rank_tolerance(eigenvalues: FloatArray) -> float:
    """Return the value below which an eigenvalue counts as zero."""
    return float(len(eigenvalues) * np.finfo(np.float64).eps * np.abs(eigenvalues).max(initial=0.0))


def inverse_sqrt(A: FloatArray) -> tuple[FloatArray, int]:
    """Return the pseudo-inverse of the symmetric square root of A, and A's rank."""
    values, vectors = np.linalg.eigh(A)
    keep = values > rank_tolerance(values)
    kept = vectors[:, keep]
    return (kept / np.sqrt(values[keep])) @ kept.T, int(keep.sum())
