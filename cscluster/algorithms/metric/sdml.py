"""Sparse distance metric learning: a metric with few entries off the diagonal."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.covariance import graphical_lasso
from sklearn.exceptions import ConvergenceWarning

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.metric._linear import LinearMetric
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, warn
from cscluster.linalg.psd import nearest_psd, sqrt
from cscluster.linalg.scatter import pair_scatter


def target(Z: FloatArray, constraints: Constraints, eta: float, floor: float) -> FloatArray:
    """Return ``P = I + eta (S_m - S_c)``, eigenvalues below `floor` lifted to it.

    S_m and S_c are the mean outer products of the differences of must-links and of cannot-links.
    """
    P = np.eye(Z.shape[1])
    for sign, pairs, weights in (
        (1, constraints.must_links, constraints.must_weights),
        (-1, constraints.cannot_links, constraints.cannot_weights),
    ):
        if len(pairs):
            P += sign * eta * pair_scatter(Z, pairs, weights) / weights.sum()
    return nearest_psd(P, floor)


class SDML(LinearMetric):
    r"""Sparse distance metric learning (SDML).

    On features divided by their ranges, solves

    .. math:: \min_{M \succ 0} \operatorname{tr}(P M) - \log\det M + \lambda \sum_{a \ne b} |M_{ab}|,
              \qquad P = I + \eta (S_m - S_c)

    where S_m and S_c are the weighted means of (x_i - x_j)(x_i - x_j)^T over must-links and over
    cannot-links: the metric is close to the Euclidean one, must-links are short in it, cannot-links
    long, and pairs of features that need not interact do not.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root L of the metric, ``M = L^T L``.  Constant features get no weight.
    precision_ : ndarray of shape (n_varying, n_varying)
        The metric M of the scaled features that vary.
    n_iter_, converged_ : int, bool
        Iterations of the graphical lasso and whether it came to rest.

    Notes
    -----
    The problem is the graphical lasso of P, solved by scikit-learn.  P may be indefinite, as [1]_
    does not say.  Its eigenvalues are then lifted to `floor`, so that cannot-links lengthen a direction
    by 1 / sqrt(floor) at most.  [1]_ sums over constraints.  Means make eta independent of their number.
    Without constraints the metric is the prior, the Euclidean distance of the scaled features.

    Cost O(c d^2) for c constraints and O(d^3) for a sweep of the graphical lasso.

    References
    ----------
    .. [1] G.-J. Qi, J. Tang, Z.-J. Zha, T.-S. Chua, H.-J. Zhang, "An Efficient Sparse Metric Learning in
       High-Dimensional Space via l1-Penalized Log-Determinant Regularization", ICML 2009, equation (8).
       doi:10.1145/1553374.1553482

    Examples
    --------
    >>> from cscluster import SDML
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (0, 2, "cannot")]
    >>> M = SDML().fit(X, constraints=constraints).precision_
    >>> bool(M[0, 0] > M[1, 1])
    True
    """

    version = 2

    eta: float = parameter(
        0.5, "weight of the constraints against the Euclidean metric", Real(0, open_low=True)
    )
    sparsity: float = parameter(0.01, "cost lambda of entries off the diagonal", Real(0, open_low=True))
    floor: float = parameter(0.05, "least eigenvalue of P", Real(0, 1, open_low=True))
    max_iter: int = parameter(200, "iteration limit of the graphical lasso", Integer(1))

    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Solve the graphical lasso of P."""
        if not len(constraints):
            self.precision_ = np.eye(Z.shape[1])
            return self._prior(Z, "constraints")
        P = target(Z, constraints, self.eta, self.floor)
        if len(P) < 2:
            self.precision_, self.n_iter_, self.converged_ = 1 / P, 0, True
            return np.sqrt(self.precision_)
        limits = {"max_iter": self.max_iter, "return_costs": True, "return_n_iter": True}
        try:
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                _, self.precision_, costs, self.n_iter_ = graphical_lasso(P, self.sparsity, **limits)
        except FloatingPointError as error:
            raise ConstraintError(
                f"The graphical lasso of SDML failed ({error}). A larger 'sparsity' or 'floor' helps."
            ) from error
        self.converged_ = bool(abs(costs[-1][1]) < 1e-4)
        if not self.converged_:
            warn(f"SDML did not converge in {self.max_iter} iterations.")
        return sqrt(self.precision_)
