"""A Gaussian mixture whose posteriors follow constraints."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import coo_array, csr_array
from scipy.special import softmax, xlogy

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.algorithms.partition.kmeans import quick_kmeans
from cscluster.algorithms.partition.pckmeans import PCKMeans
from cscluster.constraints import Constraints

_SWEEPS = 20
"""Rounds of the mean-field equations in an E step at the most."""


class Chunks(NamedTuple):
    """The must-linked sets of samples, single samples among them, and the cannot-links between them.

    Attributes
    ----------
    of : ndarray of shape (n_samples,)
        Number of each sample's chunk.
    members : csr_array of shape (n_chunks, n_samples)
        One where a sample lies in a chunk.
    apart : csr_array of shape (n_chunks, n_chunks)
        Total weight V of the cannot-links between two chunks.
    """

    of: IntArray
    members: csr_array
    apart: csr_array

    @classmethod
    def from_constraints(cls, constraints: Constraints) -> Self:
        """Join must-linked samples; a cannot-link inside of a chunk has no effect."""
        of = np.unique(constraints.components, return_inverse=True)[1].astype(np.int64)
        n, n_chunks = len(of), int(of.max()) + 1
        members = csr_array((np.ones(n), (of, np.arange(n))), shape=(n_chunks, n))
        a, b = of[constraints.cannot_links].T
        weights, one, other = (each[a != b] for each in (constraints.cannot_weights, a, b))
        half = coo_array((weights, (one, other)), shape=(n_chunks, n_chunks))
        return cls(of, members, csr_array(half + half.T))


class Mixture(NamedTuple):
    """Shares alpha (K,), means mu (K, d) and covariances: variances (K, d), or matrices (K, d, d)."""

    alpha: FloatArray
    mu: FloatArray
    covariances: FloatArray

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Return ``log N(x_i | mu_k, Sigma_k)``, of shape (n_samples, K)."""
        columns = [
            _log_density(X - mean, covariance)
            for mean, covariance in zip(self.mu, self.covariances, strict=True)
        ]
        return np.column_stack(columns)


def _log_density(Z: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return the log density of centered samples under variances (d,) or a covariance matrix (d, d)."""
    if covariance.ndim == 1:
        squares, log_determinant = Z**2 @ (1 / covariance), np.log(covariance).sum()
    else:
        L = cholesky(covariance, lower=True)
        squares = (solve_triangular(L, Z.T, lower=True) ** 2).sum(axis=0)
        log_determinant = 2 * np.log(np.diag(L)).sum()
    return -(squares + log_determinant + Z.shape[1] * np.log(2 * np.pi)) / 2


class ConstrainedGMM(Clusterer):
    r"""A Gaussian mixture: must-linked samples share a posterior, a cannot-link costs what two of them share.

    A chunk c is a set of must-linked samples.  A sample without must-links is a chunk of its own.  All
    samples of a chunk come from one component [1]_.  Cannot-links have a cost, and their posteriors q are
    those of mean field [2]_.  Expectation maximisation finds a local maximum of

    .. math:: \sum_c \sum_k q_{ck} \Big(\log \alpha_k + \sum_{i \in c} \log N(x_i | \mu_k, \Sigma_k)
              - \log q_{ck}\Big) - w \sum_{c < c'} V_{cc'} \sum_k q_{ck} q_{c'k}
              - \frac{\nu}{2} \sum_k \big(\log |\Sigma_k| + \operatorname{tr} \Sigma_k^{-1} T\big)

    with V the total weight of the cannot-links between two chunks.  The last term is a prior: each
    covariance sees nu more samples of covariance T, the diagonal matrix of the variances of the features
    over :math:`K^{2/d}` [3]_.

    Use it for clusters of different extent or direction, where must-links are right and probabilities are
    wanted.  With few samples for each feature, choose 'diag' or 'spherical'.  Do not use it where classes
    have other shapes, or where must-links may be wrong: none is ever violated.

    Attributes
    ----------
    weights_ : ndarray of shape (n_clusters,)
        The shares alpha of the components among the chunks.
    means_ : ndarray of shape (n_clusters, n_features)
        The means mu.
    covariances_ : ndarray of shape (n_clusters, n_features) or (n_clusters, n_features, n_features)
        Variances, or covariance matrices where `covariance` is 'tied' or 'full'.
    probabilities_ : ndarray of shape (n_samples, n_clusters)
        The posteriors q of the samples, which know the constraints.

    Notes
    -----
    Readings.  Chunks, not samples, are drawn from the components, so that alpha is a share of chunks, the
    first of two models in [1]_.  Soft must-links are taken as hard, which needs no second penalty.

    `objective_` is the negative of the maximised function and never rises.  `predict_proba` knows nothing of
    constraints.

    An iteration takes O(n K d) with variances and O(n K d^2 + K d^3) with matrices.  A cannot-link adds O(K).

    References
    ----------
    .. [1] N. Shental, A. Bar-Hillel, T. Hertz, D. Weinshall, "Computing Gaussian Mixture Models with EM
       Using Equivalence Constraints", 2004, section 2.
    .. [2] Z. Lu, T. Leen, "Semi-Supervised Learning with Penalized Probabilistic Clustering", 2005,
       sections 3 and 4.
    .. [3] C. Fraley, A. Raftery, "Bayesian Regularization for Normal Mixture Estimation and Model-Based
       Clustering", 2007, section 3.  doi:10.1007/s00357-007-0004-5

    Examples
    --------
    >>> from cscluster import ConstrainedGMM
    >>> X = [[0.0], [0.2], [1.0], [5.0], [5.2], [3.1]]
    >>> model = ConstrainedGMM(n_clusters=2, random_state=0).fit(X, constraints=[(0, 5, "must")])
    >>> labels = model.labels_
    >>> bool(labels[0] == labels[5] != labels[3])
    True
    """

    weighs_constraints = False

    covariance: str = parameter(
        "tied",
        "covariances: one variance for each component ('spherical'), one for each feature too ('diag'), one "
        "matrix for all ('tied'), or one for each ('full')",
        Choice("spherical", "diag", "tied", "full"),
    )
    w: float = parameter(2.0, "cost w of a violated cannot-link, as a log likelihood", Real(0))
    shrinkage: float | str = parameter(
        "auto",
        "samples nu that the prior of a covariance is worth ('auto': two more than there are features)",
        Real(0, open_low=True),
        Choice("auto"),
        published=1e-6,
        why="the covariance of few samples is singular",
    )
    init: str = parameter("pckmeans", "clusters that it starts from", Choice("pckmeans", "kmeans"))
    max_iter: int = parameter(200, "iteration limit", Integer(1))
    tol: float = parameter(1e-5, "change of the objective per sample that counts as none", Real(0))

    @property
    def variant(self) -> str:
        """What its covariances are, where they are not the default."""
        return "" if self.covariance == "tied" else self.covariance

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        chunks = Chunks.from_constraints(constraints)
        q = self._start(X, constraints, chunks)
        nu, T = self._prior(X)
        objective: list[float] = []
        converged = False
        while not converged and len(objective) < self.max_iter:
            mixture = self._maximise(X, q[chunks.of], q.mean(axis=0), nu, T)
            evidence = chunks.members @ mixture.log_densities(X) + np.log(np.maximum(mixture.alpha, 1e-300))
            q = expectation(evidence, q, chunks.apart, self.w)
            free = free_energy(evidence, q, chunks.apart, self.w) - nu / 2 * self._penalty(mixture, T)
            objective.append(-free)
            converged = len(objective) > 1 and objective[-2] - objective[-1] <= self.tol * len(X)
        self.weights_, self.means_, self.covariances_ = mixture
        self.probabilities_ = q[chunks.of]
        labels = self.probabilities_.argmax(axis=1)
        return self._set_partition(labels, objective=objective, n_iter=len(objective), converged=converged)

    def predict_proba(self, X: Samples) -> FloatArray:
        """Return the posteriors of new samples, of shape (n_samples, n_clusters)."""
        X = self._validate_new(X)
        mixture = Mixture(self.weights_, self.means_, self.covariances_)
        return softmax(mixture.log_densities(X) + np.log(np.maximum(mixture.alpha, 1e-300)), axis=1)

    def predict(self, X: Samples) -> IntArray:
        """Return the component of the largest posterior of new samples."""
        return self.predict_proba(X).argmax(axis=1)

    def _start(self, X: FloatArray, constraints: Constraints, chunks: Chunks) -> FloatArray:
        """Return the share of each chunk's samples in each cluster of the start, of shape (n_chunks, K)."""
        if self.init == "pckmeans":
            start = PCKMeans(n_clusters=self.n_clusters, random_state=self._seed)
            labels = start.fit(X, constraints=constraints).labels_
        else:
            labels = quick_kmeans(X, self.n_clusters, self._seed).labels_
        shares = chunks.members @ np.eye(self.n_clusters)[labels]
        return shares / shares.sum(axis=1, keepdims=True)

    def _prior(self, X: FloatArray) -> tuple[float, FloatArray]:
        """Return nu and the diagonal of T."""
        d = X.shape[1]
        variances = X.var(axis=0)
        variances = np.maximum(variances, 1e-6 * variances.mean() or 1.0)
        nu = d + 2.0 if self.shrinkage == "auto" else float(self.shrinkage)
        return nu, variances / self.n_clusters ** (2 / d)

    def _maximise(self, X: FloatArray, q: FloatArray, alpha: FloatArray, nu: float, T: FloatArray) -> Mixture:
        """Return the mixture of the M step, for posteriors q of the samples."""
        n = np.maximum(q.sum(axis=0), 1e-12)
        mu = q.T @ X / n[:, None]
        if self.covariance in ("diag", "spherical"):
            scatter = np.stack([q[:, k] @ (X - mu[k]) ** 2 for k in range(len(n))])
            variances = (scatter + nu * T) / (n[:, None] + nu)
            if self.covariance == "spherical":
                variances = np.broadcast_to(variances.mean(axis=1, keepdims=True), variances.shape)
            return Mixture(alpha, mu, variances)
        scatter = np.stack([((X - mu[k]).T * q[:, k]) @ (X - mu[k]) for k in range(len(n))])
        if self.covariance == "full":
            return Mixture(alpha, mu, (scatter + nu * np.diag(T)) / (n[:, None, None] + nu))
        tied = (scatter.sum(axis=0) + nu * np.diag(T)) / (len(X) + nu)
        return Mixture(alpha, mu, np.broadcast_to(tied, scatter.shape))

    def _penalty(self, mixture: Mixture, T: FloatArray) -> float:
        """Return ``sum_k log |Sigma_k| + tr Sigma_k^-1 T``; a tied covariance counts once."""
        covariances = mixture.covariances[:1] if self.covariance == "tied" else mixture.covariances
        if covariances.ndim == 2:
            return float((np.log(covariances) + T / covariances).sum())
        traces = np.einsum("kjj,j->", np.linalg.inv(covariances), T)
        return float(np.linalg.slogdet(covariances)[1].sum() + traces)


def expectation(evidence: FloatArray, q: FloatArray, apart: csr_array, w: float) -> FloatArray:
    """Return the posteriors of the chunks: exact without cannot-links, by mean field with them.

    Each round solves ``q_c = softmax(evidence_c - w sum_c' V_cc' q_c')`` for one chunk after another, which
    never lowers the free energy.
    """
    linked = np.flatnonzero(np.diff(apart.indptr))
    start = q
    q = softmax(evidence, axis=1)
    q[linked] = start[linked]
    if len(linked):
        _mean_field(evidence, q, linked, apart.indptr, apart.indices, w * apart.data)
    return q


@compiled()
def _mean_field(
    evidence: FloatArray,
    q: FloatArray,
    linked: IntArray,
    indptr: IntArray,
    indices: IntArray,
    cost: FloatArray,
) -> None:
    """Solve the mean-field equations in place, chunk by chunk."""
    n_clusters = q.shape[1]
    field = np.empty(n_clusters)
    for _ in range(_SWEEPS):
        change = 0.0
        for c in linked:
            field[:] = evidence[c]
            for place in range(indptr[c], indptr[c + 1]):
                for k in range(n_clusters):
                    field[k] -= cost[place] * q[indices[place], k]
            field[:] = np.exp(field - field.max())
            total = field.sum()
            for k in range(n_clusters):
                change = max(change, abs(q[c, k] - field[k] / total))
                q[c, k] = field[k] / total
        if change < 1e-6:
            return


def free_energy(evidence: FloatArray, q: FloatArray, apart: csr_array, w: float) -> float:
    """Return ``sum_c q_c (evidence_c - log q_c) - w sum_(c < c') V_cc' q_c q_c'``."""
    return float((q * evidence).sum() - xlogy(q, q).sum() - w / 2 * (q * (apart @ q)).sum())
