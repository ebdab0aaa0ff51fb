"""Generalised maximum margin clustering: a semidefinite program with n variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.linalg
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from cscluster.algorithms.base import Clusterer, FloatArray, Samples
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.constraints import Constraints
from cscluster.errors import DataError

MAX_SAMPLES = 4000
_RIDGE = 1e-6
"""Share of the mean diagonal that is added to K's diagonal, so that it has an inverse."""

_TO_BOUNDARY = 0.95
_SHORTEST = 1e-10


@dataclass(frozen=True)
class Solution:
    """Primal point gamma and dual point Z.

    Attributes
    ----------
    values : ndarray
        Objective ``e^T gamma`` of each iterate; all are feasible.
    bound : float
        Dual objective at Z, which no feasible gamma exceeds.
    """

    gamma: FloatArray
    Z: FloatArray
    values: FloatArray
    bound: float
    converged: bool


def program_matrix(K: FloatArray, balance_weight: float) -> FloatArray:
    """Return ``A = P^T K^-1 P + C_e e0 e0^T`` with ``P = (I, e)`` and ``e0 = (e, 0)``."""
    n = len(K)
    K = K + _RIDGE * np.trace(K) / n * np.eye(n)
    P = np.column_stack([np.eye(n), np.ones(n)])
    A = P.T @ cho_solve(cho_factor(K), P)
    A[:n, :n] += balance_weight
    return (A + A.T) / 2


def dual_value(Z: FloatArray, A: FloatArray, C: float) -> float:
    """Return ``tr(Z A) + C sum_i max(0, 1 - Z_ii)``, an upper bound of the program for any Z >= 0."""
    return float(np.einsum("ij,ij->", Z, A) + C * np.maximum(0, 1 - np.diag(Z)[:-1]).sum())


def solve(A: FloatArray, C: float, tol: float, max_iter: int) -> Solution:
    """Maximise ``e^T gamma`` subject to ``S = A - diag(gamma, 0) >= 0`` and ``0 <= gamma <= C``.

    A primal-dual interior point method.  With multipliers Z, u and v the central path is

        S Z = mu I,   u gamma = mu,   v (C - gamma) = mu,   Z_ii + v_i - u_i = 1;

    its linearisation leaves one n x n system in the step of gamma, with the matrix
    ``S^-1 o Z + diag(u / gamma + v / (C - gamma))``.  All iterates are feasible on both sides.
    """
    n = len(A) - 1
    i = np.arange(n)
    gamma = np.full(n, 0.5 * min(C, float(scipy.linalg.eigvalsh(A, subset_by_index=(0, 0))[0])))
    inverse = _inverse(_slack(A, gamma))
    mu = 1 / inverse[i, i].mean()
    Z = mu * inverse
    v = mu / (C - gamma) + np.maximum(0, 1 - Z[i, i])
    u = v + Z[i, i] - 1
    primal = dual = 0.0
    values: list[float] = []
    converged = False
    for _ in range(max_iter):
        S = _slack(A, gamma)
        values.append(float(gamma.sum()))
        bound = dual_value(Z, A, C)
        converged = bound - values[-1] <= tol * bound
        if converged:
            break
        inverse = _inverse(S)
        target = 0.25 if primal + dual > 1.8 else 0.5  # ask for more after long steps
        mu = target * (np.einsum("ij,ij->", S, Z) + u @ gamma + v @ (C - gamma)) / (3 * n + 1)
        H = inverse[:n, :n] * Z[:n, :n]
        H[i, i] += u / gamma + v / (C - gamma)
        right = 1 - mu * inverse[i, i] - mu / (C - gamma) + mu / gamma
        d_gamma = cho_solve(cho_factor(H, overwrite_a=True, check_finite=False), right)
        d_Z = mu * inverse - Z + (inverse[:, :n] * d_gamma) @ Z[:n]
        d_Z = (d_Z + d_Z.T) / 2
        d_u = (mu - u * d_gamma) / gamma - u
        d_v = (mu + v * d_gamma) / (C - gamma) - v
        primal = min(_reach(S, -np.diag(np.append(d_gamma, 0))), _to_zero(gamma, d_gamma))
        primal = min(primal, _to_zero(C - gamma, -d_gamma))
        dual = min(_reach(Z, d_Z), _to_zero(u, d_u), _to_zero(v, d_v))
        gamma = gamma + primal * d_gamma
        Z, u, v = Z + dual * d_Z, u + dual * d_u, v + dual * d_v
    return Solution(gamma, Z, np.array(values), dual_value(Z, A, C), converged)


def _slack(A: FloatArray, gamma: FloatArray) -> FloatArray:
    S = A.copy()
    S[np.diag_indices(len(gamma))] -= gamma
    return S


def _inverse(S: FloatArray) -> FloatArray:
    """Return the inverse of a positive definite matrix through its Cholesky factor."""
    factor = scipy.linalg.cholesky(S, lower=True, check_finite=False)
    inverse = lapack.dpotri(factor, lower=True)[0]
    return np.tril(inverse) + np.tril(inverse, -1).T


def _reach(X: FloatArray, step: FloatArray) -> float:
    """Return a step length at most one that keeps a matrix positive definite."""
    length = 1.0
    while length > _SHORTEST:
        try:
            scipy.linalg.cholesky(X + length * step, overwrite_a=True, check_finite=False)
        except LinAlgError:
            length *= 0.8
        else:
            return _TO_BOUNDARY * length
    return 0.0


def _to_zero(x: FloatArray, step: FloatArray) -> float:
    """Return a step length at most one that keeps a vector positive."""
    falling = step < 0
    return _TO_BOUNDARY * float(min(1.0, (-x[falling] / step[falling]).min(initial=1.0)))


class GMMC(KernelEstimator, Clusterer):
    r"""Generalised maximum margin clustering, without constraints.

    For two clusters and decision values f the problem

    .. math:: \min_{f, b} \; (f - b e)^T K^{-1} (f - b e) + C_e (e^T f)^2 \text{ subject to } f_i^2 \ge 1

    where slack is priced by C, is relaxed to its dual

    .. math:: \max_\gamma \; e^T \gamma \text{ subject to }
              P^T K^{-1} P + C_e e_0 e_0^T - \mathrm{diag}(\gamma, 0) \succeq 0, \; 0 \le \gamma \le C

    with P = (I, e) and :math:`e_0 = (e, 0)`.

    Attributes
    ----------
    gap_ : float
        Certificate: value of a feasible dual point minus the value reached.
    soft_labels_ : ndarray of shape (n_samples,)
        The eigenvector whose signs are the labels.

    Notes
    -----
    The multiplier Z of the matrix inequality relaxes ``(f, -b)(f, -b)^T``; labels are the signs of
    its leading eigenvector, as the original reads them from the null space of the slack matrix,
    which need not have dimension one.  K gets a ridge of 1e-6 of its mean diagonal.

    A step of the primal-dual solver costs O(n^3); thirty to a hundred are needed.

    References
    ----------
    .. [1] H. Valizadegan, R. Jin, "Generalized Maximum Margin Clustering and Unsupervised Kernel
       Learning", 2007.
    .. [2] K. Zhang, I. Tsang, J. Kwok, "Maximum Margin Clustering Made Practical", IEEE
       Transactions on Neural Networks 20 (4), 2009, (7).
    .. [3] C. Helmberg, F. Rendl, R. Vanderbei, H. Wolkowicz, "An Interior-Point Method for
       Semidefinite Programming", 1996, the direction taken. doi:10.1137/0806020

    Examples
    --------
    >>> from cscluster import GMMC
    >>> labels = GMMC().fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]).labels_
    >>> bool((labels[:3] == labels[0]).all() and (labels[3:] != labels[0]).all())
    True
    """

    accepts_sparse = True

    n_clusters: int = parameter(2, "number of clusters; only two are possible", Integer(2, 2))
    sigma: float = 2.0
    C: float = parameter(10.0, "price of slack, the upper bound of gamma", Real(0, open_low=True))
    balance_weight: float = parameter(
        1.0, "the weight C_e of (e^T f)^2, which balances the clusters", Real(0, open_low=True)
    )
    tol: float = parameter(1e-4, "relative duality gap at which the solver stops", Real(0, open_low=True))
    max_iter: int = parameter(200, "iteration limit of the solver", Integer(1))

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X` into two clusters; the links are not used."""
        X, _ = self._validate(X, constraints)
        n = X.shape[0]
        if not 2 <= n <= MAX_SAMPLES:
            raise DataError(
                f"GMMC solves a semidefinite program for 2 to {MAX_SAMPLES} samples, got {n}; use IterSVR."
            )
        K = self._kernel_for(X)(X)
        A = program_matrix(K, self.balance_weight)
        solution = solve(A, self.C, self.tol, self.max_iter)
        f = scipy.linalg.eigh(solution.Z, subset_by_index=(n, n))[1][:n, 0]
        self.soft_labels_, self.labels_ = f, (f > 0).astype(np.int64)
        self.gap_ = solution.bound - float(solution.values[-1])
        self.n_iter_, self.converged_ = len(solution.values), solution.converged
        self.objective_ = solution.values
        return self
