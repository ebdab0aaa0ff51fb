"""The offline step: many partitions of the same samples.

Each partition is learned from a random subset of the features and from a sample of the rows, and
then labels all rows.  Samples are seen in single precision, and a block of rows is read once for many
partitions.  Partitions are independent, so they are built in parallel, and each has a seed of its own,
so the result does not depend on how.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import sklearn.cluster
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from cscluster import threads
from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._consensus import spectrum
from cscluster.algorithms.ensemble._labels import Labels, Table
from cscluster.algorithms.ensemble._rows import ArrayRows
from cscluster.linalg.kernels import Kernel, Nystroem, gaussian_weights, median_distance, squared_norms
from cscluster.linalg.scatter import common_scales, principal_map

_COMPONENTS = 100
_COMPONENT_SAMPLES = 5000
_KERNEL_LANDMARKS = 200
_WIDTH_SAMPLES = 500
_GRAPH_LANDMARKS = 1000
_GRAPH_NEIGHBORS = 3
_PER_LANDMARK = 5
_ITERATIONS = 30
_BLOCK_ROWS = 1024
"""Rows whose similarities to the landmarks stay in the cache."""


@dataclass(frozen=True)
class View:
    """The samples as partitions see them, in single precision: ``x = (sample - origin) / scale``.

    A partition measures distances ``||x_S - x'_S||`` in its features S.  Where these are more than the
    q columns of B, the leading principal directions, x is taken to be ``B y`` and y is seen in its place;
    the distances are then ``||(y - y') R||`` with ``R R^T = B_S^T B_S``.

    Attributes
    ----------
    origin, scale : ndarray of shape (d,)
        Means of the samples, and what they are divided by.
    B : ndarray of shape (d, q) or None
        Orthonormal columns.
    """

    origin: FloatArray
    scale: FloatArray
    B: FloatArray | None

    @classmethod
    def of(cls, sample: FloatArray, scale: FloatArray, n_features: int) -> Self:
        """Return the view of samples of which partitions see `n_features` each."""
        B = None
        few = sample[:: -(-len(sample) // _COMPONENT_SAMPLES)]
        if n_features > _COMPONENTS and np.ptp(few, axis=0).any():
            B = np.linalg.qr(principal_map(few, scale, _COMPONENTS) * scale[:, None])[0]
        most = float(np.finfo(np.float32).max)
        origin = sample.mean(axis=0).clip(-most, most).astype(np.float32)
        return cls(origin.astype(np.float64), scale, B)

    def __call__(self, X: NDArray[Any]) -> Table:
        """Return x or y of each sample; small integers are exact in single precision."""
        exact = np.result_type(X, np.float32)
        x = np.subtract(X, self.origin, dtype=exact, casting="same_kind")
        x /= self.scale.astype(exact)
        x = x.astype(np.float32, copy=False)
        return x if self.B is None else x @ self.B.astype(np.float32)

    def of_features(self, S: IntArray) -> Callable[[Table], Table]:
        """Return the map of x to ``x_S``, or of y to ``y R``."""
        if self.B is None:
            return lambda x: np.take(x, S, axis=1)
        R = np.linalg.qr(self.B[S]).R.T.astype(np.float32)
        return lambda y: y @ R


@dataclass(frozen=True)
class KernelPartition:
    """Approximate kernel k-means (Chitta et al. 2011), the paper's partitions.

    A sample belongs to the centre c of least ``||c||^2 - 2 phi(x)^T c``, where the features phi(x) are a
    linear map of the kernel between x and the landmarks l.  That map is applied to the few centres, and the
    features of all samples are never made.

    Attributes
    ----------
    exponent : ndarray of shape (d + 2, p)
        Maps ``(x, ||x||^2, 1)`` to ``-||x - l||^2 / sigma^2``.
    scores : ndarray of shape (p, n_clusters)
        Maps the kernel between x and the landmarks to ``-2 phi(x)^T c``.
    norms : ndarray of shape (n_clusters,)
        The ``||c||^2``.
    labels : ndarray of shape (n_samples,)
        Clusters of the samples that it was learned from.
    """

    exponent: Table
    scores: Table
    norms: Table
    labels: IntArray

    @staticmethod
    def scales(X: FloatArray) -> FloatArray:
        """Return what features are divided by: all by the same."""
        return np.full(X.shape[1], X.std() or 1.0)

    @classmethod
    def fit(cls, X: FloatArray | Table, n_clusters: int, rng: np.random.Generator) -> Self:
        """Learn from the samples `X`; the kernel is as wide as the median distance.

        In a few features most samples may be alike; their deviation is the width then.
        """
        few = X[rng.choice(len(X), min(_WIDTH_SAMPLES, len(X)), replace=False)]
        width = median_distance(few) or float(X.std()) or 1.0
        phi = Nystroem.fit(Kernel("gaussian", width), X, _KERNEL_LANDMARKS, rng)
        model = _kmeans(phi(X).astype(np.float32), n_clusters, rng)
        Z, C = phi.landmarks.astype(np.float64), model.cluster_centers_.astype(np.float64)
        exponent = np.vstack([2 * Z.T, np.full(len(Z), -1.0), -squared_norms(Z)]) / width**2
        scores, norms = -2 * phi.whitening @ C.T, squared_norms(C)
        return cls(
            exponent.astype(np.float32), scores.astype(np.float32), norms.astype(np.float32), model.labels_
        )

    def __call__(self, X: FloatArray | Table) -> IntArray:
        """Return the cluster of each sample."""
        labels = np.empty(len(X), dtype=np.int64)
        for start in range(0, len(X), _BLOCK_ROWS):
            x = X[start : start + _BLOCK_ROWS].astype(np.float32, copy=False)
            K = np.column_stack([x, squared_norms(x), np.ones(len(x), dtype=np.float32)]) @ self.exponent
            np.exp(K, out=K)
            labels[start : start + _BLOCK_ROWS] = np.argmin(K @ self.scores + self.norms, axis=1)
        return labels


@dataclass(frozen=True)
class GraphPartition:
    """Spectral clustering of the graph that joins each sample with its nearest landmarks.

    With Z the rows of similarities to the nearest landmarks, each of sum one, and D their column
    sums, the samples' graph is ``Z D^-1 Z^T``.  Its leading eigenvectors are ``Z V`` with
    ``V = D^-1/2 U s^-1/2`` from the eigenvectors U of the small matrix ``D^-1/2 Z^T Z D^-1/2``, so
    new samples can be placed as well: z belongs to the centre c of least ``||c||^2 - 2 z^T V c``.

    Attributes
    ----------
    landmarks : ndarray of shape (p, d)
        The landmarks.
    width : float
        Width of the similarities.
    scores : ndarray of shape (p, n_clusters)
        ``||c||^2 - 2 V c``, of which the rows z, of sum one, take means.
    labels : ndarray of shape (n_samples,)
        Clusters of the samples that it was learned from.

    References
    ----------
    .. [1] X. Chen, D. Cai, "Large Scale Spectral Clustering with Landmark-Based Representation",
       2011.
    """

    landmarks: Table
    width: float
    scores: FloatArray
    labels: IntArray

    @staticmethod
    def scales(X: FloatArray) -> FloatArray:
        """Return what puts the features on one scale."""
        varies, s = common_scales(X)
        scale = np.ones(X.shape[1])
        scale[varies] = s
        return scale

    @classmethod
    def fit(cls, X: FloatArray | Table, n_clusters: int, rng: np.random.Generator) -> Self:
        """Learn from the samples `X`; landmarks are the centres of a short k-means.

        A landmark stands for five samples at least: were each sample its own, the graph would fall apart.
        """
        p = min(_GRAPH_LANDMARKS, max(len(X) // _PER_LANDMARK, 2 * n_clusters), len(X))
        rows = X[rng.choice(len(X), min(_PER_LANDMARK * p, len(X)), replace=False)]
        landmarks = _kmeans(rows, p, rng, init="random", max_iter=3).cluster_centers_
        near, distances = nearest_landmarks(X, landmarks, _GRAPH_NEIGHBORS)
        width = 2 * float(distances.mean())
        Z = _similarities(near, distances, width, len(landmarks))
        degree = np.maximum(np.asarray(Z.sum(axis=0)).ravel(), np.finfo(float).tiny)
        root = np.sqrt(degree)
        by_root = sparse.diags_array(1 / root)
        s, U = spectrum(by_root @ (Z.T @ Z) @ by_root, n_clusters)
        V = U / root[:, None] / np.sqrt(np.maximum(s, np.finfo(float).eps))
        model = _kmeans((Z @ V).astype(np.float32), n_clusters, rng)
        C = model.cluster_centers_
        return cls(landmarks, width, squared_norms(C) - 2 * V @ C.T, model.labels_)

    def __call__(self, X: FloatArray | Table) -> IntArray:
        """Return the cluster of each sample."""
        near, distances = nearest_landmarks(X, self.landmarks, _GRAPH_NEIGHBORS)
        Z = _similarities(near, distances, self.width, len(self.landmarks))
        return np.argmin(Z @ self.scores, axis=1)


LEARNERS: dict[str, type[KernelPartition | GraphPartition]] = {
    "kernel": KernelPartition,
    "graph": GraphPartition,
}


How = tuple[str, int, tuple[int, int]]
Seeds = Sequence[np.random.SeedSequence]


def _kmeans(
    X: FloatArray | Table,
    n_clusters: int,
    rng: np.random.Generator,
    init: str = "k-means++",
    max_iter: int = _ITERATIONS,
) -> sklearn.cluster.KMeans:
    seed = int(rng.integers(2**31))
    model = sklearn.cluster.KMeans(
        min(n_clusters, len(X)), init=init, n_init=1, max_iter=max_iter, random_state=seed
    )
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):  # repeated rows do no harm
        return model.fit(X)


def nearest_landmarks(
    X: FloatArray | Table, landmarks: FloatArray | Table, count: int
) -> tuple[IntArray, FloatArray]:
    """Return the nearest landmarks of each sample and the squared distances to them.

    Landmarks are chosen in single precision, by ``||l||^2 - 2 x^T l`` in blocks that stay in the cache; the
    distances to them are sums of squared differences.
    """
    count = min(count, len(landmarks))
    L = landmarks.astype(np.float32, copy=False)
    minus_2L, norms = -2 * L.T, squared_norms(L)
    near = np.empty((len(X), count), dtype=np.int64)
    distances = np.empty((len(X), count))
    for start in range(0, len(X), _BLOCK_ROWS):
        block = slice(start, start + _BLOCK_ROWS)
        x = X[block]
        D = x.astype(np.float32, copy=False) @ minus_2L
        D += norms
        rows = np.arange(len(D))
        for k in range(count):
            nearest = near[block, k] = D.argmin(axis=1)
            D[rows, nearest] = np.inf
            distances[block, k] = squared_norms(x - landmarks[nearest])
    return near, distances


def _similarities(near: IntArray, distances: FloatArray, width: float, p: int) -> sparse.csr_array:
    """Return Gaussian similarities to the nearest landmarks, each row of sum one."""
    Z = gaussian_weights(distances - distances[:, :1], width)
    Z /= Z.sum(axis=1, keepdims=True)
    n, count = Z.shape
    return sparse.csr_array((Z.ravel(), near.ravel(), np.arange(0, n * count + 1, count)), shape=(n, p))


def build(
    rows: ArrayRows, L: Labels, how: How, sample: FloatArray, seeds: Seeds, n_jobs: int | None
) -> Labels:
    """Fill the label store `L` of shape (m, n), and return it.

    Parameters
    ----------
    rows : ArrayRows
        All samples.
    how : ({'kernel', 'graph'}, int, (int, int))
        How a partition is learned, the size of the random feature subsets, and the range, both ends
        included, from which the number of clusters is drawn.
    sample : ndarray of shape (n_sampled, d)
        Rows that the partitions are learned from, in their order.
    seeds : sequence of SeedSequence
        One for each partition.
    """
    with threads.one():
        view = View.of(sample, LEARNERS[how[0]].scales(sample), how[1])
    size = -(-len(seeds) // effective_n_jobs(n_jobs))
    tasks = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_some)(rows, how, sample, view, seeds[k : k + size], L.dtype)
        for k in range(0, len(seeds), size)
    )
    for k, labels in enumerate(tasks):
        L[k * size : (k + 1) * size] = labels
    return L


def _some(rows: ArrayRows, how: How, sample: FloatArray, view: View, seeds: Seeds, dtype: Any) -> Labels:
    """Learn some partitions, then label all rows while reading them once.

    It takes one thread: sums of more differ in the last bit.
    """
    (kind, n_features, cluster_range), (n, d) = how, rows.shape
    L = np.empty((len(seeds), n), dtype=dtype)
    partitions = []
    with threads.one():
        x = view(sample)
        for seed in seeds:
            rng = np.random.default_rng(seed)
            of_features = view.of_features(np.sort(rng.choice(d, n_features, replace=False)))
            n_clusters = int(rng.integers(cluster_range[0], cluster_range[1] + 1))
            partitions.append((of_features, LEARNERS[kind].fit(of_features(x), n_clusters, rng)))
        if len(sample) == n:
            for labels, (_, partition) in zip(L, partitions, strict=True):
                labels[:] = partition.labels
            return L
        start = 0
        for block in rows.blocks():
            x = view(block)
            for labels, (of_features, partition) in zip(L, partitions, strict=True):
                labels[start : start + len(x)] = partition(of_features(x))
            start += len(x)
    return L
