"""From many partitions to one: alignment of labels, and the spectral consensus with constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.ensemble._labels import Labels, Table, embed, normalized
from cscluster.arrays import require_memory
from cscluster.constraints import Constraints
from cscluster.linalg.eigen import leading_eigenvectors

_SMALL = 500
"""Rows of a matrix up to which all of its eigenvectors are computed."""
_PAIRS = 20_000
"""Pairs whose products of coordinates are in memory at once."""
_RESTARTS = 500
"""Of Lanczos' method: eigenvalues closer than single precision tells apart do not converge."""


def align(L: Labels, n_clusters: int, sample: IntArray) -> None:
    """Renumber the clusters of each partition, in place, so that numbers agree between partitions.

    Partition after partition is matched to the votes of those before it by the assignment problem
    that preserves most votes of the `sample` (a sum over pairs of clusters, solved exactly).
    """
    S = np.ascontiguousarray(L[:, sample])
    votes = np.zeros((S.shape[1], n_clusters))
    samples = np.arange(S.shape[1])
    for k in range(len(L)):
        if k:
            agreement = np.zeros((n_clusters, n_clusters))
            np.add.at(agreement, S[k], votes)
            number = linear_sum_assignment(agreement, maximize=True)[1].astype(L.dtype)
            S[k], L[k] = number[S[k]], number[L[k]]
        votes[samples, S[k]] += 1


@compiled(nogil=True)
def co_occurrence(L: Labels, offsets: IntArray) -> FloatArray:
    """Return ``B^T B``, where B has a column for each cluster of each partition.

    Entry (a, b) is the number of samples that lie in cluster a and in cluster b.
    """
    counts = np.zeros((offsets[-1], offsets[-1]))
    for k in range(len(L)):
        for q in range(k + 1):
            for i in range(L.shape[1]):
                counts[offsets[k] + L[k, i], offsets[q] + L[q, i]] += 1
            for a in range(offsets[k], offsets[k + 1]):
                for b in range(offsets[q], offsets[q + 1]):
                    counts[b, a] = counts[a, b]
    return counts


def cluster_coordinates(L: Labels, n_per_partition: IntArray, n_components: int) -> tuple[Table, FloatArray]:
    """Return coordinates of all clusters, of shape (m, largest number of clusters, n_components).

    A sample's coordinates are the sum of those of its m clusters.  They are the eigenvectors of the
    bipartite graph that joins each sample with its clusters [1]_: with B the samples' rows of m
    ones and D its column sums, those of ``D^-1/2 B^T B D^-1/2 / m``.  The constant eigenvector is
    removed beforehand, as other eigenvalues may be one as well.  Also returned are the eigenvalues.

    References
    ----------
    .. [1] X. Fern, C. Brodley, "Solving Cluster Ensemble Problems by Bipartite Graph Partitioning",
       2004. doi:10.1145/1015330.1015414
    """
    m, k_max = len(L), int(n_per_partition.max())
    offsets = np.concatenate([[0], np.cumsum(n_per_partition)])
    G = co_occurrence(L, offsets)
    root = np.sqrt(np.maximum(np.diag(G), 1))
    G /= m * root
    G /= root[:, None]
    constant = root / np.linalg.norm(root)
    G -= np.outer(constant, constant)
    s, V = spectrum(G, min(n_components, len(G)))
    V /= root[:, None]
    tables = np.zeros((m, k_max, n_components), dtype=np.float32)
    for k in range(m):
        tables[k, : n_per_partition[k], : V.shape[1]] = V[offsets[k] : offsets[k + 1]]
    scale = np.abs(tables).max()
    eigenvalues = np.zeros(n_components)
    eigenvalues[: len(s)] = np.clip(s, 0, 1)
    return tables / scale, eigenvalues


def spectrum(G: FloatArray | sparse.sparray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of G and their eigenvectors, the same whatever was drawn before."""
    rng = np.random.default_rng(0)
    return leading_eigenvectors(G, count, rng, lapack=max(_SMALL, 3 * count), restarts=_RESTARTS)


@dataclass(frozen=True)
class LearnedKernel:
    r"""The kernel ``u_i^T Q u_j`` of unit coordinates u that agrees best with the constraints so far.

    Q minimises, over symmetric matrices,

    .. math:: \tfrac12 \operatorname{mean}_{M} (1 - u_i^T Q u_j)^2
              + \tfrac12 \operatorname{mean}_{C} (u_i^T Q u_j)^2 + \frac{\mu}{p} \|Q - S\|_F^2

    where p is the number of constraints and S the diagonal matrix `prior`; its negative part is dropped
    afterwards.  The sums over constraints are stored as matrices, so that constraints are never needed again,
    and in parts they give the same kernel as all at once.

    Attributes
    ----------
    prior : ndarray of shape (n_components,)
        The diagonal of S, which is Q without constraints.
    must, cannot : ndarray of shape (s, s)
        Sums of ``w z z^T`` over constraints, z the upper triangle of the symmetric part of u_i u_j^T.
    pull : ndarray of shape (s,)
        Sum of ``w z`` over must-links.
    must_weight, cannot_weight : float
        Total weights.
    """

    prior: FloatArray
    must: FloatArray
    cannot: FloatArray
    pull: FloatArray
    must_weight: float
    cannot_weight: float

    @classmethod
    def empty(cls, prior: FloatArray) -> Self:
        """Return the kernel without constraints, Q = S."""
        s = len(prior) * (len(prior) + 1) // 2
        require_memory("LandmarkEnsemble", (2, s, s), "use SCSC or fewer clusters")
        return cls(prior, np.zeros((s, s)), np.zeros((s, s)), np.zeros(s), 0.0, 0.0)

    def add(self, L: Labels, tables: Table, constraints: Constraints) -> Self:
        """Return the kernel of these constraints as well."""
        kernel = self
        for start in range(0, len(constraints), _PAIRS):
            some = np.arange(start, min(start + _PAIRS, len(constraints)))
            kernel = kernel._add(L, tables, constraints.select(some))
        return kernel

    def _add(self, L: Labels, tables: Table, constraints: Constraints) -> Self:
        a, b = constraints.must_weights, constraints.cannot_weights
        M, C = (_products(L, tables, pairs) for pairs in (constraints.must_links, constraints.cannot_links))
        return replace(
            self,
            must=self.must + (M.T * a) @ M,
            cannot=self.cannot + (C.T * b) @ C,
            pull=self.pull + a @ M,
            must_weight=self.must_weight + float(a.sum()),
            cannot_weight=self.cannot_weight + float(b.sum()),
        )

    def map(self, mu: float) -> FloatArray:
        """Return a matrix T with ``T T^T`` the positive part of Q."""
        total = self.must_weight + self.cannot_weight
        if total == 0:
            return np.diag(np.sqrt(self.prior))
        must = total / (2 * self.must_weight) if self.must_weight else 0.0
        cannot = total / (2 * self.cannot_weight) if self.cannot_weight else 0.0
        M = len(self.prior)
        i, j = np.triu_indices(M)
        H = must * self.must + cannot * self.cannot + mu * np.eye(len(i))
        z = np.linalg.solve(H, must * self.pull + mu * np.diag(self.prior)[i, j])
        Q = np.zeros((M, M))
        Q[i, j] = Q[j, i] = np.where(i == j, z, z / np.sqrt(2))
        s, V = np.linalg.eigh(Q)
        return V * np.sqrt(np.maximum(s, 0))


def _products(L: Labels, tables: Table, pairs: IntArray) -> FloatArray:
    """Return z for each pair, scaled so that ``z^T z'`` is the inner product of the matrices."""
    U, V = (normalized(embed(L[:, ends], tables)).astype(np.float64) for ends in pairs.T)
    i, j = np.triu_indices(tables.shape[2])
    return np.where(i == j, U[:, i] * V[:, j], (U[:, i] * V[:, j] + U[:, j] * V[:, i]) / np.sqrt(2))
