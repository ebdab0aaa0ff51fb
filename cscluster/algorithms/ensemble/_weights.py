"""The online step of yi2015: new weights of the partitions from new constraints alone.

A partition P_k puts sample i into cluster ``L[k, i]``; labels are aligned, so that a number means
the same cluster in every partition.  The soft partition is ``F = sum_k gamma_k P_k``.
"""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._labels import Labels
from cscluster.algorithms.ensemble._simplex import minimize_on_simplex, project_simplex
from cscluster.constraints import Constraints

_PAIRS = 256
"""Pairs whose rows are in memory at once."""


def constraint_loss(L: Labels, constraints: Constraints) -> FloatArray:
    """Return A of shape (m, m) with ``gamma^T A gamma`` the loss of the constraints.

    ``A = sum_must U U^T + sum_cannot V V^T`` with the rows ``U_k = P_k(i) - P_k(j)`` and
    ``V_k = P_k(i) + P_k(j)`` of (9); constraints count with their weights.
    """
    A = np.zeros((len(L), len(L)))
    S, must, cannot = _constrained_columns(L, constraints)
    P = np.eye(int(S.max(initial=0)) + 1)
    weights = (constraints.must_weights, constraints.cannot_weights)
    for pairs, w, sign in zip((must, cannot), weights, (-1.0, 1.0), strict=True):
        for start in range(0, len(pairs), _PAIRS):
            i, j = pairs[start : start + _PAIRS].T
            rows = (P[S[:, i]] + sign * P[S[:, j]]).reshape(len(L), -1)
            A += (rows * np.repeat(w[start : start + _PAIRS], len(P))) @ rows.T
    return A


def _constrained_columns(L: Labels, constraints: Constraints) -> tuple[Labels, IntArray, IntArray]:
    """Return the labels of the constrained samples alone, and the must- and cannot-links between them.

    The store is read at rising places, partition by partition, so that each page is read once.
    """
    samples = constraints.touched
    must, cannot = np.split(np.searchsorted(samples, constraints.pairs), [len(constraints.must_links)])
    return L[:, samples], must, cannot


def violated_weight(L: Labels, constraints: Constraints) -> FloatArray:
    """Return the total weight of the constraints that each partition violates, ``sum e^(ij)`` in (11)."""
    S, must, cannot = _constrained_columns(L, constraints)
    apart = S[:, must[:, 0]] != S[:, must[:, 1]]
    together = S[:, cannot[:, 0]] == S[:, cannot[:, 1]]
    return apart @ constraints.must_weights + together @ constraints.cannot_weights


def relaxed_update(gamma: FloatArray, violated: FloatArray, C: float, lam: float) -> FloatArray:
    """Return the fixed point of (11), ``argmin lam ||g - gamma||^2 + C violated^T g`` on the simplex."""
    return project_simplex(gamma - C / (2 * lam) * violated)


def full_update(
    gamma: FloatArray, A: FloatArray, lam: float, *, max_iter: int, tol: float
) -> tuple[FloatArray, FloatArray, bool]:
    """Return the minimiser of (8), ``g^T A g + lam ||g - gamma||^2`` on the simplex.

    Also returned are the objective after each step, which lacks the constant ``lam ||gamma||^2``,
    and whether the optimum was reached.
    """
    ridge = A + lam * np.eye(len(A))
    return minimize_on_simplex(ridge, lam * gamma, gamma, max_iter=max_iter, tol=tol)
