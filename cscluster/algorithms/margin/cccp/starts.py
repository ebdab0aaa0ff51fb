"""Label-free starts: scores from which CCCP takes its first tangent."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import eigh

from cscluster.algorithms.base import FloatArray, IntArray, Samples, dense
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.constraints import Constraints


class LinkProjections:
    """Projections that keep must-linked samples close and cannot-linked ones far apart, eq. (18).

    The columns of A are the generalised eigenvectors for the largest eigenvalues of

        S_c a = mu (S_m + shrinkage * mean(diag(S_m)) I) a,      A.T S_m A = I.

    They are computed in the span of the differences x_j1 - x_j2, where they lie.  Where there is
    no cannot-link, random pairs stand in for them; without must-links S_m = 0, and the identity,
    scaled as S_c, is all that remains.
    """

    def __init__(self, design: Design, links: Constraints, rng: np.random.Generator) -> None:
        n, d = design.X.shape
        must, cannot = links.must_links, links.cannot_links
        if not len(cannot):
            cannot = rng.permutation(n)[: 2 * (n // 2)].reshape(-1, 2)
        D_m = _scaled_differences(design, must, links.must_weights)
        D_c = _scaled_differences(design, cannot, links.cannot_weights)
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
        """Return A.T, shape (n_clusters, d); rows are zero where there are too few links."""
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


def _scaled_differences(design: Design, links: IntArray, weights: FloatArray) -> FloatArray:
    """Return the rows D with D.T @ D = the weighted mean of (x_j1 - x_j2)(x_j1 - x_j2).T."""
    w = weights if len(weights) == len(links) else np.ones(len(links))
    D = dense(design.X[links[:, 0]] - design.X[links[:, 1]])
    return D * np.sqrt(w / max(w.sum(), 1e-300))[:, None]


def centre_scores(Z: Samples, kmeans: KMeans) -> FloatArray:
    """Return scores whose winner is the nearest centre of k-means: z @ c - ||c||^2 / 2."""
    centers = kmeans.cluster_centers_
    return np.asarray(Z @ centers.T) - 0.5 * (centers**2).sum(axis=1)


def kmeans_scores(Z: Samples, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Return the `centre_scores` of k-means, the better of two runs."""
    seed = int(rng.integers(2**31))
    return centre_scores(Z, KMeans(n_clusters=n_clusters, n_init=2, random_state=seed).fit(Z))


def paper_start(design: Design, links: Constraints, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Return the scores of the projection (18) alone; S_m is shrunk only if it is singular."""
    projections = LinkProjections(design, links, rng)
    return design.scores(projections.weights(n_clusters, 1e-3 if projections.is_singular() else 0.0))


def projected_starts(
    design: Design, links: Constraints, n_clusters: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Yield scores: projections (18) of several shrinkages, and k-means in them; none without links."""
    if not len(links):
        return
    projections = LinkProjections(design, links, rng)
    for shrinkage in (1e-3, 1e-2, 0.1, 1.0):
        Z = design.scores(projections.weights(n_clusters, shrinkage))
        yield Z
        yield kmeans_scores(Z, n_clusters, rng)
