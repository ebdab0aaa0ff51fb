"""Normalized cut on the Gaussian affinity of all pairs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.linalg

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.kernel_parameters import GaussianEstimator
from cscluster.algorithms.parameters import Choice, Integer, Null, parameter
from cscluster.algorithms.spectral._rounding import kmeans_rounding
from cscluster.arrays import require_memory
from cscluster.linalg.eigen import leading_eigenvectors
from cscluster.linalg.kernels import Nystroem

_SMALL = 300
_RESTARTS = 100
_STARTS = 10


class DenseAffinity:
    """All affinities as one matrix W."""

    def __init__(self, W: FloatArray) -> None:
        self.W = W
        self.degrees = W.sum(axis=1)

    def eigenvectors(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Return the k leading eigenvectors of ``D^(-1/2) W D^(-1/2)``, the largest first."""
        root = np.sqrt(self.degrees)
        N = self.W / root / root[:, None]
        return leading_eigenvectors(N, k, rng, lapack=max(_SMALL, 2 * k), restarts=_RESTARTS)[1]

    def within(self, order: IntArray) -> FloatArray:
        """Return the sum of W inside the first 1, 2, ..., n samples of `order`, row by row."""
        rank = np.argsort(order)
        added = 2 * np.einsum("ij,ij->i", self.W, rank < rank[:, None])
        return np.cumsum((added + np.diag(self.W))[order])


class LowRankAffinity:
    """Affinities ``W = F F^T`` of features F."""

    def __init__(self, F: FloatArray) -> None:
        self.F = F
        degrees = F @ F.sum(axis=0)
        self.degrees = np.maximum(degrees, np.finfo(float).eps * np.abs(degrees).max())

    def eigenvectors(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Return the k leading eigenvectors from the small matrix ``B^T B`` with ``B = D^(-1/2) F``."""
        B = self.F / np.sqrt(self.degrees)[:, None]
        values, V = scipy.linalg.eigh(B.T @ B)
        top = np.argsort(-values)[:k]
        return B @ (V[:, top] / np.sqrt(np.maximum(values[top], np.finfo(float).tiny)))

    def within(self, order: IntArray) -> FloatArray:
        """Return the same sums of W: squared norms of running sums of features."""
        sums = np.cumsum(self.F[order], axis=0)
        return np.einsum("ij,ij->i", sums, sums)


Affinity = DenseAffinity | LowRankAffinity


def threshold_cut(affinity: Affinity, embedding: FloatArray, split: str) -> tuple[IntArray, float]:
    """Split a one-dimensional embedding at the value with the lowest normalized cut, or at zero.

    Returns labels and their normalized cut.  For the first k samples A in sorted order,
    ``cut = vol(A) - W(A, A)`` and ``Ncut = cut / vol(A) + cut / vol(rest)``.
    """
    order = np.argsort(embedding, kind="stable")
    volume = np.cumsum(affinity.degrees[order])
    cut = (volume - affinity.within(order))[:-1]
    ncut = cut / volume[:-1] + cut / (volume[-1] - volume[:-1])
    k = int(np.argmin(ncut)) + 1
    if split == "zero":
        k = int(np.clip((embedding <= 0).sum(), 1, len(order) - 1))
    labels = np.zeros(len(order), dtype=np.int64)
    labels[order[k:]] = 1
    return labels, float(ncut[k - 1])


def kmeans_cut(
    affinity: Affinity, embedding: FloatArray, n_clusters: int, rng: np.random.Generator
) -> tuple[IntArray, float]:
    """Cluster the rows of the embedding by k-means; return labels and their normalized cut."""
    labels = kmeans_rounding(embedding, n_clusters, _STARTS, rng).labels_.astype(np.int64)
    value = 0.0
    for c in range(n_clusters):
        first = np.argsort(labels != c, kind="stable")
        size = int((labels == c).sum())
        volume = affinity.degrees[labels == c].sum()
        value += 1 - affinity.within(first)[size - 1] / volume
    return labels, float(value)


class NormalizedCut(GaussianEstimator, Clusterer):
    """Spectral clustering by normalized cut, without constraints.

    Minimises ``sum_c cut(A_c, rest) / vol(A_c)`` over partitions A, where cut and volume are sums
    of the affinities ``W_ij = exp(-||x_i - x_j||^2 / sigma^2)`` between all pairs, through the
    leading eigenvectors of ``D^(-1/2) W D^(-1/2)``.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Generalised eigenvectors ``D^(-1/2) u``.  The first is constant.

    Notes
    -----
    Two clusters are found by splitting the second eigenvector.  [1]_ proposes both rules.  The
    errors of zhang2009 are those of the split at zero.  More than two clusters are
    found by k-means on the embedding [2]_.

    The full matrix takes O(n^2) memory and products.  With m landmarks it is O(n m) and O(n m^2).

    References
    ----------
    .. [1] J. Shi, J. Malik, "Normalized Cuts and Image Segmentation", 2000. doi:10.1109/34.868688
    .. [2] M. Meila, J. Shi, "A Random Walks View of Spectral Segmentation", 2001.
    .. [3] C. Fowlkes, S. Belongie, F. Chung, J. Malik, "Spectral Grouping Using the Nyström
       Method", 2004. doi:10.1109/TPAMI.2004.1262185

    Examples
    --------
    >>> from cscluster import NormalizedCut
    >>> labels = NormalizedCut(random_state=0).fit([[0.0], [0.1], [0.2], [5.0], [5.1]]).labels_
    >>> bool((labels[:3] == labels[0]).all() and (labels[3:] != labels[0]).all())
    True
    """

    accepts_sparse = True

    sigma: float = 0.5
    split: str = parameter(
        "ncut",
        "where the second eigenvector is split into two clusters: at the lowest normalized cut of all n - 1 "
        "splits, or at zero",
        Choice("ncut", "zero"),
    )
    n_landmarks: int | None = parameter(
        None,
        "samples of a Nyström approximation, for data too large for the full matrix (null: none)",
        Integer(2),
        Null(),
    )

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  Partial labels and constraints are checked, but not used."""
        X, _ = self._validate(X, y, constraints)
        rng = np.random.default_rng(self._seed)
        affinity = self._affinity(X, rng)
        vectors = affinity.eigenvectors(self.n_clusters, rng)
        self.embedding_ = vectors / np.sqrt(affinity.degrees)[:, None]
        if self.n_clusters == 2:
            labels, cut = threshold_cut(affinity, self.embedding_[:, 1], self.split)
        else:
            labels, cut = kmeans_cut(affinity, self.embedding_, self.n_clusters, rng)
        return self._set_partition(labels, objective=[cut], n_iter=1, converged=True)

    def _affinity(self, X: Samples, rng: np.random.Generator) -> Affinity:
        """Return the affinities of all pairs of samples."""
        kernel, n = self._kernel_for(X), X.shape[0]
        m = n if self.n_landmarks is None else min(self.n_landmarks, n)
        require_memory("NormalizedCut", (n, m), "set 'n_landmarks', or fewer of them")
        if self.n_landmarks is None:
            return DenseAffinity(kernel(X))
        return LowRankAffinity(Nystroem.fit(kernel, X, self.n_landmarks, rng)(X))
