"""The online step of yi2015: new weights of the partitions from new links alone.

A partition P_k puts sample i into cluster ``L[k, i]``; labels are aligned, so that a number means
the same cluster in every partition.  The soft partition is ``F = sum_k gamma_k P_k``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._simplex import minimize_on_simplex, project_simplex
from cscluster.constraints import Constraints

Labels = NDArray[np.unsignedinteger]


def link_loss(L: Labels, links: Constraints, n_clusters: int) -> FloatArray:
    """Return A of shape (m, m) with ``gamma^T A gamma`` the loss of the links.

    ``A = sum_must U U^T + sum_cannot V V^T`` with the rows ``U_k = P_k(i) - P_k(j)`` and
    ``V_k = P_k(i) + P_k(j)`` of (9); links count with their weights.
    """
    must = _signed_rows(L, links.must_links, links.must_weights, -1.0, n_clusters)
    cannot = _signed_rows(L, links.cannot_links, links.cannot_weights, 1.0, n_clusters)
    both = np.concatenate([must, cannot], axis=1)
    return both @ both.T


def _signed_rows(L: Labels, pairs: IntArray, w: FloatArray, sign: float, n_clusters: int) -> FloatArray:
    """Return ``sqrt(w) (P_k(i) + sign P_k(j))`` of all links, of shape (m, n_links * n_clusters)."""
    m, p = len(L), len(pairs)
    rows = np.zeros((m, p, n_clusters))
    k, link = np.indices((m, p), sparse=True)
    rows[k, link, L[:, pairs[:, 0]]] += np.sqrt(w)
    rows[k, link, L[:, pairs[:, 1]]] += sign * np.sqrt(w)
    return rows.reshape(m, p * n_clusters)


def broken_weight(L: Labels, links: Constraints) -> FloatArray:
    """Return the total weight of the links that each partition breaks, ``sum e^(ij)`` in (11)."""
    must, cannot = links.must_links, links.cannot_links
    apart = L[:, must[:, 0]] != L[:, must[:, 1]]
    together = L[:, cannot[:, 0]] == L[:, cannot[:, 1]]
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
