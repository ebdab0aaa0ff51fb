"""Support vector regression on explicit features, by Newton's method on the primal."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import brentq

from cscluster.algorithms.base import FloatArray

_WIDE, _NARROW = 1.0, 0.01
_TOL = 1e-6
_MAX_STEPS = 200
_Pair = tuple[FloatArray, FloatArray]


def primal_svr(
    F: FloatArray, y: FloatArray, C: float, epsilon: float, w: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """Return w and b that minimise ``||w||^2 / 2 + C sum_i L(f_i - y_i)`` with ``f = F w + b``.

    L is the epsilon-insensitive loss with its corners rounded to parabolas of width
    ``h = 0.01``: zero up to epsilon, ``(|r| - epsilon)^2 / (2 h)`` up to ``epsilon + h``, and
    linear with slope one beyond, so that it is at most ``h / 2`` too small.  Without a start the
    problem with ``h = 1`` is solved first.

    Only samples on a parabola enter the Hessian: with a of them and m features a Newton step
    costs two products with F and O(a m^2 + m^3).  The line search is exact and costs O(n).

    Parameters
    ----------
    F : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Targets.
    C, epsilon : float
        Weight and insensitive width of the loss.
    w : ndarray of shape (n_features,), optional
        The solution for similar targets, to start from.
    """
    F = np.column_stack([F, np.ones(len(F))])
    v = np.zeros(F.shape[1])
    if w is None:
        v = _newton(F, y, C, epsilon, _WIDE, v)
    else:
        v[:-1] = w
        v[-1] = np.median(y - F @ v)
    v = _newton(F, y, C, epsilon, _NARROW, v)
    return v[:-1], float(v[-1])


def _newton(F: FloatArray, y: FloatArray, C: float, epsilon: float, h: float, v: FloatArray) -> FloatArray:
    """Minimise over v = (w, b), where the last column of F is one."""
    ridge = np.append(np.ones(len(v) - 1), 0.0)  # the bias is not shrunk
    damping = np.append(np.zeros(len(v) - 1), 1e-3 * C)  # for steps on which no sample is curved
    r = F @ v - y
    for _ in range(_MAX_STEPS):
        gradient = ridge * v + C * (F.T @ _slope(r, epsilon, h))
        curved = F[np.abs(np.abs(r) - epsilon - h / 2) <= h / 2]
        hessian = (C / h) * (curved.T @ curved)
        hessian[np.diag_indices(len(v))] += ridge + damping
        step = -cho_solve(cho_factor(hessian, overwrite_a=True, check_finite=False), gradient)
        objective = (ridge * v) @ v / 2 + C * np.maximum(np.abs(r) - epsilon, 0).sum()
        if -gradient @ step <= _TOL * objective:
            break
        moved = F @ step
        t = _step_length((ridge * v, r), (ridge * step, moved), step, C, epsilon, h)
        v, r = v + t * step, r + t * moved
    return v


def _slope(r: FloatArray, epsilon: float, h: float) -> FloatArray:
    """Return the derivative of the rounded loss."""
    return np.copysign(np.clip((np.abs(r) - epsilon) / h, 0, 1), r)


def _step_length(at: _Pair, change: _Pair, step: FloatArray, C: float, epsilon: float, h: float) -> float:
    """Return the length of a step at which the objective's derivative along it is zero.

    `at` and `change` are (w, r) and how they change along the step.  The derivative is negative at zero and
    does not fall.
    """
    (w, r), (w_step, r_step) = at, change

    def increasing(t: float) -> float:
        return float((w + t * w_step) @ step + C * (_slope(r + t * r_step, epsilon, h) @ r_step))

    high = 1.0
    while increasing(high) < 0:
        high *= 2
    return float(brentq(increasing, 0, high, xtol=1e-14 * high, rtol=1e-10))
