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


def is_positive_semidefinite(A: FloatArray) -> bool:
    """Tell, up to rounding, whether A is symmetric without negative eigenvalues."""
    size = float(np.abs(A).max(initial=0.0))
    symmetric = np.allclose(A, A.T, rtol=0, atol=1e-8 * size)
    return symmetric and _has_cholesky(A, 1e-10 * len(A) * (size or 1.0))


def is_positive_definite(A: FloatArray) -> bool:
    """Tell whether all eigenvalues of the symmetric A lie well above its rank tolerance."""
    bound = float(np.abs(A).sum(axis=1).max(initial=0.0))
    return _has_cholesky(A, -2 * len(A) * np.finfo(np.float64).eps * bound)


def _has_cholesky(A: FloatArray, shift: float) -> bool:
    """Tell whether ``A + shift I`` is positive definite."""
    try:
        np.linalg.cholesky(A + shift * np.eye(len(A)))
    except np.linalg.LinAlgError:
        return False
    return True


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
