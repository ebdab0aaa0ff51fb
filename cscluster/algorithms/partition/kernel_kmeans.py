"""Kernel k-means: k-means in the feature space of a kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples, dense
from cscluster.algorithms.distance_parameters import DistanceEstimator
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.parameters import Choice, parameter
from cscluster.algorithms.partition._centers import (
    MAX_ITER,
    N_INIT,
    LocalMinimum,
    fill_empty,
    lowest,
    nearest,
)
from cscluster.algorithms.partition._seeding import far_pair
from cscluster.arrays import require_memory
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.kernels import Kernel


def seed_centers(K: FloatArray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Choose samples as first centers by k-means++ in feature space; returns H as in `lloyd`."""
    n = len(K)
    diagonal = np.diag(K)
    chosen = [int(rng.integers(n))]
    closest = np.full(n, np.inf)
    for _ in range(1, n_clusters):
        c = chosen[-1]
        closest = np.minimum(closest, np.maximum(diagonal - 2 * K[c] + K[c, c], 0))
        total = closest.sum()
        p = closest / total if total > 0 else None
        chosen.append(int(rng.choice(n, p=p)))
    H = np.zeros((n, n_clusters))
    H[chosen, np.arange(n_clusters)] = 1
    return H


def random_centers(n_samples: int, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Return the means of a random partition as H; each cluster gets a sample."""
    labels = rng.permutation(
        np.append(np.arange(n_clusters), rng.integers(n_clusters, size=n_samples - n_clusters))
    )
    return averages(labels, n_clusters)


def averages(labels: IntArray, n_clusters: int) -> FloatArray:
    """Return H whose column c averages the samples of cluster c."""
    H = np.zeros((len(labels), n_clusters))
    H[np.arange(len(labels)), labels] = 1
    return H / H.sum(axis=0)


def lloyd(K: FloatArray, H: FloatArray, max_iter: int) -> LocalMinimum:
    """Alternate assignment and centers; center c is ``sum_i H[i, c] phi(x_i)``.

    ``||phi(x_i) - center_c||^2 = K_ii - 2 (K H)_ic + (H^T K H)_cc``.
    """
    diagonal = np.diag(K)
    labels = np.full(len(K), -1, dtype=np.int64)
    objective: list[float] = []
    for _ in range(max_iter):
        KH = K @ H
        distances = diagonal[:, None] - 2 * KH + np.einsum("ic,ic->c", H, KH)
        new = nearest(distances)
        fill_empty(distances, new)
        objective.append(float(distances[np.arange(len(K)), new].sum()))
        if np.array_equal(new, labels):
            return LocalMinimum(labels, H, np.array(objective), converged=True)
        labels = new
        H = averages(labels, H.shape[1])
    return LocalMinimum(labels, H, np.array(objective), converged=False)


class KernelKMeans(KernelEstimator, DistanceEstimator, Clusterer):
    """K-means in the feature space of a kernel, without constraints.

    Minimises the sum over samples of ``||phi(x_i) - m_{y_i}||^2`` with
    ``m_c = mean of phi(x_j) over y_j = c``, where ``phi(x)^T phi(z) = k(x, z)``.

    Attributes
    ----------
    centers_ : ndarray of shape (n_samples, n_clusters)
        H with ``m_c = sum_i H[i, c] phi(x_i)``.

    Notes
    -----
    Given distances take the place of ``||x - z||`` in the kernel.  `predict` then needs the distances of new
    samples from the fitted ones.

    Each iteration is one product of the kernel matrix with an n x k matrix, O(n^2 k).  The kernel
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
    added_parameters = ("metric",)

    n_init: int = N_INIT
    max_iter: int = MAX_ITER
    kernel: str = parameter(
        "gaussian",
        "kernel function: 'gaussian' is exp(-||x - z||^2 / sigma^2), 'linear' is x^T z. With 'precomputed' X "
        "is the kernel matrix itself (for predict: the matrix between new and fitted samples)",
        Choice("gaussian", "linear", "precomputed"),
    )
    init: str = parameter(
        "k-means++",
        "first centers: samples drawn by k-means++ in feature space, the means of a random partition, which "
        "a narrow kernel needs, or 'far': the images of two samples that are far from each other",
        Choice("k-means++", "random", "far"),
    )

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  Partial labels and constraints are checked, but not used."""
        X, _ = self._validate(X, y, constraints)
        if "precomputed" in (self.kernel, self.metric) and self.init == "far":
            raise ParameterError("init='far' needs samples, not a precomputed matrix.")
        if self.kernel == self.metric:
            raise ParameterError("X is a matrix of the kernel or of distances: 'precomputed' is one of both.")
        if self.kernel == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise DataError(f"A precomputed kernel matrix must be square, got shape {X.shape}.")
            K = dense(X)
        elif self.metric == "precomputed":
            D = self._distances(dense(X))
            self._kernel = Kernel.of(self.kernel, D, self.sigma, self.sigma_unit, are_distances=True)
            K = self._kernel.of_distances(D)
        else:
            require_memory(type(self).__name__, (X.shape[0],) * 2, "use approx_kernel_kmeans")
            self._kernel = self._kernel_for(X)
            self._X = X
            K = self._kernel(X)
        rng = np.random.default_rng(self._seed)
        best = lowest(lloyd(K, self._first_centers(K, rng), self.max_iter) for _ in range(self.n_init))
        self.centers_ = best.mu
        self._center_norms = np.einsum("ic,ic->c", best.mu, K @ best.mu)
        return self._set_partition(
            best.labels, objective=best.objective, n_iter=len(best.objective), converged=best.converged
        )

    def _first_centers(self, K: FloatArray, rng: np.random.Generator) -> FloatArray:
        if self.init == "random":
            return random_centers(len(K), self.n_clusters, rng)
        if self.init == "far":
            return np.eye(len(K))[:, far_pair(self._X, self.n_clusters, rng)]
        return seed_centers(K, self.n_clusters, rng)

    def costs(self, X: Samples) -> FloatArray:
        """Return the squared distance of each sample from each center in feature space, up to ``k(x, x)``."""
        X = self._validate_new(X)
        if self.kernel == "precomputed":
            K = X
        elif self.metric == "precomputed":
            K = self._kernel.of_distances(dense(X))
        else:
            K = self._kernel(X, self._X)
        return np.asarray(self._center_norms - 2 * K @ self.centers_)

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest center of each sample in feature space."""
        return nearest(self.costs(X))
