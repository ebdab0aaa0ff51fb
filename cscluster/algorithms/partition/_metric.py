"""Learned metrics of the k-means family: one or one for each cluster, diagonal or full.

With the violated constraints as they are, the objective is the sum over metrics of
``<A, S> - n log det A``, where S collects the scatter of the n samples and the violated constraints
(equation 7 is ``A = n S^-1``).  S may be singular or indefinite, so the minimum is taken over the
metrics with ``A <= (floor V)^-1``, V the variances of the features: eigenvalues of ``S / n`` below
the floor are lifted to it.  That is the optimum and not merely a repair, so it cannot raise the
objective.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.partition._assign import Penalties
from cscluster.algorithms.partition._centers import inertia, squared_distances
from cscluster.algorithms.partition._closure import Closure, Violations
from cscluster.arrays import require_memory
from cscluster.linalg.kernels import squared_norms
from cscluster.linalg.scatter import group_sums


@dataclass(frozen=True)
class Euclidean:
    """Euclidean distances, and the same cost `w` for every violated constraint of weight one."""

    w: float
    n_clusters: int

    def distances(self, X: FloatArray, mu: FloatArray) -> FloatArray:
        """Return ``||x_i - mu_h||^2``."""
        return squared_distances(X, mu)

    def penalties(self, X: FloatArray, closure: Closure) -> Penalties:
        """Return `w` for each constraint: the terms of equation (1)."""
        one = np.ones((1, len(closure.points), 1))
        extra = np.tile(self.w * closure.extra[:, None], self.n_clusters)
        return Penalties(self.w * one, self.w * one, one, extra)

    def update(
        self, X: FloatArray, labels: IntArray, mu: FloatArray, closure: Closure
    ) -> tuple[Self, float, None]:
        """Return the model, which has nothing to learn, and the objective (1)."""
        violated = sum(each.cost.sum() for each in closure.violated(labels[closure.points]))
        return self, inertia(X, labels, mu) + self.w * float(violated), None


@dataclass(frozen=True)
class Metrics:
    """Distances ``(x - y)^T A (x - y)`` with ``A = L L^T``, and penalties that follow them.

    Attributes
    ----------
    L : ndarray of shape (n_metrics, n_features[, n_features])
        Factors of the metrics, one or one for each cluster; the last axis is that of full matrices.
    log_det : ndarray of shape (n_metrics,)
        Logarithms of the determinants of A.
    far : ndarray of shape (n_metrics, n_features)
        Difference x' - x'' of the maximally separated pair; for diagonal matrices, of two opposite
        corners of the bounding box, which keeps every weight positive.
    w : float
        Cost of a violated constraint of weight one.
    floor : float
        Least eigenvalue of A^-1, relative to the variances of the features.
    variance : ndarray of shape (n_features,)
        These variances; one for constant features.
    constant : ndarray of shape (n_features,)
        Which features are constant; their weight is one.
    n_clusters : int
        Number of clusters K.
    n_floored : int
        Number of updates that needed the floor.
    """

    L: FloatArray
    log_det: FloatArray
    far: FloatArray
    w: float
    floor: float
    variance: FloatArray
    constant: NDArray[np.bool_]
    n_clusters: int
    n_floored: int = 0

    @classmethod
    def start(
        cls, X: FloatArray, n_clusters: int, *, metric: str, matrix: str, w: float, floor: float
    ) -> Self:
        """Return Euclidean metrics."""
        n_metrics, d = 1 if metric == "single" else n_clusters, X.shape[1]
        if matrix == "full":
            require_memory("matrix='full'", (3, n_metrics, d, d), "use diagonal matrices, or rca")
        one = np.ones(d) if matrix == "diagonal" else np.eye(d)
        constant = np.ptp(X, axis=0) == 0
        far = np.ptp(X, axis=0) if matrix == "diagonal" else farthest_pair(X, X, squared_norms(X))
        return cls(
            L=np.stack([one] * n_metrics),
            log_det=np.zeros(n_metrics),
            far=np.stack([far] * n_metrics),
            w=w,
            floor=floor,
            variance=np.where(constant, 1.0, X.var(axis=0)),
            constant=constant,
            n_clusters=n_clusters,
        )

    def matrices(self) -> FloatArray:
        """Return the matrices A of the metrics, or their diagonals."""
        return self.L**2 if self.L.ndim == 2 else self.L @ self.L.swapaxes(1, 2)

    def distances(self, X: FloatArray, mu: FloatArray) -> FloatArray:
        """Return ``||x_i - mu_h||^2_{A_h} - log det A_h``."""
        if len(self.L) == 1:
            return squared_distances(transform(X, self.L[0]), transform(mu, self.L[0])) - self.log_det
        columns = [
            squared_distances(transform(X, L), transform(mu[[h]], L)) - self.log_det[h]
            for h, L in enumerate(self.L)
        ]
        return np.hstack(columns)

    def penalties(self, X: FloatArray, closure: Closure) -> Penalties:
        """Return `w` times f_M and f_C of equations (4) and (5)."""
        Z = np.stack([transform(X[closure.points], L) for L in self.L])
        delta = np.array([(transform(far, L) ** 2).sum() for far, L in zip(self.far, self.L, strict=True)])
        square, one = (Z**2).sum(axis=2, keepdims=True), np.ones((*Z.shape[:2], 1))
        f_M = self.w * np.concatenate([square, -2 * Z, one], axis=2)
        f_C = -f_M
        f_C[:, :, 0] += self.w * delta[:, None]
        i, j = closure.pairs.T
        f = ((Z[:, i] - Z[:, j]) ** 2).sum(axis=2).T
        extra = self.w * closure.extra[:, None] * np.where(closure.is_must[:, None], f, delta - f)
        return Penalties(
            alpha=f_M,
            beta=f_C,
            phi=np.concatenate([one, Z, square], axis=2),
            extra=np.ascontiguousarray(np.broadcast_to(extra, (len(i), self.n_clusters))),
        )

    def update(
        self, X: FloatArray, labels: IntArray, mu: FloatArray, closure: Closure
    ) -> tuple[Self, float, FloatArray | None]:
        """Return the metrics of equations (7) and (8), and the objective (6) at them.

        Full ones map the samples to find the farthest; their `distances` then cost little and are returned.
        """
        full, single = self.L.ndim == 3, len(self.L) == 1
        X_points, violated = X[closure.points], closure.violated(labels[closure.points])
        L, log_det, far = np.empty_like(self.L), np.empty_like(self.log_det), self.far.copy()
        J, n_floored, columns = 0.0, 0, []
        for m in range(len(L)):
            inside = slice(None) if single else labels == m
            n = len(labels[inside])
            S = within_scatter(X[inside], labels[inside], mu, full)
            n_apart = 0.0
            for each in violated if single else [each.at(m) for each in violated]:
                S += self.w * violated_scatter(X_points, each, single, full)
                n_apart += self.w * each.cost[~each.is_must].sum()
            pair = self.far[m, None]
            mean = (S + n_apart * product(pair, pair, full)) / n
            mean += np.diag(self.constant) if full else self.constant
            L[m], log_det[m], floored = minimiser(mean, self.floor, self.variance)
            if full:
                Z = transform(X, L[m])
                norms = squared_norms(Z)
                far[m] = farthest_pair(X, Z, norms)
                centers = transform(mu if single else mu[[m]], L[m])
                columns.append(squared_distances(Z, centers, norms) - log_det[m])
            delta = (transform(far[m], L[m]) ** 2).sum()
            J += (transform(S, L[m]) * L[m]).sum() + n_apart * delta - n * log_det[m]
            n_floored |= floored
        model = replace(self, L=L, log_det=log_det, far=far, n_floored=self.n_floored + n_floored)
        return model, float(J), np.hstack(columns) if full else None


def transform(X: FloatArray, L: FloatArray) -> FloatArray:
    """Map samples so that Euclidean distance becomes that of ``A = L L^T``."""
    return X * L if L.ndim == 1 else X @ L


def product(X: FloatArray, Y: FloatArray, full: bool) -> FloatArray:
    """Return ``X^T Y``, or only its diagonal."""
    return X.T @ Y if full else np.einsum("ij,ij->j", X, Y)


def within_scatter(X: FloatArray, labels: IntArray, mu: FloatArray, full: bool) -> FloatArray:
    """Return the sum of ``(x_i - mu)(x_i - mu)^T``, or its diagonal."""
    sizes = np.bincount(labels, minlength=len(mu))
    return product(X, X, full) - product(sizes[:, None] * mu, mu, full)


def violated_scatter(X: FloatArray, violated: Violations, single: bool, full: bool) -> FloatArray:
    """Return the terms ``(x_i - x_j)(x_i - x_j)^T`` of equation (7), or their diagonal.

    A violated must-link counts half for each of its two clusters, so once for a single metric.  The
    sum over all pairs of points of two cells needs only the sizes and sums of the cells.
    """
    a, b, n = violated.a, violated.b, violated.sizes
    v = violated.weight * np.where(violated.is_must, 1.0 if single else 0.5, -1.0)
    degree = np.bincount(a, v * n[b], len(n)) + np.bincount(b, v * n[a], len(n))
    sums = group_sums(X, violated.cell, len(n))
    across = product(v[:, None] * sums[a], sums[b], full)
    return product(degree[violated.cell, None] * X, X, full) - across - across.T


def minimiser(S: FloatArray, floor: float, variance: FloatArray) -> tuple[FloatArray, float, bool]:
    """Minimise ``<A, S> - log det A`` over the A whose inverse is at least ``floor * variance``.

    Returns L, where ``A = L L^T``, log det A, and whether that bound was met.
    """
    if S.ndim == 1:
        spectrum = S / variance
        lifted = np.maximum(spectrum, floor)
        L = 1 / np.sqrt(lifted * variance)
    else:
        scale = np.sqrt(variance)
        spectrum, U = np.linalg.eigh(S / np.outer(scale, scale))
        lifted = np.maximum(spectrum, floor)
        L = U / scale[:, None] / np.sqrt(lifted)
    return L, -float(np.log(lifted).sum() + np.log(variance).sum()), bool((spectrum < floor).any())


def farthest_pair(X: FloatArray, Z: FloatArray, norms: FloatArray) -> FloatArray:
    """Return the difference of the samples that are maximally separated in Z, or close to that.

    Z are the mapped samples, `norms` their squared norms.  The search goes to the sample farthest from the
    last one as long as the distance grows, O(n d) for each of a few steps.  The pair found is never less than
    1 / sqrt(3) as far apart.
    """
    last, here, longest = 0, _farthest_from(Z, norms, Z.mean(axis=0))[0], 0.0
    while True:
        there, distance = _farthest_from(Z, norms, Z[here])
        if distance <= longest:
            return X[here] - X[last]
        last, here, longest = here, there, distance


def _farthest_from(Z: FloatArray, norms: FloatArray, z: FloatArray) -> tuple[int, float]:
    distances = squared_distances(Z, z[None], norms)[:, 0]
    i = int(np.argmax(distances))
    return i, float(distances[i])
