"""The online step of yi2015: new weights of the partitions from new links alone.

A partition P_k puts sample i into cluster ``L[k, i]``; labels are aligned, so that a number means
the same cluster in every partition.  The soft partition is ``F = sum_k gamma_k P_k``.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._simplex import minimize_on_simplex, project_simplex
from cscluster.constraints import Constraints

Labels = NDArray[np.unsignedinteger]


_RUN = 31
"""So many links, each worth four at most, can be counted in eight bits."""


def link_loss(L: Labels, links: Constraints) -> FloatArray:
    """Return A of shape (m, m) with ``gamma^T A gamma`` the loss of the links.

    ``A = sum_must U U^T + sum_cannot V V^T`` with the rows ``U_k = P_k(i) - P_k(j)`` and
    ``V_k = P_k(i) + P_k(j)`` of (9); links count with their weights.  A product of two such rows is
    a count of equal labels, so no row is formed.
    """
    A = np.zeros((len(L), len(L)))
    S, must, cannot = _linked(L, links)
    for pairs, w, sign in ((must, links.must_weights, -1), (cannot, links.cannot_weights, 1)):
        one, other = pairs[np.argsort(w)].T
        _add_products(S[one], S[other], np.sort(w), np.int8(sign), A)
    return A + np.tril(A, -1).T


@njit(cache=True, nogil=True)
def _add_products(one, other, w, sign, A):  # type: ignore[no-untyped-def]
    """Add the products of the links' rows to the lower half of `A`; runs of equal weight count in bytes.

    `one` and `other` hold the labels of the links' ends, of shape (n_links, m).
    """
    p, m = one.shape
    yes, no = np.int8(1), np.int8(0)
    counts = np.empty(m, dtype=np.int8)
    start = stop = 0
    while start < p:
        while stop < p and stop < start + _RUN and w[stop] == w[start]:
            stop += 1
        for k in range(m):
            counts[: k + 1] = 0
            for i in range(start, stop):
                a, b, x, y = one[i], other[i], one[i, k], other[i, k]
                for q in range(k + 1):
                    same = (yes if a[q] == x else no) + (yes if b[q] == y else no)
                    crossed = (sign if a[q] == y else no) + (sign if b[q] == x else no)
                    counts[q] += same + crossed
            for q in range(k + 1):
                A[k, q] += w[start] * counts[q]
        start = stop


def _linked(L: Labels, links: Constraints) -> tuple[Labels, IntArray, IntArray]:
    """Return the labels of the linked samples alone, a row for each, and the links between these rows.

    The store is read at rising places, partition by partition, so that each page is found once.
    """
    samples = links.touched
    must, cannot = (np.searchsorted(samples, pairs) for pairs in (links.must_links, links.cannot_links))
    return np.ascontiguousarray(L[:, samples].T), must, cannot


def broken_weight(L: Labels, links: Constraints) -> FloatArray:
    """Return the total weight of the links that each partition breaks, ``sum e^(ij)`` in (11)."""
    S, must, cannot = _linked(L, links)
    apart = S[must[:, 0]] != S[must[:, 1]]
    together = S[cannot[:, 0]] == S[cannot[:, 1]]
    return links.must_weights @ apart + links.cannot_weights @ together


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
