"""Xing's metric: cannot-linked samples far apart, must-linked ones close."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, LinearMetric, Samples, dense
from cscluster.algorithms.metric.options import SHRINKAGE
from cscluster.algorithms.parameters import Boolean, Integer, Parameter, Real
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError
from cscluster.linalg.projected_gradient import Descent, minimise
from cscluster.linalg.psd import inverse_sqrt, nearest_psd, span, sqrt
from cscluster.linalg.scatter import deviations, link_scatter, shrunk_covariance

_KINK = 1e-12
"""Added under the root, which has no derivative at zero."""


def full_objective(B: FloatArray, U: FloatArray) -> tuple[float, FloatArray]:
    """Return ``tr(B) - log sum_u sqrt(u^T B u)`` over the rows u of U, and its gradient."""
    q = np.sqrt(np.maximum(np.einsum("ij,ij->i", U @ B, U), 0) + _KINK)
    g = q.sum()
    return float(np.trace(B) - np.log(g)), np.eye(len(B)) - (U.T / (2 * q * g)) @ U


def diagonal_objective(b: FloatArray, U: FloatArray) -> tuple[float, FloatArray]:
    """Return the same for ``B = diag(b)``, with the gradient in b."""
    q = np.sqrt(U**2 @ b + _KINK)
    g = q.sum()
    return float(b.sum() - np.log(g)), 1 - (U**2).T @ (1 / (2 * q * g))


class Xing(LinearMetric):
    """The metric of Xing et al., also called PGDM and MMC.

    Maximises the distances of cannot-linked samples, D, while must-linked ones, P, stay close:

        max over A >= 0 of  sum_{(i,j) in D} ||x_i - x_j||_A
        subject to  tr(A C_w) <= 1,   C_w = (sum_{(i,j) in P} (x_i - x_j)(x_i - x_j)^T / 2 + tau d I)
                                            / (|P| + tau d),

    on features divided by their standard deviations.

    Parameters
    ----------
    diagonal : bool
        Learn a weight for each feature instead of a full matrix.
    shrinkage : float
        tau: the features' variances count as ``tau * d`` further must-links.
    max_iter : int
        Largest number of iterations.
    tol : float
        Relative change of the objective that counts as none.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root L of the metric, ``A = L^T L``; constant features get no weight.
    objective_ : ndarray
        ``tr(A C_w) - log sum_D ||x_i - x_j||_A`` on the way to the optimum.
    n_iter_, converged_ : int, bool
        Iterations and whether the objective came to rest.

    Notes
    -----
    Since the objective is homogeneous in A, the constraint can be traded for minimising
    ``tr(A C_w) - log sum_D ||x_i - x_j||_A`` over A >= 0, the form that [1]_ uses for diagonal A; the
    solutions are the same up to a factor.  It is solved by spectral projected gradient in coordinates
    in which C_w is the identity, for the full matrix inside the span of the cannot-links' differences,
    outside of which A is zero.  Without shrinkage the problem is unbounded as soon as must-links leave
    a direction open, which is why a plain solver fails on high-dimensional input.

    The optimum tends to have a low rank, one or two on data with few classes: that is a property of the
    problem, and k-means after it is weaker than after RCA or ITML on many sets.

    Cannot-links are needed; without must-links C_w is the features' variances, with a warning.

    Cost for an iteration O(c^2 d) with c the smaller of d and the number of cannot-links, O(c d) for the
    diagonal.

    References
    ----------
    .. [1] E. Xing, A. Ng, M. Jordan, S. Russell, "Distance Metric Learning, with Application to
       Clustering with Side-Information", NIPS 2002, (3)-(8).

    Examples
    --------
    >>> from cscluster import Xing, Constraints
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> links = Constraints([(0, 1), (2, 3)], [(0, 2)], n_samples=4)
    >>> L = Xing(diagonal=True).fit(X, links).components_
    >>> bool(L[0, 0] > 0), bool(L[1, 1] < 1e-6)
    (True, True)
    """

    parameters = {
        "diagonal": Parameter("a weight for each feature instead of a full matrix", Boolean()),
        "shrinkage": SHRINKAGE,
        "max_iter": Parameter("iteration limit", Integer(1)),
        "tol": Parameter("relative change of the objective that counts as none", Real(0)),
    }
    accepts_sparse = True

    objective_: FloatArray
    n_iter_: int
    converged_: bool

    def __init__(
        self, *, diagonal: bool = False, shrinkage: float = 0.2, max_iter: int = 1000, tol: float = 1e-6
    ) -> None:
        self.diagonal = diagonal
        self.shrinkage = shrinkage
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Learn the metric from both kinds of links."""
        X, constraints = self._validate(X, constraints)
        X = dense(X)
        varies, s = deviations(X)
        Z = X[:, varies] / s
        V = Z[constraints.cannot_links[:, 0]] - Z[constraints.cannot_links[:, 1]]
        V = V[V.any(axis=1)]
        if not len(V):
            raise ConstraintError("Xing needs cannot-links between samples that differ, got none.")
        n_must = len(constraints.must_links)
        if not n_must and self.shrinkage > 0:
            warnings.warn(
                "Xing got no must-links: it uses the features' variances instead.", UserWarning, stacklevel=2
            )
        S_w = link_scatter(Z, constraints.must_links, constraints.must_weights) / 2
        C_w = shrunk_covariance(S_w, n_must, self.shrinkage) if n_must or self.shrinkage else S_w
        if self.diagonal:
            C_w = np.diag(np.diag(C_w))
        whitening, rank = inverse_sqrt(C_w)
        if rank < len(C_w):
            raise ConstraintError(
                "The must-links do not span all features, which Xing with 'shrinkage' 0 needs; "
                "give more must-links or a positive 'shrinkage'."
            )
        descent, root = self._solve(V @ whitening)
        self.objective_ = descent.values
        self.n_iter_ = len(descent.values) - 1
        self.converged_ = descent.converged
        self.components_ = np.zeros((len(root), X.shape[1]))
        self.components_[:, varies] = root @ whitening / s
        return self

    def _solve(self, U: FloatArray) -> tuple[Descent, FloatArray]:
        """Solve in whitened coordinates; return the descent and the symmetric root of B."""
        if self.diagonal:
            c = U.shape[1]
            found = minimise(
                lambda b: diagonal_objective(b, U),
                lambda b: np.maximum(b, 0),
                np.full(c, 0.5 / c),
                tol=self.tol,
                max_iter=self.max_iter,
            )
            return found, np.diag(np.sqrt(found.x))
        Q = span(U)
        inside, c = U @ Q, Q.shape[1]
        found = minimise(
            lambda B: full_objective(B, inside),
            nearest_psd,
            np.eye(c) * (0.5 / c),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        return found, Q @ sqrt(found.x) @ Q.T
