"""Xing's metric: cannot-linked samples far apart, must-linked ones close."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.metric._linear import ShrunkMetric
from cscluster.algorithms.parameters import Boolean, Integer, Real, parameter
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError
from cscluster.linalg.projected_gradient import Descent, minimise
from cscluster.linalg.psd import inverse_sqrt, nearest_psd, span, sqrt
from cscluster.linalg.scatter import pair_scatter

_KINK = 1e-12
"""Added under the root, which has no derivative at zero."""


def full_objective(B: FloatArray, U: FloatArray, weight: float) -> tuple[float, FloatArray]:
    """Return ``tr(B) - log sum_u sqrt(u^T B u) - weight log det B`` with its gradient, u the rows of U."""
    q = np.sqrt(np.maximum(np.einsum("ij,ij->i", U @ B, U), 0) + _KINK)
    g = q.sum()
    value, gradient = np.trace(B) - np.log(g), np.eye(len(B)) - (U.T / (2 * q * g)) @ U
    if weight > 0:
        value -= weight * np.linalg.slogdet(B)[1]
        gradient -= weight * np.linalg.inv(B)
    return float(value), gradient


def diagonal_objective(b: FloatArray, U: FloatArray, weight: float) -> tuple[float, FloatArray]:
    """Return the same for ``B = diag(b)``, with the gradient in b."""
    q = np.sqrt(U**2 @ b + _KINK)
    g = q.sum()
    value, gradient = b.sum() - np.log(g), 1 - (U**2).T @ (1 / (2 * q * g))
    if weight > 0:
        value -= weight * np.log(b).sum()
        gradient -= weight / b
    return float(value), gradient


class Xing(ShrunkMetric):
    r"""The metric of Xing et al., also called PGDM and MMC, with a term against its collapse.

    Maximises the distances of cannot-linked samples, D, while must-linked ones, P, stay close:

    .. math:: \min_{A \succeq 0} \; \mathrm{tr}(A C_w) - \log \sum_{(i,j) \in D} \|x_i - x_j\|_A
              - \frac{\rho}{d} \log \det A

    .. math:: C_w = \frac{1}{|P| + \tau d}
              ( \frac{1}{2} \sum_{(i,j) \in P} (x_i - x_j)(x_i - x_j)^T + \tau d I )

    on features divided by their ranges, then all by one number so that their mean variance is one.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root L of the metric, ``A = L^T L``.  Constant features get no weight.
    objective_ : ndarray
        The objective on the way to the optimum, up to a constant.
    n_iter_, converged_ : int, bool
        Iterations and whether the objective came to rest.

    Notes
    -----
    For ``rho = 0`` this is ``max sum_D ||x_i - x_j||_A`` subject to ``tr(A C_w) <= 1``, up to a factor
    of A: the sum is homogeneous in A, and [1]_ uses the same form for diagonal A.  Without shrinkage that
    problem is unbounded as soon as must-links leave a direction open, which is why a plain solver fails
    on high-dimensional input.  Its optimum has a rank of one or two, too few directions for many
    clusters.  The log det keeps all directions: at the optimum ``A = (rho / d) C_w^{-1}`` plus a part of
    weight ``tr(A C_w) = 1/2`` that the cannot-links shape, and the metric of `RCA`, ``C_w^{-1}``, is the
    limit of a large rho.

    It is solved by spectral projected gradient in coordinates in which C_w is the identity, for the full
    matrix inside the span of the cannot-links' differences, outside of which the first part is all.

    Without must-links C_w is the prior.  Without cannot-links between samples that differ, or without
    must-links with ``shrinkage=0``, the metric is the prior, the Euclidean distance of the scaled features.

    Cost for an iteration O(c^2 d) with c the smaller of d and the number of cannot-links, O(c d) for the
    diagonal.

    References
    ----------
    .. [1] E. Xing, A. Ng, M. Jordan, S. Russell, "Distance Metric Learning, with Application to
       Clustering with Side-Information", NIPS 2002, (3)-(8).

    Examples
    --------
    >>> from cscluster import Xing
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (0, 2, "cannot")]
    >>> L = Xing(diagonal=True).fit(X, constraints=constraints).components_
    >>> bool(L[0, 0] > 2 * L[1, 1])
    True
    """

    version = 5

    diagonal: bool = parameter(False, "learn a weight for each feature instead of a full matrix", Boolean())
    log_det: float = parameter(
        3.0,
        "rho: weight of log det A, by which no direction is lost",
        Real(0),
        published=0.0,
        why="the published optimum has a rank of one or two",
    )
    shrinkage: float | str = parameter(
        "auto",
        published=0.2,
        why="the problem is unbounded without a prior unless must-links span all features. Its weight "
        "falls with more must-links",
    )
    max_iter: int = parameter(1000, "iteration limit", Integer(1))
    tol: float = parameter(1e-6, "relative change of the objective that counts as none", Real(0))

    def _most_directions(self) -> int | None:
        return None if self.diagonal else super()._most_directions()

    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Descend in coordinates in which C_w is the identity."""
        V = Z[constraints.cannot_links[:, 0]] - Z[constraints.cannot_links[:, 1]]
        V = V * constraints.cannot_weights[:, None]
        V = V[V.any(axis=1)]
        if not len(V):
            return self._prior(Z, "cannot-links between samples that differ")
        n_must = len(constraints.must_links)
        if self._lacks_must_links(n_must):
            return self._prior(Z, "must-links, which 'shrinkage' 0 needs")
        S_w = pair_scatter(Z, constraints.must_links, constraints.must_weights) / 2
        C_w = self._shrunk(S_w, n_must, Z)
        if self.diagonal:
            C_w = np.diag(np.diag(C_w))
        whitening, rank = inverse_sqrt(C_w)
        if rank < len(C_w):
            raise ConstraintError(
                "The must-links do not span all features, which Xing with 'shrinkage' 0 needs. "
                "Give more must-links or a positive 'shrinkage'."
            )
        descent, root = self._solve(V @ whitening)
        self.objective_ = descent.values
        self.n_iter_ = len(descent.values) - 1
        self.converged_ = descent.converged
        return root @ whitening

    def _solve(self, U: FloatArray) -> tuple[Descent, FloatArray]:
        """Solve in whitened coordinates; return the descent and the symmetric root of B."""
        d = U.shape[1]
        weight, start = self.log_det / d, (0.5 + self.log_det) / d
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        if self.diagonal:
            objective = partial(diagonal_objective, U=U, weight=weight)
            end = minimise(objective, lambda b: np.maximum(b, weight), np.full(d, start), **limits)
            return end, np.diag(np.sqrt(end.x))
        Q = span(U)
        objective = partial(full_objective, U=U @ Q, weight=weight)
        end = minimise(objective, lambda B: nearest_psd(B, weight), np.eye(Q.shape[1]) * start, **limits)
        outside = np.sqrt(weight) * np.eye(Q.shape[1])
        return end, np.sqrt(weight) * np.eye(d) + Q @ (sqrt(end.x) - outside) @ Q.T
