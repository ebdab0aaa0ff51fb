"""Maximum margin clustering as a semidefinite program; needs cvxpy."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import Clusterer, FloatArray, Samples
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.errors import DataError, ParameterError

MAX_SAMPLES = 150


def lower_bound(K: FloatArray, M: FloatArray, lam: FloatArray, p: FloatArray, limit: float) -> float:
    """Return a value that the program cannot fall below.

    For any lambda in the box, the value is at least
    ``2 e^T lambda - max over M of <Q, M>`` with ``Q = K o lambda lambda^T``; and for any p and d
    with ``diag(d) >= Q - (p e^T + e p^T) / 2`` that maximum is at most
    ``limit ||p||_1 + e^T d``.  At the optimum ``d_i = ((Q - ...) M)_ii``; the smallest shift that
    makes d feasible is added.
    """
    Q = K * np.outer(lam, lam) - (p[:, None] + p) / 2
    d = np.einsum("ij,ji->i", Q, M)
    d += max(0.0, float(np.linalg.eigvalsh(Q - np.diag(d))[-1]))
    return float(2 * lam.sum() - limit * np.abs(p).sum() - d.sum())


class MMC(KernelEstimator, Clusterer):
    r"""Maximum margin clustering by semidefinite relaxation, without constraints.

    With M instead of :math:`y y^T`, and a hyperplane through the origin, minimises :math:`\delta` over
    :math:`M, \delta, \mu, \nu` subject to

    .. math:: \begin{pmatrix} M \circ K & e + \mu - \nu \\
              (e + \mu - \nu)^T & \delta - 2 C \nu^T e \end{pmatrix} \succeq 0

    .. math:: \mu, \nu \ge 0, \quad M \succeq 0, \quad \mathrm{diag}(M) = e, \quad -2 l e \le M e \le 2 l e

    with l = balance n.

    Attributes
    ----------
    gap_ : float
        Certificate: value reached minus a rigorous lower bound of the program.
    soft_labels_ : ndarray of shape (n_samples,)
        ``sqrt(mu_1) v_1`` of the leading eigenpair of M.  Its signs are the labels.

    Notes
    -----
    The program has n^2 / 2 variables and takes O(n^2) memory: for 100 samples SCS takes seconds, beyond 150
    it is refused.

    References
    ----------
    .. [1] L. Xu, J. Neufeld, B. Larson, D. Schuurmans, "Maximum Margin Clustering", 2005.
    .. [2] K. Zhang, I. Tsang, J. Kwok, "Maximum Margin Clustering Made Practical", IEEE
       Transactions on Neural Networks 20 (4), 2009, (6).

    Examples
    --------
    >>> from cscluster import MMC
    >>> labels = MMC().fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]).labels_
    >>> bool((labels[:3] == labels[0]).all() and (labels[3:] != labels[0]).all())
    True
    """

    accepts_sparse = True

    n_clusters: int = parameter(2, "number of clusters. Only two are possible", Integer(2, 2))
    C: float = parameter(10.0, "weight of the slack of the SVM", Real(0, open_low=True))
    balance: float = parameter(
        0.03, "largest deviation of a cluster's share from one half, relaxed", Real(0, 0.5)
    )
    tol: float = parameter(1e-4, "accuracy asked of the solver SCS", Real(0, open_low=True))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X` into two clusters.  Partial labels and constraints are checked, but not used."""
        X, _ = self._validate(X, y, constraints)
        n = X.shape[0]
        if not 2 <= n <= MAX_SAMPLES:
            raise DataError(
                f"MMC solves a semidefinite program for 2 to {MAX_SAMPLES} samples, got {n}. "
                "Use GMMC or IterSVR."
            )
        K = self._kernel_for(X)(X)
        limit = 2 * self.balance * n
        M, lam, p, problem = _solve(K, self.C, limit, self.tol)
        values, vectors = np.linalg.eigh(M)
        self.soft_labels_ = np.sqrt(max(values[-1], 0.0)) * vectors[:, -1]
        self.gap_ = float(problem.value) - lower_bound(K, M, lam, p, limit)
        return self._set_partition(
            self.soft_labels_ > 0,
            objective=[float(problem.value)],
            n_iter=int(problem.solver_stats.num_iters),
            converged=problem.status == "optimal",
        )


def _solve(
    K: FloatArray, C: float, limit: float, tol: float
) -> tuple[FloatArray, FloatArray, FloatArray, Any]:
    """Return M, the SVM's lambda, the multiplier p of the balance, and the solved problem."""
    try:
        import cvxpy as cp
    except ImportError:
        raise ParameterError("MMC needs cvxpy: pip install 'cscluster[sdp]'.") from None
    n = len(K)
    M = cp.Variable((n, n), PSD=True)
    mu, nu, delta = cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True), cp.Variable()
    edge = cp.reshape(1 + mu - nu, (n, 1), order="C")
    corner = cp.reshape(delta - 2 * C * cp.sum(nu), (1, 1), order="C")
    machine = cp.bmat([[cp.multiply(K, M), edge], [edge.T, corner]]) >> 0
    above, below = cp.sum(M, axis=1) <= limit, cp.sum(M, axis=1) >= -limit
    problem = cp.Problem(cp.Minimize(delta), [machine, above, below, cp.diag(M) == 1])
    problem.solve(solver=cp.SCS, eps_abs=tol, eps_rel=tol, max_iters=20_000)
    lam = np.clip(-machine.dual_value[:n, n], 0, C)
    return M.value, lam, above.dual_value - below.dual_value, problem
