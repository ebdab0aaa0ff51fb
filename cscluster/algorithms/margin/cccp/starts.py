"""Label-free starts: scores from which CCCP takes its first tangent."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import eigh
from sklearn.exceptions import ConvergenceWarning

from cscluster.algorithms.base import FloatArray, IntArray, Samples, dense
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.partition.kmeans import KMeans, QuickKMeans
from cscluster.constraints import Constraints


class ConstraintProjections:
    """Projections with must-linked samples close together and cannot-linked ones far apart, eq. (18).

    The columns of A are the generalised eigenvectors for the largest eigenvalues of

        S_c a = mu (S_m + shrinkage * mean(diag(S_m)) I) a,      A.T S_m A = I.

    They are computed in the span of the differences x_j1 - x_j2, where they lie.  Where there is
    no cannot-link, random pairs stand in for them; without must-links S_m = 0, and the identity,
    scaled as S_c, is all that remains.
    """

    def __init__(self, design: Design, constraints: Constraints, rng: np.random.Generator) -> None:
        n, d = design.X.shape
        must, cannot = constraints.must_links, constraints.cannot_links
        if not len(cannot):
            cannot = rng.permutation(n)[: 2 * (n // 2)].reshape(-1, 2)
        D_m = _scaled_differences(design, must, constraints.must_weights)
        D_c = _scaled_differences(design, cannot, constraints.cannot_weights)
        self._basis = None
        if len(D_m) + len(D_c) < d:
            self._basis = np.linalg.qr(np.concatenate([D_m, D_c]).T)[0]
            D_m, D_c = D_m @ self._basis, D_c @ self._basis
        self._scale = ((D_m if D_m.any() else D_c) ** 2).sum() / d or 1.0
        self._m, self._Q = eigh(D_m.T @ D_m)
        self._D_c = D_c @ self._Q

    def is_singular(self) -> bool:
        """Tell whether S_m has no inverse."""
        return self._basis is not None or self._m[0] <= 1e-10 * self._m[-1]

    def weights(self, n_clusters: int, shrinkage: float) -> FloatArray:
        """Return A.T, shape (n_clusters, d); rows are zero where there are too few constraints."""
        whitener = 1.0 / np.sqrt(np.maximum(self._m, 0.0) + shrinkage * self._scale)
        M = self._D_c * whitener
        r = M.shape[1]
        k = min(n_clusters, r)
        vectors = eigh(M.T @ M, subset_by_index=[r - k, r - 1])[1][:, ::-1]
        A = self._Q @ (whitener[:, None] * vectors)
        if self._basis is not None:
            A = self._basis @ A
        A *= np.where(A.sum(axis=0) < 0, -1.0, 1.0)
        return np.pad(A.T, ((0, n_clusters - k), (0, 0)))


def _scaled_differences(design: Design, pairs: IntArray, weights: FloatArray) -> FloatArray:
    """Return the rows D with D.T @ D = the weighted mean of (x_j1 - x_j2)(x_j1 - x_j2).T."""
    w = weights if len(weights) == len(pairs) else np.ones(len(pairs))
    D = dense(design.X[pairs[:, 0]] - design.X[pairs[:, 1]])
    return D * np.sqrt(w / max(w.sum(), 1e-300))[:, None]


def kmeans_scores(Z: Samples, kmeans: KMeans) -> FloatArray:
    """Return scores whose winner is the nearest centre c of k-means: z @ c - ||c||^2 / 2."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        centers = kmeans.fit(Z).cluster_centers_
    return np.asarray(Z @ centers.T) - 0.5 * (centers**2).sum(axis=1)


def kmeans_start(Z: Samples, n_clusters: int, seed: int | None) -> FloatArray:
    """Return the scores of k-means, the best of ten runs."""
    return kmeans_scores(Z, QuickKMeans(n_clusters=n_clusters, random_state=seed))


def short_kmeans_start(Z: Samples, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Return the scores of k-means, the better of two runs."""
    seed = int(rng.integers(2**31))
    return kmeans_scores(Z, KMeans(n_clusters=n_clusters, n_init=2, random_state=seed))


def paper_start(
    design: Design, constraints: Constraints, n_clusters: int, rng: np.random.Generator
) -> FloatArray:
    """Return the scores of the projection (18) alone; S_m is shrunk only if it is singular."""
    projections = ConstraintProjections(design, constraints, rng)
    return design.scores(projections.weights(n_clusters, 1e-3 if projections.is_singular() else 0.0))


def candidate_starts(
    Z: Samples, mean: FloatArray, constraints: Constraints, n_clusters: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Return the scores of projections (18), each shrunk differently, of k-means in each, and of k-means."""
    plain = short_kmeans_start(Z, n_clusters, rng)
    if not len(constraints):
        return [plain]
    design = Design.of(Z, mean, bias=False)
    projections = ConstraintProjections(design, constraints, rng)
    starts = []
    for shrinkage in (1e-3, 1e-2, 0.1, 1.0):
        S = design.scores(projections.weights(n_clusters, shrinkage))
        starts += [S, short_kmeans_start(S, n_clusters, rng)]
    return [*starts, plain]
