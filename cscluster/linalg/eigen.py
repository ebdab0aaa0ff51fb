"""The leading eigenvectors of symmetric matrices."""

from __future__ import annotations

import inspect
from contextlib import suppress

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from cscluster.arrays import FloatArray, dense

_TAKES_RNG = "rng" in inspect.signature(eigsh).parameters


def leading_eigenvectors(
    A: FloatArray | sparse.sparray,
    count: int,
    rng: np.random.Generator,
    *,
    lapack: int,
    restarts: int | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of A, the largest first, and their eigenvectors.

    By Lanczos' method; by LAPACK, which computes all of them, for small matrices and where eigenvalues
    too close together do not converge.

    Parameters
    ----------
    A : array or sparse array of shape (n, n)
        A symmetric matrix.
    count : int
        How many.
    rng : Generator
        Draws where Lanczos' method starts.
    lapack : int
        Rows up to which LAPACK is used at once.
    restarts : int, optional
        Restarts of Lanczos' method before LAPACK takes over; ten times n by default.

    Returns
    -------
    tuple of ndarray of shape (count,) and ndarray of shape (n, count)
        Eigenvalues, and eigenvectors as columns.
    """
    n = A.shape[0]
    eigenpairs = None
    if n > lapack:
        with suppress(ArpackNoConvergence):
            v0 = rng.standard_normal(n)
            eigenpairs = eigsh(A, k=count, which="LA", v0=v0, maxiter=restarts, **restart_vectors())
    s, V = eigenpairs or np.linalg.eigh(dense(A))
    order = np.argsort(-s)[:count]
    return s[order], V[:, order]


def restart_vectors() -> dict[str, np.random.Generator]:
    """Return the argument that fixes how Lanczos' method leaves an invariant subspace, if SciPy has it."""
    return {"rng": np.random.default_rng(0)} if _TAKES_RNG else {}
