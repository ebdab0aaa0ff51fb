"""CSP: flexible constrained spectral clustering."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

from cscluster.algorithms.base import Clusterer, FloatArray, Samples
from cscluster.algorithms.distance_parameters import DistanceEstimator
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.algorithms.spectral._rounding import kmeans_rounding
from cscluster.algorithms.spectral.ccskl import neighbor_graph
from cscluster.constraints import Constraints
from cscluster.linalg.eigen import restart_vectors
from cscluster.linalg.graph import adjacency, normalised, root_degrees

_RIDGE = 1e-4
"""Added to the Laplacian, whose null space has a dimension for each part of the graph."""

_DENSE = 1000
"""Up to so many samples LAPACK is used."""


def constraint_matrix(constraints: Constraints) -> sparse.csr_array:
    """Return Q: the weights of must-links, and those of cannot-links with a minus sign."""
    signed = np.where(constraints.is_must, constraints.weights, -constraints.weights)
    return adjacency(constraints.pairs, signed, constraints.n_samples)


def constrained_eigenvectors(
    L: sparse.csr_array, Q: sparse.csr_array, trivial: FloatArray, beta: float, count: int, v0: FloatArray
) -> tuple[FloatArray, FloatArray]:
    r"""Return the `count` largest theta and their v, as columns, of
    :math:`P (Q - \beta I) P v = \theta (L + \epsilon I) v`.

    P projects the unit vector `trivial` out, and :math:`\theta = 1 / \lambda` of [1]_; the v have norm one.
    """  # noqa: D205
    n = L.shape[0]
    B = (L + _RIDGE * sparse.eye_array(n)).tocsc()

    def project(v: FloatArray) -> FloatArray:
        return v - trivial[:, None] * (trivial @ v) if v.ndim == 2 else v - trivial * (trivial @ v)

    def apply(v: FloatArray) -> FloatArray:
        w = project(v)
        return project(Q @ w - beta * w)

    if n <= max(_DENSE, 2 * count):
        A = apply(np.eye(n))
        theta, V = scipy.linalg.eigh((A + A.T) / 2, B.toarray(), subset_by_index=(n - count, n - 1))
    else:
        operator = LinearOperator((n, n), apply, dtype=np.float64)
        theta, V = eigsh(operator, k=count, M=B, which="LA", v0=v0, **restart_vectors())
    order = np.argsort(-theta)
    V = V[:, order] / np.linalg.norm(V[:, order], axis=0)
    return theta[order], V


class CSP(DistanceEstimator, Clusterer):
    r"""Spectral clustering that asks for a degree to which constraints are satisfied.

    With W the affinity of nearest neighbours, D its degrees, :math:`\bar L = I - D^{-1/2} W D^{-1/2}` and
    :math:`\bar Q = D^{-1/2} Q D^{-1/2}` of the constraint matrix Q (weights of must-links, minus those of
    cannot-links), finds K - 1 vectors of least cost that satisfy the constraints,

    .. math:: \min_v v^T \bar L v \quad \text{subject to} \quad v^T \bar Q v \ge \alpha, \; v^T v = 1,

    which are eigenvectors of :math:`\bar L v = \lambda (\bar Q - \beta I) v` with
    :math:`\lambda > 0`, then clusters the rows of :math:`D^{-1/2} V` by k-means.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_clusters - 1,)
        The values lambda of the vectors used.
    embedding_ : ndarray of shape (n_samples, n_clusters - 1)
        The rows that k-means clusters.

    Notes
    -----
    Readings.  The graph joins nearest neighbours, as in `CCSKL`.  [1]_ uses all pairs.  Vectors are
    orthogonal to the trivial one, :math:`D^{1/2} 1`, which [1]_ excludes.  :math:`\bar L` gets a ridge of
    1e-4, so that unconnected parts of the graph do no harm.  Beta is `strength` times the (K - 1)-th
    largest eigenvalue of :math:`\bar Q`, which leaves K - 1 feasible vectors.  The larger it is, the more
    the vectors single out samples with many constraints.  Of the feasible ones those with the smallest
    lambda are taken.  Without constraints Q is D, and the method is spectral clustering [1]_.

    The eigenvectors take O(n^3) up to 1000 samples.  Beyond that an iterative solver factorises the sparse
    graph once and takes a solution with it in each step.

    References
    ----------
    .. [1] X. Wang, I. Davidson, "Flexible Constrained Spectral Clustering", KDD 2010, equations (3) to
       (10), Algorithm 1. doi:10.1145/1835804.1835877

    Examples
    --------
    >>> from cscluster import CSP
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = CSP(n_clusters=2, n_neighbors=2, random_state=0)
    >>> labels = model.fit(X, constraints=[(0, 1, "must"), (1, 4, "cannot")]).labels_
    >>> bool(labels[0] == labels[2] != labels[3] == labels[5])
    True
    """

    version = 3
    added_parameters = ("metric",)

    n_neighbors: int = parameter(10, "neighbours that each sample is joined with", Integer(1))
    strength: float = parameter(
        0.0,
        "degree to which constraints must be satisfied, relative to the most that K - 1 vectors can",
        Real(0, 1),
    )
    n_init: int = parameter(10, "number of starts of k-means", Integer(1))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Solve the eigenproblem and cluster.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        rng = np.random.default_rng(self._seed)
        n, count = len(X), max(self.n_clusters - 1, 1)
        if self.metric == "precomputed":
            X = self._distances(X)
        W = neighbor_graph(X, self.n_neighbors, self.metric)
        root = root_degrees(W)
        L = (sparse.eye_array(n) - normalised(W, root)).tocsr()
        Q = sparse.eye_array(n).tocsr()
        if len(constraints):
            Q = normalised(constraint_matrix(constraints), root)
        v0 = rng.standard_normal(n)
        beta = self.strength * feasible_level(Q, min(count, n - 1), v0)
        trivial = root / np.linalg.norm(root)
        theta, V = constrained_eigenvectors(L, Q, trivial, beta, min(count, n - 1), v0)
        self.eigenvalues_ = 1 / theta
        self.embedding_ = V / root[:, None]
        model = kmeans_rounding(self.embedding_, self.n_clusters, self.n_init, rng)
        return self._set_kmeans_partition(model, objective=np.trace(V.T @ (L @ V)))


def feasible_level(Q: sparse.csr_array, count: int, v0: FloatArray) -> float:
    """Return the eigenvalue number `count` of Q, the largest being number one."""
    n = Q.shape[0]
    if n <= max(_DENSE, 2 * count):
        return float(np.linalg.eigvalsh(Q.toarray())[-count])
    return float(eigsh(Q, k=count, which="LA", v0=v0, return_eigenvectors=False).min())
