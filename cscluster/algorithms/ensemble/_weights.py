"""The online step of yi2015: new weights of the partitions from new links alone.

A partition P_k puts sample i into cluster ``L[k, i]``; labels are aligned, so that a number means
the same cluster in every partition.  The soft partition is ``F = sum_k gamma_k P_k``.
"""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._labels import Labels
from cscluster.algorithms.ensemble._simplex import minimize_on_simplex, project_simplex
from cscluster.constraints import Constraints

_LINKS = 256
"""Links whose rows are in memory at once."""


def link_loss(L: Labels, links: Constraints) -> FloatArray:
    """Return A of shape (m, m) with ``gamma^T A gamma`` the loss of the links.

    ``A = sum_must U U^T + sum_cannot V V^T`` with the rows ``U_k = P_k(i) - P_k(j)`` and
    ``V_k = P_k(i) + P_k(j)`` of (9); links count with their weights.
    """
    A = np.zeros((len(L), len(L)))
    S, must, cannot = _linked(L, links)
    P = np.eye(int(S.max(initial=0)) + 1)
    for pairs, w, sign in ((must, links.must_weights, -1.0), (cannot, links.cannot_weights, 1.0)):
        for start in range(0, len(pairs), _LINKS):
            i, j = pairs[start : start + _LINKS].T
            rows = (P[S[:, i]] + sign * P[S[:, j]]).reshape(len(L), -1)
            A += (rows * np.repeat(w[start : start + _LINKS], len(P))) @ rows.T
    return A


def _linked(L: Labels, links: Constraints) -> tuple[Labels, IntArray, IntArray]:
    """Return the labels of the linked samples alone, and the links between these columns.

    The store is read at rising places, partition by partition, so that each page is found once.
    """
    samples = links.touched
    must, cannot = (np.searchsorted(samples, pairs) for pairs in (links.must_links, links.cannot_links))
    return L[:, samples], must, cannot


def broken_weight(L: Labels, links: Constraints) -> FloatArray:
    """Return the total weight of the links that each partition breaks, ``sum e^(ij)`` in (11)."""
    S, must, cannot = _linked(L, links)
    apart = S[:, must[:, 0]] != S[:, must[:, 1]]
    together = S[:, cannot[:, 0]] == S[:, cannot[:, 1]]
    return apart @ links.must_weights + together @ links.cannot_weights


def relaxed_update(gamma: FloatArray, broken: FloatArray, C: float, lam: float) -> FloatArray:
    """Return the fixed point of (11), ``argmin lam ||g - gamma||^2 + C broken^T g`` on the simplex."""
    return project_simplex(gamma - C / (2 * lam) * broken)


def full_update(
    gamma: FloatArray, A: FloatArray, lam: float, *, max_iter: int, tol: float
) -> tuple[FloatArray, FloatArray, bool]:
    """Return the minimiser of (8), ``g^T A g + lam ||g - gamma||^2`` on the simplex.

    Also returned are the objective after each step, which lacks the constant ``lam ||gamma||^2``,
    and whether the optimum was reached.
    """
    ridge = A + lam * np.eye(len(A))
    return minimize_on_simplex(ridge, lam * gamma, gamma, max_iter=max_iter, tol=tol)
