"""Kernel k-means: k-means in the feature space of a kernel."""

from __future__ import annotations

from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray, Samples, dense
from cscluster.algorithms.cost import Cost, kernel_matrix
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.parameters import Choice, parameter
from cscluster.algorithms.partition._restarts import LocalMinimum, RestartedClusterer
from cscluster.constraints import Constraints
from cscluster.errors import DataError


def seed_centres(K: FloatArray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Choose samples as first centres by k-means++ in feature space; returns H as in `lloyd`."""
    n = len(K)
    diagonal = np.diag(K)
    chosen = [int(rng.integers(n))]
    nearest = np.full(n, np.inf)
    for _ in range(1, n_clusters):
        c = chosen[-1]
        nearest = np.minimum(nearest, np.maximum(diagonal - 2 * K[c] + K[c, c], 0))
        total = nearest.sum()
        p = nearest / total if total > 0 else None
        chosen.append(int(rng.choice(n, p=p)))
    H = np.zeros((n, n_clusters))
    H[chosen, np.arange(n_clusters)] = 1
    return H


def random_centres(n_samples: int, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Return the means of a random partition as H; each cluster gets a sample."""
    labels = rng.permutation(
        np.append(np.arange(n_clusters), rng.integers(n_clusters, size=n_samples - n_clusters))
    )
    return means(labels, n_clusters)


def means(labels: IntArray, n_clusters: int) -> FloatArray:
    """Return H whose column c averages the samples of cluster c."""
    H = np.zeros((len(labels), n_clusters))
    H[np.arange(len(labels)), labels] = 1
    return H / H.sum(axis=0)


def lloyd(K: FloatArray, H: FloatArray, max_iter: int) -> LocalMinimum:
    """Alternate assignment and centres; centre c is ``sum_i H[i, c] phi(x_i)``.

    ``||phi(x_i) - centre_c||^2 = K_ii - 2 (K H)_ic + (H^T K H)_cc``.
    """
    diagonal = np.diag(K)
    labels = np.full(len(K), -1, dtype=np.int64)
    objective: list[float] = []
    for _ in range(max_iter):
        KH = K @ H
        distances = diagonal[:, None] - 2 * KH + np.einsum("ic,ic->c", H, KH)
        new = distances.argmin(axis=1)
        _fill_empty(new, distances)
        objective.append(float(distances[np.arange(len(K)), new].sum()))
        if np.array_equal(new, labels):
            return LocalMinimum(labels, H, np.array(objective), converged=True)
        labels = new
        H = means(labels, H.shape[1])
    return LocalMinimum(labels, H, np.array(objective), converged=False)


def _fill_empty(labels: IntArray, distances: FloatArray) -> None:
    """Give each empty cluster the sample that is farthest from its own centre."""
    counts = np.bincount(labels, minlength=distances.shape[1])
    for empty in np.flatnonzero(counts == 0):
        own = distances[np.arange(len(labels)), labels]
        own[counts[labels] == 1] = -np.inf
        far = own.argmax()
        counts[labels[far]] -= 1
        labels[far], counts[empty] = empty, 1


class KernelKMeans(KernelEstimator, RestartedClusterer):
    """K-means in the feature space of a kernel, without constraints.

    Minimises the sum over samples of ``||phi(x_i) - m_{y_i}||^2`` with
    ``m_c = mean of phi(x_j) over y_j = c``, where ``phi(x)^T phi(z) = k(x, z)``.

    Attributes
    ----------
    centres_ : ndarray of shape (n_samples, n_clusters)
        H with ``m_c = sum_i H[i, c] phi(x_i)``.

    Notes
    -----
    Each iteration is one product of the kernel matrix with an n x k matrix, O(n^2 k); the kernel
    matrix is computed once for all starts.

    References
    ----------
    .. [1] B. Schölkopf, A. Smola, K.-R. Müller, "Nonlinear Component Analysis as a Kernel
       Eigenvalue Problem", 1998. doi:10.1162/089976698300017467

    Examples
    --------
    >>> from cscluster import KernelKMeans
    >>> labels = KernelKMeans(random_state=0).fit([[0.0], [0.1], [5.0]]).labels_
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """

    accepts_sparse = True

    kernel: str = parameter(
        "gaussian",
        "kernel function: 'gaussian' is exp(-||x - z||^2 / sigma^2), 'linear' is x^T z; with 'precomputed' X "
        "is the kernel matrix itself (for predict: the matrix between new and fitted samples)",
        Choice("gaussian", "linear", "precomputed"),
    )
    init: str = parameter(
        "k-means++",
        "first centres: samples drawn by k-means++ in feature space, or the means of a random partition, "
        "which a narrow kernel needs",
        Choice("k-means++", "random"),
    )

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        if self.kernel == "precomputed":
            return None
        return kernel_matrix(n, n, "use approx_kernel_kmeans")

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`; the links are not used."""
        X, _ = self._validate(X, constraints)
        if self.kernel == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise DataError(f"A precomputed kernel matrix must be square, got shape {X.shape}.")
            K = dense(X)
        else:
            self._kernel = self._kernel_for(X)
            self._X = X
            K = self._kernel(X)
        rng = np.random.default_rng(self.random_state)
        starts = (lloyd(K, self._first_centres(K, rng), self.max_iter) for _ in range(self.n_init))
        best = min(starts, key=lambda start: start.objective[-1])
        self.centres_ = best.mu
        self._centre_norms = np.einsum("ic,ic->c", best.mu, K @ best.mu)
        self.labels_ = best.labels
        self.n_iter_ = len(best.objective)
        self.converged_ = best.converged
        self.objective_ = best.objective
        return self

    def _first_centres(self, K: FloatArray, rng: np.random.Generator) -> FloatArray:
        if self.init == "random":
            return random_centres(len(K), self.n_clusters, rng)
        return seed_centres(K, self.n_clusters, rng)

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest centre of each sample in feature space."""
        X = self._validate_new(X)
        K = X if self.kernel == "precomputed" else self._kernel(X, self._X)
        return (self._centre_norms - 2 * K @ self.centres_).argmin(axis=1)
