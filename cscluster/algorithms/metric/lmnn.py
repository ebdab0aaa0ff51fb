"""Large margin nearest neighbours, with constraints instead of labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cscluster.algorithms.base import BoolArray, FloatArray, IntArray
from cscluster.algorithms.metric._linear import LinearMetric
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.constraints import Constraints
from cscluster.linalg.projected_gradient import minimise
from cscluster.linalg.psd import nearest_psd, span, sqrt
from cscluster.linalg.scatter import common_scales

_ROUNDING = 0.1
_BLOCK_NUMBERS = 1_000_000
"""About so many differences between samples are held at once."""


def target_pairs(Z: FloatArray, constraints: Constraints, k: int) -> IntArray:
    """Return (sample, target) pairs: the k nearest members of each sample's must-link component."""
    pairs = [np.empty((0, 2), dtype=np.int64)]
    for members in constraints.neighbourhoods:
        M = Z[members]
        step = max(1, _BLOCK_NUMBERS // max(M.size, 1))
        for start in range(0, len(M), step):
            rows = np.arange(start, min(start + step, len(M)))
            squared = ((M[rows][:, None] - M[None]) ** 2).sum(axis=2)
            squared[np.arange(len(rows)), rows] = np.inf
            nearest = np.argsort(squared, axis=1, kind="stable")[:, : min(k, len(M) - 1)]
            sources = np.repeat(members[rows], nearest.shape[1])
            pairs.append(np.column_stack([sources, members[nearest.ravel()]]))
    joined = np.concatenate(pairs)
    return joined[np.argsort(joined[:, 0], kind="stable")]


def triples(targets: IntArray, impostors: IntArray) -> tuple[IntArray, IntArray]:
    """Return numbers of a target pair and of an impostor pair of the same sample.

    The target's number is -1 where a sample has no target.
    """
    first = np.searchsorted(targets[:, 0], impostors[:, 0], side="left")
    last = np.searchsorted(targets[:, 0], impostors[:, 0], side="right")
    counts = np.maximum(last - first, 1)
    impostor = np.repeat(np.arange(len(impostors)), counts)
    offset = np.arange(len(impostor)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.where((last > first)[impostor], first[impostor] + offset, -1), impostor


def smooth_hinge(t: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ``max(0, t)`` with its kink rounded off over [0, 0.1], and the derivative."""
    slope = np.clip(t / _ROUNDING, 0.0, 1.0)
    return slope * (t - slope * _ROUNDING / 2), slope


def large_margin_loss(
    targets: FloatArray, impostors: FloatArray, target: IntArray, impostor: IntArray, mu: float, rho: float
) -> Callable[[FloatArray], tuple[float, FloatArray]]:
    """Return the objective of `LMNN`, with its gradient, as a function of M.

    Parameters
    ----------
    targets, impostors : ndarrays of shape (., d)
        Differences of target pairs and of impostor pairs.
    target, impostor : ndarrays of int
        The triples: numbers of a target (-1: none) and of an impostor.
    mu, rho : float
        Weights of the push and of half the squared distance from the identity.
    """
    V, n_targets = np.concatenate([targets, impostors]), len(targets)
    pull, push = (1 - mu) / max(n_targets, 1), mu / len(target)
    has_target = target >= 0
    target, impostor = target[has_target], impostor + n_targets

    def loss(M: FloatArray) -> tuple[float, FloatArray]:
        q = np.einsum("ij,ij->i", V @ M, V)
        short = 1 - q[impostor]
        short[has_target] += q[target]
        hinge, slope = smooth_hinge(short)
        slope *= push
        weights = np.zeros(len(q))
        weights[:n_targets] = pull
        weights += np.bincount(target, slope[has_target], minlength=len(q))
        weights -= np.bincount(impostor, slope, minlength=len(q))
        off = M - np.eye(len(M))
        value = pull * q[:n_targets].sum() + push * hinge.sum() + rho / 2 * (off**2).sum()
        return float(value), (V.T * weights) @ V + rho * off

    return loss


class LMNN(LinearMetric):
    r"""Large margin nearest neighbours (LMNN), with targets and impostors from constraints.

    On features divided by their ranges, scaled so that the mean squared distance is one, minimises over
    M >= 0, with d(i, j) the squared distance under M,

    .. math:: (1 - \mu) \, \mathrm{mean}_{ij} \, d(i, j)
              + \mu \, \mathrm{mean}_{ijl} \max(0, 1 + d(i, j) - d(i, l)) + \frac{\rho}{2 d} \|M - I\|_F^2

    over targets j of a sample i, the k nearest members of its must-link component, and its impostors l,
    the samples cannot-linked to it.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        A root L of the metric.  Constant features get no weight.
    objective_ : ndarray
        The objective on the way to the optimum.
    n_iter_, converged_ : int, bool
        Iterations and whether the objective came to rest.

    Notes
    -----
    LMNN is a supervised method.  With constraints instead of labels two things differ.  A cannot-linked
    sample without a must-link is its own target, so that every cannot-link counts.  The term in rho,
    which is not in [1]_, holds directions in which few pairs differ.  With random pairs most samples have at
    most one target.  Targets are those of the Euclidean metric and stay fixed, as in [1]_.

    The problem is convex.  Its hinge is rounded off over a tenth of the margin, which makes it smooth,
    and it is solved by spectral projected gradient, inside the span of the pairs'
    differences where there are fewer of these than features.  Outside of it M is the identity.

    Without cannot-links between samples that differ, the metric is the prior, the Euclidean distance of the
    scaled features.  Weights are not used.  Cost O(c d^2 + d^3) for an iteration with c pairs.

    References
    ----------
    .. [1] K. Weinberger, L. Saul, "Distance Metric Learning for Large Margin Nearest Neighbor
       Classification", JMLR 10, 2009, (11)-(13).

    Examples
    --------
    >>> from cscluster import LMNN
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (0, 2, "cannot")]
    >>> Z = LMNN().fit(X, constraints=constraints).transform(X)
    >>> bool(abs(Z[0] - Z[1]).sum() < abs(Z[0] - Z[2]).sum())
    True
    """

    version = 4
    weighs_constraints = False

    n_neighbors: int = parameter(3, "targets k of a sample", Integer(1))
    mu: float = parameter(
        0.5, "weight of the push away from impostors", Real(0, 1, open_low=True, open_high=True)
    )
    shrinkage: float | str = parameter(
        "auto",
        "rho: pull towards the Euclidean metric of these features. 'auto': the number of features over that "
        "of constraints, 0.01 at least",
        Real(0),
        Choice("auto"),
        published=0.0,
        why="few constraints do not determine a metric. The published term is for labels of all samples",
    )
    max_iter: int = parameter(1000, "iteration limit", Integer(1))
    tol: float = parameter(1e-4, "relative change of the objective that counts as none", Real(0))

    def _scales(self, X: FloatArray) -> tuple[BoolArray, FloatArray]:
        varies, s = common_scales(X)
        return varies, s * np.sqrt(2 * len(s))

    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Pull targets and push impostors."""
        targets = target_pairs(Z, constraints, self.n_neighbors)
        impostors = np.concatenate([constraints.cannot_links, constraints.cannot_links[:, ::-1]])
        T = Z[targets[:, 0]] - Z[targets[:, 1]]
        V = Z[impostors[:, 0]] - Z[impostors[:, 1]]
        if not V.any():
            return self._prior(Z, "cannot-links between samples that differ")
        Q = span(np.concatenate([T, V[: len(V) // 2]]))
        d = Z.shape[1]
        rho = max(0.01, d / len(constraints)) if self.shrinkage == "auto" else float(self.shrinkage)
        loss = large_margin_loss(T @ Q, V @ Q, *triples(targets, impostors), self.mu, rho / d)
        descent = minimise(loss, nearest_psd, np.eye(Q.shape[1]), tol=self.tol, max_iter=self.max_iter)
        self.objective_ = descent.values
        self.n_iter_ = len(descent.values) - 1
        self.converged_ = descent.converged
        return np.eye(d) + Q @ (sqrt(descent.x) - np.eye(Q.shape[1])) @ Q.T
