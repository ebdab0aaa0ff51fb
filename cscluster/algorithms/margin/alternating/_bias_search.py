"""The bias and the labels for a fixed direction w (zhang2009, sections III-A and III-D).

For scores ``s_i = w^T phi(x_i)`` this solves, over thresholds ``tau = -b``,

    min over tau, y of  sum_i L(s_i - tau, y_i)   subject to   |sum_i y_i| <= 2 l,

where the candidates tau are the midpoints of consecutive scores.  Each sample's loss is piecewise
linear in tau (the squared loss: after a common parabola), so sorting the breakpoints once and
summing the changes of slope gives all objectives together, in O(n log n) instead of O(l n).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.errors import InfeasibleError

Loss = Literal["hinge", "absolute", "squared"]
"""``max(0, 1 - y f)``, ``|f - y|`` and ``(f - y)^2``."""

_SLOPES = {"hinge": ((0.0, 1.0), (-1.0, 0.0)), "absolute": ((-1.0, 1.0), (-1.0, 1.0))}
"""Slopes in tau of ``L(s - tau, 1)`` and of ``L(s - tau, -1)``, left and right of the kink."""

_ROUNDING = 1e-9


def search_bias(scores: FloatArray, loss: Loss, balance: float) -> tuple[float, FloatArray]:
    """Return the best bias b and its labels.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        ``w^T phi(x_i)``.
    loss : {'hinge', 'absolute', 'squared'}
        The loss L.
    balance : float
        Largest deviation of the positive share from one half.

    Raises
    ------
    InfeasibleError
        If no split is within the balance.
    """
    centre = scores.mean()
    s = scores - centre
    order = np.argsort(s, kind="stable")
    tau = _candidates(s[order])
    allowed = _balanced(len(s), balance)
    k = allowed[np.argmin(_objectives(s, tau[allowed], loss))]
    y = np.ones(len(s))
    y[order[:k]] = -1.0  # by rank, so that ties cannot matter
    return -float(centre + tau[k]), y


def _candidates(s: FloatArray) -> FloatArray:
    """Return the midpoints of sorted scores and a point beyond either end."""
    return np.concatenate([[s[0] - 1], (s[:-1] + s[1:]) / 2, [s[-1] + 1]])


def _balanced(n: int, balance: float) -> IntArray:
    """Return the numbers of negative labels with both labels and ``|sum y| <= 2 balance n``."""
    n_negative = np.arange(1, n)
    allowed = n_negative[np.abs(n - 2 * n_negative) <= 2 * balance * n + _ROUNDING]
    if len(allowed):
        return allowed
    raise InfeasibleError(
        f"No split of {n} samples keeps the positive share within {balance:g} of one half. Raise 'balance'."
    )


def _objectives(s: FloatArray, tau: FloatArray, loss: Loss) -> FloatArray:
    """Return ``sum_i L(s_i - tau, y_i)`` at each tau; y_i is 1 where tau is below s_i, else -1."""
    s = np.sort(s)  # leaves little to sort among the breakpoints
    if loss == "squared":  # (s - tau)^2 + 1 - 2 y (s - tau); s has mean zero
        parabola = s @ s + len(s) * (tau**2 + 1)
        return parabola + _sum_of_lines(tau, [(-np.inf, 2.0, s), (s, -4.0, s)])
    before, after = s - 1, s + 1  # the kinks of the losses of y = 1 and y = -1
    left, right = _SLOPES[loss]
    return _sum_of_lines(
        tau,
        [
            (-np.inf, left[0], before),
            (before, left[1] - left[0], before),
            (s, right[0], after),
            (s, -left[1], before),
            (after, right[1] - right[0], after),
        ],
    )


def _sum_of_lines(tau: FloatArray, changes: list[tuple[FloatArray | float, float, FloatArray]]) -> FloatArray:
    """Return the sum over changes (position, slope, zero) of ``slope (tau - zero) [position < tau]``."""
    shapes = [np.broadcast_arrays(*change) for change in changes]
    position, slope, zero = (np.concatenate(parts) for parts in zip(*shapes, strict=True))
    order = np.argsort(position, kind="stable")
    slopes = np.concatenate([[0.0], np.cumsum(slope[order])])
    offsets = np.concatenate([[0.0], np.cumsum((slope * zero)[order])])
    k = np.searchsorted(position[order], tau, side="left")
    return slopes[k] * tau - offsets[k]
