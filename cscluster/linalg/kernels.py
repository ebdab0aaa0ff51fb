"""Kernel functions, their matrices, and Nyström features where the matrix would be too large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from cscluster.arrays import FloatArray, dense
from cscluster.errors import DataError

Samples: TypeAlias = Any
"""Array or CSR of shape (n_samples, n_features)."""

_BLOCK_BYTES = 2 * 2**20
_MEDIAN_SAMPLES = 2000
_FLAT = 1e-12
"""Eigenvalues of the landmarks' matrix below this share of the largest count as zero."""


@dataclass(frozen=True)
class Kernel:
    """A kernel function with its width.

    Attributes
    ----------
    name : {'gaussian', 'linear'}
        ``k(x, z) = exp(-||x - z||^2 / sigma^2)`` or ``k(x, z) = x^T z``.
    sigma : float
        Width of the Gaussian.
    """

    name: str
    sigma: float = 1.0

    @classmethod
    def of(
        cls, name: str, X: Samples, sigma: float, sigma_unit: str, *, are_distances: bool = False
    ) -> Kernel:
        """Return the kernel `name`; `sigma_unit` says whether `sigma` is in 'median' distances of X.

        X holds samples, or the distances between them.

        Raises
        ------
        DataError
            If the median distance is zero.
        """
        if name == "gaussian" and sigma_unit == "median":
            median = median_of_pairs(X) if are_distances else median_distance(X)
            if median == 0:
                raise DataError(
                    "The median distance between samples is zero, so sigma cannot be a multiple of it. "
                    "Set sigma_unit to 'data'."
                )
            sigma *= median
        return cls(name, float(sigma))

    def __call__(self, X: Samples, Z: Samples | None = None) -> FloatArray:
        """Return the matrix of ``k(x_i, z_j)``, of shape (len(X), len(Z)).

        It is filled in blocks of rows that stay in the cache.
        """
        X, Z = (part.astype(np.float64, copy=False) for part in (X, X if Z is None else Z))
        n, m = X.shape[0], Z.shape[0]
        if self.name == "gaussian":
            X, Z = X / self.sigma, Z / self.sigma
        x2, z2 = squared_norms(X), squared_norms(Z)
        Zt = Z.T.tocsc() if sparse.issparse(Z) else Z.T
        K = np.empty((n, m))
        rows = max(1, _BLOCK_BYTES // (8 * max(m, 1)))
        for start in range(0, n, rows):
            block = K[start : start + rows]
            if sparse.issparse(X) or sparse.issparse(Zt):
                block[:] = dense(X[start : start + rows] @ Zt)
            else:
                np.matmul(X[start : start + rows], Zt, out=block)
            if self.name == "gaussian":
                block *= 2
                block -= x2[start : start + rows, None]
                block -= z2
                np.exp(np.minimum(block, 0, out=block), out=block)
        return K

    def of_distances(self, D: FloatArray) -> FloatArray:
        """Return the kernel of samples at distances D; the linear one up to a term of each sample."""
        return -(D**2) / 2 if self.name == "linear" else np.exp(-((D / self.sigma) ** 2))


@dataclass(frozen=True)
class Nystroem:
    """Features Phi with ``Phi Phi^T`` close to the kernel matrix, and exact on the landmarks.

    For landmarks Z with ``K_ZZ = U diag(s) U^T`` the features of x are ``s^(-1/2) U^T k(Z, x)``;
    directions in which the landmarks are flat are dropped.

    Attributes
    ----------
    landmarks : array-like of shape (n_landmarks, n_features)
        The samples Z.
    whitening : ndarray of shape (n_landmarks, n_components)
        ``U s^(-1/2)``.

    References
    ----------
    .. [1] C. Williams, M. Seeger, "Using the Nyström Method to Speed Up Kernel Machines", 2001.
    """

    kernel: Kernel
    landmarks: Samples
    whitening: FloatArray

    @classmethod
    def fit(cls, kernel: Kernel, X: Samples, n_landmarks: int, rng: np.random.Generator) -> Nystroem:
        """Choose `n_landmarks` samples at random, or all if there are fewer."""
        n = X.shape[0]
        landmarks = X[np.sort(rng.choice(n, size=min(n_landmarks, n), replace=False))]
        s, U = np.linalg.eigh(kernel(landmarks))
        positive = s > _FLAT * len(s) * s[-1]
        return cls(kernel, landmarks, U[:, positive] / np.sqrt(s[positive]))

    def __call__(self, X: Samples) -> FloatArray:
        """Return the features of samples, of shape (len(X), n_components)."""
        return self.kernel(X, self.landmarks) @ self.whitening


def squared_norms(X: Samples) -> FloatArray:
    """Return ``||x_i||^2`` of dense or sparse samples."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


def median_distance(X: Samples) -> float:
    """Return the median distance between two samples; of a fixed draw of 2000 if there are more."""
    n = X.shape[0]
    if n > _MEDIAN_SAMPLES:
        X = X[np.sort(np.random.default_rng(0).choice(n, size=_MEDIAN_SAMPLES, replace=False))]
    X = X.astype(np.float64, copy=False)  # squares of small integers would not fit
    x2 = squared_norms(X)
    return float(np.sqrt(max(median_of_pairs(x2[:, None] + x2 - 2 * dense(X @ X.T)), 0.0)))


def median_of_pairs(D: FloatArray) -> float:
    """Return the median above the diagonal of a square matrix; 0 of a single sample."""
    pairs = D[np.triu_indices(len(D), k=1)]
    return float(np.median(pairs)) if len(pairs) else 0.0


def mean_squared_distance(X: FloatArray) -> float:
    """Return the mean of ``||x_i - x_j||^2`` over pairs of samples: twice the total variance."""
    return float(2 * X.var(axis=0, ddof=1).sum())


def gaussian_weights(squared: FloatArray, width: float) -> FloatArray:
    """Return ``exp(-squared / width)`` of squared distances between neighbours; ones for the width zero."""
    return np.exp(-squared / width) if width > 0 else np.ones_like(squared)


def exponential(X: FloatArray, landmarks: FloatArray, w: float) -> FloatArray:
    """Return ``exp(-||x_i - l_j|| / w)``, an n x m matrix.

    It has a kink at distance zero, hence distances free of cancellation.
    """
    return np.exp(cdist(X, landmarks) / -w)
