"""CCSKL: a spectral kernel whose spectrum is learned from constraints."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from sklearn.neighbors import NearestNeighbors

from cscluster.algorithms.base import Clusterer, FloatArray, Samples
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.algorithms.spectral._rounding import kmeans_rounding
from cscluster.constraints import Constraints
from cscluster.linalg.eigen import leading_eigenvectors
from cscluster.linalg.graph import normalised, root_degrees
from cscluster.linalg.kernels import gaussian_weights


def neighbor_graph(X: FloatArray, n_neighbors: int, metric: str = "euclidean") -> sparse.csr_array:
    """Return Gaussian similarities between nearest neighbours, symmetric.

    The width is the mean distance between neighbours.  Two samples are joined if either is a
    neighbour of the other.  X holds samples, or with 'precomputed' the distances between them.
    """
    n = len(X)
    search = NearestNeighbors(n_neighbors=min(n_neighbors, n - 1), metric=metric)
    distances, near = search.fit(X).kneighbors()
    squared = distances**2
    similarity = gaussian_weights(squared, 2 * float(squared.mean()))
    starts = np.arange(0, near.size + 1, near.shape[1])
    W = sparse.csr_array((similarity.ravel(), near.ravel(), starts), shape=(n, n))
    return W.maximum(W.T).tocsr()


def smooth_eigenvectors(W: sparse.csr_array, count: int, rng: np.random.Generator) -> FloatArray:
    """Return the eigenvectors of the normalized Laplacian with the `count` smallest eigenvalues.

    They are columns of shape (n, count), the smoothest first, each of mean square one.
    """
    n = W.shape[0]
    V = leading_eigenvectors(normalised(W, root_degrees(W)), count, rng, lapack=2 * count + 1)[1]
    return V * np.sqrt(n)


def learn_spectrum(V: FloatArray, constraints: Constraints) -> FloatArray:
    r"""Return the spectrum ``beta_1 >= beta_2 >= ... >= 0`` of the kernel closest to the constraints.

    Minimises :math:`\sum_{ij} w_{ij} (\sum_q \beta_q v_{iq} v_{jq} - t_{ij})^2` where t is one for
    must-links and for each constrained sample with itself, and zero for cannot-links.  With
    ``beta_q = delta_q + delta_{q+1} + ...`` and ``delta >= 0`` that is non-negative least squares.
    """
    touched = constraints.touched
    i, j = np.concatenate([constraints.pairs, np.column_stack([touched, touched])]).T
    w = np.concatenate([constraints.weights, np.ones(len(touched))])
    t = np.concatenate([constraints.is_must, np.ones(len(touched))])
    sums = np.cumsum(V[i] * V[j], axis=1)
    delta = nnls(sums * np.sqrt(w)[:, None], t * np.sqrt(w))[0]
    return np.cumsum(delta[::-1])[::-1]


def shrunk_spectrum(V: FloatArray, constraints: Constraints, n_clusters: int, prior: float) -> FloatArray:
    r"""Return an ordered spectrum that fits the constraints and stays near that of spectral clustering.

    Minimises over ``beta_1 >= beta_2 >= ... >= 0``, with p constraints and the means weighted,

    .. math:: \frac p2 \operatorname{mean}_M (K_{ij} - 1)^2 + \frac p2 \operatorname{mean}_C K_{ij}^2
              + \mu r^2 \|\beta - \beta^0\|^2, \qquad \beta^0_q = 1/r \; (q \le r), \; 0 \; (q > r),

    where r is the number of clusters and mu the `prior`.  With r equal clusters, each a connected part of the
    graph, the kernel of beta^0 is one inside clusters and zero between them.
    """
    s, r = V.shape[1], n_clusters
    kinds = (
        (constraints.must_links, constraints.must_weights, 1.0),
        (constraints.cannot_links, constraints.cannot_weights, 0.0),
    )
    rows, targets = [np.sqrt(prior) * r * np.eye(s)], [np.sqrt(prior) * (np.arange(s) < r)]
    for pairs, weights, target in kinds:
        w = np.sqrt(weights * len(constraints) / (2 * max(float(weights.sum()), 1e-300)))
        rows.append(w[:, None] * V[pairs[:, 0]] * V[pairs[:, 1]])
        targets.append(w * target)
    sums = np.cumsum(np.concatenate(rows), axis=1)
    delta = nnls(sums, np.concatenate(targets))[0]
    return np.cumsum(delta[::-1])[::-1]


class CCSKL(Clusterer):
    r"""Constrained clustering by spectral kernel learning.

    Learns the kernel

    .. math:: K = \sum_{q=1}^{s} \beta_q v_q v_q^T, \qquad \beta_1 \ge \beta_2 \ge ... \ge \beta_s \ge 0

    that comes closest to one for must-links and to zero for cannot-links, where v_1, v_2, ... are the
    smoothest eigenvectors of the normalized Laplacian of a nearest-neighbour graph, then clusters by
    k-means in the space of the kernel.

    Attributes
    ----------
    spectrum_ : ndarray of shape (n_components,)
        The coefficients beta.

    Notes
    -----
    Readings.  From the paper come a spectral kernel that respects both the graph and the constraints,
    weighted constraints, and a convex quadratic program for the spectrum.  Choices made here: neighbours
    weighed by a Gaussian as wide as their mean distance, 50 eigenvectors, and what keeps the kernel from
    being zero where there are cannot-links alone: ``K_ii = 1`` asked of constrained samples (``prior=0``),
    or a spectrum near that of spectral clustering.  Eigenvectors have mean square one, so that targets and
    spectrum are of the same size for any n.

    The ordered spectrum keeps the kernel smooth on the graph.  As its differences are non-negative,
    the quadratic program of the paper is non-negative least squares, solved exactly.  Without constraints
    the first `n_clusters` eigenvectors count alike, which is spectral clustering.  The neighbours
    take O(n^2 d), the eigenvectors some products with the sparse graph, the spectrum O(p s^2) for p
    constraints.

    References
    ----------
    .. [1] Z. Li, J. Liu, "Constrained Clustering by Spectral Kernel Learning", 2009.
       doi:10.1109/ICCV.2009.5459157

    Examples
    --------
    >>> from cscluster import CCSKL
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = CCSKL(n_clusters=2, n_neighbors=2, random_state=0)
    >>> labels = model.fit(X, constraints=[(0, 1, "must"), (1, 4, "cannot")]).labels_
    >>> bool(labels[0] == labels[2] != labels[3] == labels[5])
    True
    """

    version = 4

    prior: float = parameter(
        5.0,
        "mu: how many constraints the spectrum of spectral clustering is worth. Samples are then scaled to "
        "unit length in the learned space. Zero: K_ii = 1 is asked of constrained samples instead",
        Real(0),
        published=0.0,
        why="K_ii = 1 flattens the spectrum with every further constraint",
    )
    n_neighbors: int = parameter(20, "neighbours that each sample is joined with", Integer(1))
    n_components: int = parameter(50, "number of eigenvectors s, at most all", Integer(1))
    n_init: int = parameter(10, "number of starts of k-means", Integer(1))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Learn the spectrum and cluster.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        rng = np.random.default_rng(self._seed)
        V = smooth_eigenvectors(neighbor_graph(X, self.n_neighbors), min(self.n_components, len(X)), rng)
        if not len(constraints):
            self.spectrum_ = (np.arange(V.shape[1]) < self.n_clusters).astype(np.float64)
        elif self.prior:
            self.spectrum_ = shrunk_spectrum(V, constraints, self.n_clusters, self.prior)
        else:
            self.spectrum_ = learn_spectrum(V, constraints)
        Z = V * np.sqrt(self.spectrum_)
        if self.prior:
            Z /= np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), np.finfo(np.float64).tiny)
        return self._set_kmeans_partition(kmeans_rounding(Z, self.n_clusters, self.n_init, rng))
