"""The offline step: many partitions of the same samples.

Each partition is learned from a random subset of the features and from a sample of the rows, and
then labels all rows in blocks.  Partitions are independent, so they are built in parallel, and
each has a seed of its own, so the result does not depend on how.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import sklearn.cluster
from joblib import Parallel, delayed
from scipy import sparse
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._labels import Labels
from cscluster.algorithms.ensemble._rows import Rows
from cscluster.linalg.kernels import Kernel, Nystroem, gaussian_weights, median_distance
from cscluster.linalg.scatter import common_scales

_KERNEL_LANDMARKS = 200
_WIDTH_SAMPLES = 500
_GRAPH_LANDMARKS = 1000
_GRAPH_NEIGHBORS = 3
_PER_LANDMARK = 5
_ITERATIONS = 30
_BLOCK_ROWS = 1024


@dataclass(frozen=True)
class KernelPartition:
    """Approximate kernel k-means (Chitta et al. 2011), the paper's partitions."""

    features: Nystroem
    model: sklearn.cluster.KMeans

    @classmethod
    def fit(cls, X: FloatArray, n_clusters: int, rng: np.random.Generator) -> Self:
        """Learn from the samples `X`; the kernel is as wide as the median distance.

        In a few features most samples may be alike; their deviation is the width then.
        """
        few = X[rng.choice(len(X), min(_WIDTH_SAMPLES, len(X)), replace=False)]
        width = median_distance(few) or float(X.std()) or 1.0
        features = Nystroem.fit(Kernel("gaussian", width), X, _KERNEL_LANDMARKS, rng)
        return cls(features, _kmeans(features(X), n_clusters, rng))

    def __call__(self, X: FloatArray) -> IntArray:
        """Return the cluster of each sample: the centre c of least ``||c||^2 - 2 phi(x)^T c``.

        The features phi(x) of all samples are never made: their map is applied to the few centres.
        """
        C = self.model.cluster_centers_
        products = self.features.kernel(X, self.features.landmarks) @ (self.features.whitening @ C.T)
        return np.argmin((C**2).sum(axis=1) - 2 * products, axis=1)


@dataclass(frozen=True)
class GraphPartition:
    """Spectral clustering of the graph that joins each sample with its nearest landmarks.

    With Z the rows of similarities to the nearest landmarks, each of sum one, and D their column
    sums, the samples' graph is ``Z D^-1 Z^T``.  Its leading eigenvectors are ``Z V`` with
    ``V = D^-1/2 U s^-1/2`` from the eigenvectors U of the small matrix ``D^-1/2 Z^T Z D^-1/2``, so
    new samples can be placed as well.

    References
    ----------
    .. [1] X. Chen, D. Cai, "Large Scale Spectral Clustering with Landmark-Based Representation",
       2011.
    """

    scale: FloatArray
    landmarks: FloatArray
    width: float
    V: FloatArray
    model: sklearn.cluster.KMeans

    @classmethod
    def fit(cls, X: FloatArray, n_clusters: int, rng: np.random.Generator) -> Self:
        """Learn from the samples `X`, on one scale; landmarks are the centres of a short k-means.

        A landmark stands for five samples at least: were each sample its own, the graph would fall apart.
        """
        varies, s = common_scales(X)
        scale = np.ones(X.shape[1])
        scale[varies] = s
        X = X / scale
        p = min(_GRAPH_LANDMARKS, max(len(X) // _PER_LANDMARK, 2 * n_clusters), len(X))
        rows = X[rng.choice(len(X), min(_PER_LANDMARK * p, len(X)), replace=False)]
        landmarks = _kmeans(rows, p, rng, init="random", max_iter=3).cluster_centers_
        near, distances = nearest_landmarks(X, landmarks, _GRAPH_NEIGHBORS)
        width = 2 * float(distances.mean())
        Z = _similarities(near, distances, width, len(landmarks))
        degree = np.maximum(np.asarray(Z.sum(axis=0)).ravel(), np.finfo(float).tiny)
        root = np.sqrt(degree)
        G = (Z.T @ Z).toarray() / root / root[:, None]
        s, U = eigh(G, subset_by_index=[max(0, p - n_clusters), p - 1])
        V = U / root[:, None] / np.sqrt(np.maximum(s, np.finfo(float).eps))
        return cls(scale, landmarks, width, V, _kmeans(Z @ V, n_clusters, rng))

    def __call__(self, X: FloatArray) -> IntArray:
        """Return the cluster of each sample."""
        near, distances = nearest_landmarks(X / self.scale, self.landmarks, _GRAPH_NEIGHBORS)
        Z = _similarities(near, distances, self.width, len(self.landmarks))
        return self.model.predict(Z @ self.V)


LEARNERS: dict[str, type[KernelPartition | GraphPartition]] = {
    "kernel": KernelPartition,
    "graph": GraphPartition,
}


def _kmeans(
    X: FloatArray,
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


def nearest_landmarks(X: FloatArray, landmarks: FloatArray, count: int) -> tuple[IntArray, FloatArray]:
    """Return the nearest landmarks of each sample and the squared distances to them.

    Landmarks are chosen in single precision, by ``||l||^2 - 2 x^T l`` in blocks that stay in the cache; the
    distances to them are exact.
    """
    origin, count = landmarks.mean(axis=0), min(count, len(landmarks))
    L = (landmarks - origin).astype(np.float32)
    minus_2L, norms = -2 * L.T, np.einsum("ij,ij->i", L, L)
    near = np.empty((len(X), count), dtype=np.int64)
    for start in range(0, len(X), _BLOCK_ROWS):
        block = X[start : start + _BLOCK_ROWS] - origin
        D = block.astype(np.float32) @ minus_2L
        D += norms
        rows = np.arange(len(D))
        for k in range(count):
            nearest = near[start : start + _BLOCK_ROWS, k]
            nearest[:] = D.argmin(axis=1)
            D[rows, nearest] = np.inf
    distances = np.stack([((X - landmarks[near[:, k]]) ** 2).sum(axis=1) for k in range(count)], axis=1)
    return near, distances


def _similarities(near: IntArray, distances: FloatArray, width: float, p: int) -> sparse.csr_array:
    """Return Gaussian similarities to the nearest landmarks, each row of sum one."""
    Z = gaussian_weights(distances - distances[:, :1], width)
    Z /= Z.sum(axis=1, keepdims=True)
    n, count = Z.shape
    return sparse.csr_array((Z.ravel(), near.ravel(), np.arange(0, n * count + 1, count)), shape=(n, p))


def build(
    rows: Rows,
    L: Labels,
    kind: str,
    n_features: int,
    cluster_range: tuple[int, int],
    sample: FloatArray,
    seeds: Sequence[np.random.SeedSequence],
    n_jobs: int | None,
) -> Labels:
    """Fill the label store `L` of shape (m, n), and return it.

    Parameters
    ----------
    rows : Rows
        All samples.
    kind : {'kernel', 'graph'}
        How a partition is learned.
    n_features : int
        Size of the random feature subsets.
    cluster_range : (int, int)
        The number of clusters is drawn between these, both included.
    sample : ndarray of shape (n_sampled, d)
        Rows that the partitions are learned from.
    seeds : sequence of SeedSequence
        One for each partition.
    """
    tasks = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_one)(rows, kind, n_features, cluster_range, sample, child, L.dtype) for child in seeds
    )
    for k, labels in enumerate(tasks):
        L[k] = labels
    return L


def _one(
    rows: Rows,
    kind: str,
    n_features: int,
    cluster_range: tuple[int, int],
    sample: FloatArray,
    seed: np.random.SeedSequence,
    dtype: np.dtype[np.unsignedinteger],
) -> Labels:
    """Learn one partition and label all rows, with one thread: sums of more differ in the last bit."""
    rng = np.random.default_rng(seed)
    features = np.sort(rng.choice(sample.shape[1], n_features, replace=False))
    n_clusters = int(rng.integers(cluster_range[0], cluster_range[1] + 1))
    with threadpool_limits(1):
        partition = LEARNERS[kind].fit(np.ascontiguousarray(sample[:, features]), n_clusters, rng)
        labels = [partition(block).astype(dtype) for block in rows.blocks(features)]
    return np.concatenate(labels)
