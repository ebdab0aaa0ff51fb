"""Projection onto the probability simplex, and quadratic programs over it."""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import FloatArray


def project_simplex(v: FloatArray) -> FloatArray:
    """Return the point of the probability simplex that is closest to `v` (yi2015, Algorithm 1).

    The sum in line 2 of the printed algorithm runs to j, and the result keeps the order of `v`.
    """
    w = np.sort(v)[::-1]
    excess = np.cumsum(w) - 1
    j = np.arange(1, len(w) + 1)
    k = np.flatnonzero(w * j > excess)[-1]
    theta = excess[k] / j[k]
    return np.maximum(v - theta, 0)


def minimize_on_simplex(
    A: FloatArray, b: FloatArray, start: FloatArray, *, max_iter: int, tol: float
) -> tuple[FloatArray, FloatArray, bool]:
    """Minimise ``f(g) = g^T A g - 2 b^T g`` over the probability simplex.

    Accelerated projected gradient steps of length 1/s, where s doubles until it bounds the curvature
    along the step; the momentum is dropped whenever f would rise.  On the simplex f is the same with
    ``A - c 1^T - 1 c^T`` and ``b - c`` for any c: rows of mean zero take away the largest eigenvalue
    where all entries of A are alike, and most of the steps.  Stops when the gap
    ``grad^T (g - e_k)``, largest over the corners e_k of the simplex, is below `tol` times
    ``1 + |f|``: by convexity f is then that close to its minimum.

    Parameters
    ----------
    A : ndarray of shape (m, m)
        Symmetric, positive semidefinite.
    b, start : ndarray of shape (m,)
        Linear term, and a point of the simplex.

    Returns
    -------
    g : ndarray of shape (m,)
    objective : ndarray
        f at the start and after each step; never rises.
    converged : bool
    """
    c = A.mean(axis=1) - A.mean() / 2
    A, b = A - c[:, None] - c, b - c
    s = max(2 * float(np.diag(A).max()), np.finfo(float).tiny)
    g, y, t = start, start, 1.0
    Ag = Ay = A @ g
    objective = [float(g @ (Ag - 2 * b))]
    for _ in range(max_iter):
        gradient = 2 * (Ag - b)
        if gradient @ g - gradient.min() <= tol * (1 + abs(objective[-1])):
            return g, np.array(objective), True
        candidate, Ac, s = _step(A, b, y, Ay, s)
        value = float(candidate @ (Ac - 2 * b))
        if value > objective[-1] and t > 1:
            y, Ay, t = g, Ag, 1.0
            continue
        t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
        momentum = (t - 1) / t_next
        y, Ay = candidate + momentum * (candidate - g), Ac + momentum * (Ac - Ag)
        g, Ag, t = candidate, Ac, t_next
        objective.append(min(value, objective[-1]))
    return g, np.array(objective), False


def _step(
    A: FloatArray, b: FloatArray, y: FloatArray, Ay: FloatArray, s: float
) -> tuple[FloatArray, FloatArray, float]:
    """Return the projected gradient step from `y`, its product with `A`, and the s that was used."""
    while True:
        g = project_simplex(y - 2 * (Ay - b) / s)
        step = g - y
        if 2 * step @ A @ step <= s * (step @ step) * (1 + 1e-9):
            return g, A @ g, s
        s *= 2
