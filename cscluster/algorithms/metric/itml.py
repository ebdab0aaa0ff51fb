"""Information-theoretic metric learning: the nearest metric that satisfies distance bounds."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from cscluster.algorithms.base import BoolArray, FloatArray, IntArray
from cscluster.algorithms.compiled import compiled, compiled_part
from cscluster.algorithms.metric._linear import MAX_DIRECTIONS, LinearMetric
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.constraints import Constraints
from cscluster.errors import warn
from cscluster.linalg.psd import span, sqrt
from cscluster.linalg.scatter import common_scales, deviations, effective_dimension

_BOUND_SAMPLES = 1000
"""At most so many constrained samples are used to find the bounds."""


def distance_bounds(X: FloatArray, constraints: Constraints, quantile: float) -> tuple[float, float]:
    """Return the lower and upper `quantile` of the squared distances between constrained samples."""
    touched = constraints.touched
    few = touched[:: len(touched) // _BOUND_SAMPLES + 1]
    squared = euclidean_distances(X[few], squared=True)[np.triu_indices(len(few), k=1)]
    low, high = np.quantile(squared[squared > 0], [quantile, 1 - quantile])
    return float(low), float(high)


@compiled()
def bregman_projections(
    V: FloatArray, delta: IntArray, bounds: FloatArray, gamma: float, tol: float, max_iter: int
) -> tuple[FloatArray, FloatArray, int, bool]:
    """Project the identity onto one distance bound after another, round and round.

    Row v of V is the difference of a constrained pair; its squared length must stay below its bound where
    delta = 1 and above it where delta = -1, with slack weighed by gamma.  After each step

        A^{-1} = I + sum_c delta_c lambda_c v_c v_c^T,    1 / xi_c = 1 / bound_c - delta_c lambda_c / gamma,

    and at the solution either ``lambda_c = 0`` or ``v_c^T A v_c = xi_c``.  The change of A that a step calls
    for is made together with the product that the next step needs.

    Returns
    -------
    A : ndarray of shape (d, d)
    multipliers : ndarray
        The dual variables lambda >= 0.
    n_iter : int
        Rounds made.
    converged : bool
        Whether the multipliers came to rest.
    """
    A, multipliers, xi = np.eye(V.shape[1]), np.zeros(len(V)), bounds.copy()
    step = gamma / (gamma + 1)
    beta, Av, product = 0.0, np.zeros(V.shape[1]), np.zeros(V.shape[1])
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        change = size = 0.0
        for c in range(len(V)):
            p = _update_and_multiply(A, beta, Av, V[c], product)
            Av, product = product, Av
            alpha = min(multipliers[c], delta[c] * step * (1 / p - 1 / xi[c]))
            beta = delta[c] * alpha / (1 - delta[c] * alpha * p)
            xi[c] = gamma * xi[c] / (gamma + delta[c] * alpha * xi[c])
            multipliers[c] -= alpha
            change += abs(alpha)
            size += 2 * multipliers[c] + alpha
        n_iter += 1
        converged = change <= tol * size
    _update_and_multiply(A, beta, Av, V[0], product)
    return A, multipliers, n_iter, converged


@compiled_part(fastmath={"reassoc", "contract"})
def _update_and_multiply(
    A: FloatArray, beta: float, Av: FloatArray, v: FloatArray, product: FloatArray
) -> float:
    """Add ``beta Av Av^T`` to A, set `product` to ``A v``, and return ``v^T A v``; A is read once."""
    square = 0.0
    for i in range(len(v)):
        scaled, row = beta * Av[i], 0.0
        for j in range(len(v)):
            a = A[i, j] + scaled * Av[j]
            A[i, j] = a
            row += a * v[j]
        product[i] = row
        square += row * v[i]
    return square


class ITML(LinearMetric):
    r"""Information-theoretic metric learning (ITML).

    With :math:`D(A, B) = \mathrm{tr}(A B^{-1}) - \log \det(A B^{-1}) - d` the LogDet divergence and
    :math:`A_0` the prior metric, solves

    .. math:: \min_{A, \xi} \; D(A, A_0) + \gamma D(\mathrm{diag}(\xi), \mathrm{diag}(\xi_0))

    .. math:: (x_i - x_j)^T A (x_i - x_j) \le \xi_{ij} \text{ for must-links, }
              \ge \xi_{ij} \text{ for cannot-links}

    where :math:`\xi_0` is the upper bound u of each must-link and the lower bound l of each cannot-link.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root L of the metric, ``A = L^T L``.  Constant features get no weight.
    multipliers_ : ndarray
        Dual variable of each constraint: must-links first, then cannot-links.
    n_iter_, converged_ : int, bool
        Rounds and whether the dual variables came to rest.

    Notes
    -----
    Solved by Bregman projections, the algorithm of [1]_ with the step gamma / (gamma + 1) that the
    slack term asks for.  A differs from the prior only on the span of the pairs' differences.  Where
    there are fewer constraints than features the problem is solved there, which is exact: the prior alone
    decides in all other directions of high-dimensional input.

    Either kind of constraint is enough.  Those between coinciding samples say nothing about a metric and
    are left out.  Weights are not used.  Without constraints, or where all satisfy their bounds from the
    start, the metric is the prior.

    The bounds are quantiles of *squared* distances, as the constraints are.  Metric-learn 0.7.0 takes
    them from distances that are not squared, so that its result depends on the features' unit.

    Ranges instead of variances as prior do not blow up pixels that are almost always blank, and follow
    [2]_, who found division by the range the best standardisation for clustering.  Variances suit features
    with outliers.

    Cost O(c d^2) for a round over c constraints.

    References
    ----------
    .. [1] J. Davis, B. Kulis, P. Jain, S. Sra, I. Dhillon, "Information-Theoretic Metric Learning",
       ICML 2007, algorithm 1. doi:10.1145/1273496.1273523
    .. [2] G. Milligan, M. Cooper, "A Study of Standardization of Variables in Cluster Analysis", Journal
       of Classification 5, 1988. doi:10.1007/BF01897163

    Examples
    --------
    >>> from cscluster import ITML
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (0, 2, "cannot")]
    >>> ITML(prior="identity").fit(X, constraints=constraints).components_.round(1).tolist()
    [[1.2, 0.0], [0.0, 0.8]]
    """

    version = 5
    weighs_constraints = False

    prior: str = parameter(
        "scale",
        "A_0. 'scale': the identity where features share a standard deviation, else the inverse squared "
        "ranges. 'range': always the latter. 'variance': the inverse variances of the features",
        Choice("scale", "range", "variance", "identity"),
        published="identity",
        why="the identity depends on the features' units",
    )
    gamma: float | str = parameter(
        "auto",
        "weight of the slack: larger values take the bounds more seriously. 'auto': the root of the number "
        "of constraints for each entry of A over the effective features, at most 1",
        Real(0, open_low=True),
        Choice("auto"),
        published=1.0,
        why="few constraints should not move all entries of A",
    )
    quantile: float = parameter(
        0.05,
        "u is this quantile of the squared prior distances between constrained samples, l the mirror image",
        Real(0, 0.5),
    )
    max_iter: int = parameter(1000, "limit of rounds over the constraints", Integer(1))
    tol: float = parameter(
        1e-3, "relative change of the dual variables in a round that counts as none", Real(0)
    )

    def _most_directions(self) -> int | None:
        return MAX_DIRECTIONS if self.prior == "scale" else None

    def _scales(self, X: FloatArray) -> tuple[BoolArray, FloatArray]:
        if self.prior == "scale":
            return common_scales(X)
        varies, s = deviations(X)
        return varies, {
            "range": np.ptp(X[:, varies], axis=0),
            "variance": s,
            "identity": np.ones_like(s),
        }[self.prior]

    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Project the prior onto the bounds, which are on the distances of Z."""
        i, j = constraints.pairs.T
        V = Z[i] - Z[j]
        useful = V.any(axis=1)
        self.multipliers_ = np.zeros(len(V))
        if not useful.any():
            return self._prior(Z, "constraints between samples that differ")
        must = constraints.is_must
        low, high = distance_bounds(Z, constraints, self.quantile)
        Q, e = span(V[useful]), effective_dimension(Z)
        auto = min(1.0, float(np.sqrt(len(V) / (e * (e + 1) / 2))))
        A, multipliers, self.n_iter_, self.converged_ = bregman_projections(
            V[useful] @ Q,
            np.where(must, 1, -1)[useful],
            np.where(must, low, high)[useful],
            auto if self.gamma == "auto" else float(self.gamma),
            self.tol,
            self.max_iter,
        )
        if not self.converged_:
            warn(f"ITML did not converge in {self.max_iter} rounds.")
        if not multipliers.any():
            warn("All constraints satisfy the bounds of ITML already: the metric is the prior.")
        self.multipliers_[useful] = multipliers
        return np.eye(Z.shape[1]) + Q @ (sqrt(A) - np.eye(len(A))) @ Q.T
