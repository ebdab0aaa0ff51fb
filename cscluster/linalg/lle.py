"""Locally linear reconstruction: each sample as an affine mix of its nearest neighbours."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from cscluster.arrays import FloatArray, IntArray
from cscluster.errors import ParameterError

_BATCH_NUMBERS = 500_000


def nearest_neighbours(X: FloatArray, k: int) -> IntArray:
    """Return the numbers of the k nearest other samples of each sample, an n x k matrix."""
    if k >= len(X):
        raise ParameterError(f"'n_neighbors' must be smaller than the {len(X)} samples, got {k}.")
    return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)


def reconstruction_weights(X: FloatArray, k: int, ridge: float = 1e-3) -> sparse.csr_array:
    """Return the n x n matrix S of the weights that best rebuild each sample from k neighbours.

    Minimises ``sum_i ||x_i - sum_j s_ij x_j||^2`` over weights of k nearest neighbours that sum to one
    (baghshah2010, 6).  The Gram matrix G of the differences to the neighbours is singular for k > d:
    ``ridge * tr(G)`` is added to its diagonal, as Roweis and Saul do.

    The k x k systems are solved in batches; cost O(n k^2 d + n k^3) after the neighbour search.  That
    search is by brute force, O(n^2 d), for more than 15 features: of n = 100 000 samples with 50 or 200
    features it takes 99 % of the time.  Memory beyond samples and result stays below 50 MB.
    """
    n, d = X.shape
    neighbours = nearest_neighbours(X, k)
    weights = np.empty((n, k))
    step = max(1, _BATCH_NUMBERS // (k * max(d, k)))
    for start in range(0, n, step):
        batch = slice(start, start + step)
        R = X[neighbours[batch]] - X[batch, None]
        G = R @ R.transpose(0, 2, 1)
        trace = np.trace(G, axis1=1, axis2=2)
        G[:, np.arange(k), np.arange(k)] += ridge * np.where(trace > 0, trace, 1.0)[:, None]
        weights[batch] = np.linalg.solve(G, np.ones((len(G), k, 1)))[..., 0]
    weights /= weights.sum(axis=1, keepdims=True)
    return sparse.csr_array((weights.ravel(), neighbours.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))


def reconstruction_scatter(Y: FloatArray, S: sparse.csr_array) -> FloatArray:
    """Return ``Y^T E Y`` with ``E = (I - S)^T (I - S)`` (baghshah2010, 7), without forming E."""
    R = Y - S @ Y
    return R.T @ R
