"""Generalised maximum margin clustering: a semidefinite program with n variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
from scipy.linalg import LinAlgError, cho_factor, cho_solve, lapack

from cscluster.algorithms.base import Clusterer, FloatArray, Samples
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.errors import DataError

MAX_SAMPLES = 4000
_RIDGE = 1e-6
"""Share of the mean diagonal that is added to K's diagonal, so that it has an inverse."""

_TO_BOUNDARY = 0.95
_CENTRING = 3
"""Power of the share of the gap that a first step leaves: the share at which the second step aims."""
_SHORTEST = 1e-10


@dataclass(frozen=True)
class SdpSolution:
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


class _Point(NamedTuple):
    """gamma with the multipliers Z, u and v, or a step of them.

    S = A - diag(gamma, 0) and ``w = C - gamma`` follow from gamma; they are kept since every line needs them.
    """

    gamma: FloatArray
    S: FloatArray
    w: FloatArray
    Z: FloatArray
    u: FloatArray
    v: FloatArray

    @property
    def gap(self) -> float:
        """Sum of all products that the central path holds at mu."""
        return float(np.einsum("ij,ij->", self.S, self.Z) + self.u @ self.gamma + self.v @ self.w)

    def after(self, step: _Point) -> _Point:
        """Return the point as far along a step as all of it stays positive, on either side."""
        primal = min(_reach(self.S, step.S), _to_zero(self.gamma, step.gamma), _to_zero(self.w, step.w))
        dual = min(_reach(self.Z, step.Z), _to_zero(self.u, step.u), _to_zero(self.v, step.v))
        lengths = (primal, primal, primal, dual, dual, dual)
        return _Point(*(x + t * dx for x, t, dx in zip(self, lengths, step, strict=True)))


def solve(A: FloatArray, C: float, tol: float, max_iter: int) -> SdpSolution:
    """Maximise ``e^T gamma`` subject to ``S = A - diag(gamma, 0) >= 0`` and ``0 <= gamma <= C``.

    A primal-dual interior point method.  With multipliers Z, u and v the central path is

        S Z = mu I,   u gamma = mu,   v (C - gamma) = mu,   Z_ii + v_i - u_i = 1;

    its linearisation leaves one n x n system in the step of gamma, with the matrix
    ``S^-1 o Z + diag(u / gamma + v / (C - gamma))``.  A first step aims at mu = 0; how far it gets decides
    the mu of the second, which makes up for the products that the linearisation leaves out [4]_.  All
    iterates are feasible on both sides.
    """
    n = len(A) - 1
    at = _start(A, C)
    values: list[float] = []
    converged = False
    for _ in range(max_iter):
        values.append(float(at.gamma.sum()))
        bound = dual_value(at.Z, A, C)
        converged = bound - values[-1] <= tol * bound
        if converged:
            break
        inverse = _inverse(at.S)
        H = inverse[:n, :n] * at.Z[:n, :n]
        H[np.diag_indices(n)] += at.u / at.gamma + at.v / at.w
        factor = cho_factor(H, overwrite_a=True, check_finite=False)
        first = _step(at, inverse, factor, 0.0, None)
        mu = min(1.0, at.after(first).gap / at.gap) ** _CENTRING * at.gap / (3 * n + 1)
        at = at.after(_step(at, inverse, factor, mu, first))
    return SdpSolution(at.gamma, at.Z, np.array(values), dual_value(at.Z, A, C), converged)


def _start(A: FloatArray, C: float) -> _Point:
    """Return a feasible point near the central path."""
    n = len(A) - 1
    least = float(scipy.linalg.eigvalsh(A, subset_by_index=(0, 0))[0])
    gamma = np.full(n, 0.5 * min(C, least))
    S = A - np.diag(np.append(gamma, 0))
    inverse = _inverse(S)
    mu = 1 / np.diag(inverse)[:n].mean()
    Z = mu * inverse
    of_samples = np.diag(Z)[:n]
    v = mu / (C - gamma) + np.maximum(0, 1 - of_samples)
    return _Point(gamma, S, C - gamma, Z, v + of_samples - 1, v)


def _step(
    at: _Point, inverse: FloatArray, factor: tuple[FloatArray, bool], mu: float, first: _Point | None
) -> _Point:
    """Return the step to the central path at mu; the products of a `first` step count, where there is one."""
    n = len(at.gamma)
    i = np.arange(n)
    of_Z = mu * inverse - at.Z
    of_u = of_v = np.full(n, mu)
    if first is not None:
        of_Z += _symmetric((inverse[:, :n] * first.gamma) @ first.Z[:n])
        of_u, of_v = mu - first.u * first.gamma, mu - first.v * first.w
    gamma = cho_solve(factor, at.v - at.u - of_Z[i, i] - of_v / at.w + of_u / at.gamma)
    Z = of_Z + _symmetric((inverse[:, :n] * gamma) @ at.Z[:n])
    u = (of_u - at.u * gamma) / at.gamma - at.u
    v = (of_v + at.v * gamma) / at.w - at.v
    return _Point(gamma, -np.diag(np.append(gamma, 0)), -gamma, Z, u, v)


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2


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

    where slack is penalised by C, is relaxed to its dual

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
    The multiplier Z of the matrix inequality relaxes ``(f, -b)(f, -b)^T``.  Labels are the signs of
    its leading eigenvector, as the original reads them from the null space of the slack matrix,
    which need not have dimension one.  K gets a ridge of 1e-6 of its mean diagonal.

    A step of the primal-dual solver costs O(n^3).  Fifteen to twenty are needed.

    References
    ----------
    .. [1] H. Valizadegan, R. Jin, "Generalized Maximum Margin Clustering and Unsupervised Kernel
       Learning", 2007.
    .. [2] K. Zhang, I. Tsang, J. Kwok, "Maximum Margin Clustering Made Practical", IEEE
       Transactions on Neural Networks 20 (4), 2009, (7).
    .. [3] C. Helmberg, F. Rendl, R. Vanderbei, H. Wolkowicz, "An Interior-Point Method for
       Semidefinite Programming", 1996, the direction taken. doi:10.1137/0806020
    .. [4] S. Mehrotra, "On the Implementation of a Primal-Dual Interior Point Method", SIAM Journal on
       Optimization 2, 1992. doi:10.1137/0802028

    Examples
    --------
    >>> from cscluster import GMMC
    >>> labels = GMMC().fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]).labels_
    >>> bool((labels[:3] == labels[0]).all() and (labels[3:] != labels[0]).all())
    True
    """

    accepts_sparse = True
    version = 2

    n_clusters: int = parameter(2, "number of clusters. Only two are possible", Integer(2, 2))
    sigma: float = 2.0
    C: float = parameter(10.0, "penalty of slack, the upper bound of gamma", Real(0, open_low=True))
    balance_weight: float = parameter(
        1.0, "the weight C_e of (e^T f)^2, which balances the clusters", Real(0, open_low=True)
    )
    tol: float = parameter(1e-4, "relative duality gap at which the solver stops", Real(0, open_low=True))
    max_iter: int = parameter(200, "iteration limit of the solver", Integer(1))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X` into two clusters.  Partial labels and constraints are checked, but not used."""
        X, _ = self._validate(X, y, constraints)
        n = X.shape[0]
        if not 2 <= n <= MAX_SAMPLES:
            raise DataError(
                f"GMMC solves a semidefinite program for 2 to {MAX_SAMPLES} samples, got {n}. Use IterSVR."
            )
        K = self._kernel_for(X)(X)
        A = program_matrix(K, self.balance_weight)
        solution = solve(A, self.C, self.tol, self.max_iter)
        f = scipy.linalg.eigh(solution.Z, subset_by_index=(n, n))[1][:n, 0]
        self.soft_labels_ = f
        self.gap_ = solution.bound - float(solution.values[-1])
        return self._set_partition(
            f > 0, objective=solution.values, n_iter=len(solution.values), converged=solution.converged
        )
