"""Nyström features of the Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.spatial.distance import pdist

from cscluster.algorithms.base import FloatArray

_MEDIAN_SAMPLES = 1000
_FLAT = 1e-12
"""Eigenvalues of the landmarks' matrix below this share of the largest count as zero."""


def typical_distance(X: FloatArray, rng: np.random.Generator) -> float:
    """Return the median distance between two samples, of a random thousand if there are more.

    Where most samples are alike it is zero, and the mean takes its place; where all are, one.
    """
    if len(X) > _MEDIAN_SAMPLES:
        X = X[rng.choice(len(X), _MEDIAN_SAMPLES, replace=False)]
    distances = pdist(X) if len(X) > 1 else np.zeros(1)
    return float(np.median(distances) or distances.mean() or 1.0)


def squared_distances(X: FloatArray, Z: FloatArray) -> FloatArray:
    """Return ``||x_i - z_j||^2``, of shape (len(X), len(Z)), by one matrix product."""
    origin = Z.mean(axis=0)
    X, Z = X - origin, Z - origin
    D = X @ (-2 * Z.T)
    D += np.einsum("ij,ij->i", X, X)[:, None]
    D += np.einsum("ij,ij->i", Z, Z)
    return np.maximum(D, 0, out=D)


@dataclass(frozen=True)
class Nystroem:
    """Features Phi with ``Phi Phi^T`` close to the kernel matrix, and exact on the landmarks.

    The kernel is ``k(x, z) = exp(-||x - z||^2 / sigma^2)``.  For landmarks Z with
    ``k(Z, Z) = U diag(s) U^T`` the features of x are ``s^(-1/2) U^T k(Z, x)``; directions in which
    the landmarks are flat are dropped.

    Attributes
    ----------
    landmarks : ndarray of shape (n_landmarks, n_features)
        The samples Z.
    whitening : ndarray of shape (n_landmarks, n_components)
        ``U s^(-1/2)``.
    """

    sigma: float
    landmarks: FloatArray
    whitening: FloatArray

    @classmethod
    def fit(cls, X: FloatArray, n_landmarks: int, sigma: float, rng: np.random.Generator) -> Self:
        """Choose landmarks at random; `sigma` is in median distances between samples."""
        width = sigma * typical_distance(X, rng)
        landmarks = X[np.sort(rng.choice(len(X), min(n_landmarks, len(X)), replace=False))]
        s, U = np.linalg.eigh(np.exp(-squared_distances(landmarks, landmarks) / width**2))
        kept = s > _FLAT * len(s) * s[-1]
        return cls(width, landmarks, U[:, kept] / np.sqrt(s[kept]))

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the features of samples, of shape (len(X), n_components)."""
        K = squared_distances(X, self.landmarks)
        K /= -(self.sigma**2)
        return np.exp(K, out=K) @ self.whitening
