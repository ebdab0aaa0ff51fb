"""Functions of symmetric positive semi-definite matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from cscluster.arrays import FloatArray


def rank_tolerance(eigenvalues: NDArray[np.floating[Any]]) -> float:
    """Return the value below which an eigenvalue counts as zero."""
    return float(len(eigenvalues) * np.finfo(np.float64).eps * np.abs(eigenvalues).max(initial=0.0))


def inverse_sqrt(A: FloatArray) -> tuple[FloatArray, int]:
    """Return the pseudo-inverse of the symmetric square root of A, and A's rank."""
    values, vectors = np.linalg.eigh(A)
    keep = values > rank_tolerance(values)
    kept = vectors[:, keep]
    return (kept / np.sqrt(values[keep])) @ kept.T, int(keep.sum())


def top_eigenpairs(A: FloatArray, r: int) -> tuple[FloatArray, FloatArray]:
    """Return the r largest eigenvalues, largest first, and their eigenvectors as columns.

    Below a fifth of the spectrum the partial solver (bisection and inverse iteration) is the faster
    one, above it divide and conquer.
    """
    d = len(A)
    if 5 * r < d:
        values, vectors = scipy.linalg.eigh(A, subset_by_index=(d - r, d - 1))
    else:
        values, vectors = np.linalg.eigh(A)
    return values[::-1][:r], vectors[:, ::-1][:, :r]


def sqrt(A: FloatArray) -> FloatArray:
    """Return the symmetric square root of A, rounding errors below zero taken as zero."""
    values, vectors = np.linalg.eigh(A)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def nearest_psd(A: FloatArray, floor: float = 0.0) -> FloatArray:
    """Return the matrix nearest to the symmetric A whose eigenvalues are no smaller than `floor`."""
    values, vectors = np.linalg.eigh(A)
    return (vectors * np.maximum(values, floor)) @ vectors.T


def span(V: FloatArray) -> FloatArray:
    """Return an orthonormal basis, as columns, of a space that holds the rows of V."""
    if len(V) >= V.shape[1]:
        return np.eye(V.shape[1])
    return np.linalg.qr(V.T)[0]
