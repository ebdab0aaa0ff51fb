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
from cscluster.algorithms.margin.alternating._signed_groups import SignedGroups
from cscluster.errors import InfeasibleError, warn

Loss = Literal["hinge", "absolute", "squared"]
"""``max(0, 1 - y f)``, ``|f - y|`` and ``(f - y)^2``."""

_ROUNDING = 1e-9


def loss_values(f: FloatArray, y: FloatArray, loss: Loss) -> FloatArray:
    """Return L(f_i, y_i) for each sample."""
    if loss == "hinge":
        return np.maximum(0, 1 - y * f)
    return np.abs(f - y) if loss == "absolute" else (f - y) ** 2


def search_bias(
    scores: FloatArray, loss: Loss, balance: float, groups: SignedGroups
) -> tuple[float, FloatArray]:
    """Return the best bias b and its labels.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        ``w^T phi(x_i)``.
    loss : {'hinge', 'absolute', 'squared'}
        The loss L.
    balance : float
        Largest deviation of the positive share from one half.
    groups : SignedGroups
        Samples whose labels flip together.  A group turns where the sum of its signed scores
        does, as a sample with score ``u_g = (sum sign_i s_i) / (sum sign_i)`` would.

    Raises
    ------
    InfeasibleError
        If the samples are free and no split is within the balance.
    """
    n = len(scores)
    centre = scores.mean()
    s = scores - centre
    u = _turning_points(s, groups)
    movable = np.flatnonzero(np.isfinite(u))
    order = movable[np.argsort(u[movable], kind="stable")]
    tau = _candidates(u[order])

    weights = groups.weight[order]
    total = weights.sum() - 2 * np.concatenate([[0.0], np.cumsum(weights)])  # sum of y at each tau
    allowed = _balanced(total, n, balance, groups)
    k = allowed[np.argmin(_objectives(s, groups.sign, u[groups.group], tau[allowed], loss))]

    t = np.where(u > 0, 1.0, -1.0)  # groups that never turn; the others by rank, so that ties cannot matter
    t[order[:k]], t[order[k:]] = -1.0, 1.0
    return -float(centre + tau[k]), groups.labels(t)


def _turning_points(s: FloatArray, groups: SignedGroups) -> FloatArray:
    """Return u; infinite for groups with as many positive as negative members."""
    sums, weight = groups.signed_sums(s), groups.weight
    never = np.where(sums < 0, -np.inf, np.inf)
    return np.divide(sums, weight, out=never, where=weight > 0)


def _candidates(u: FloatArray) -> FloatArray:
    """Return the midpoints of sorted turning points and a point beyond either end."""
    if len(u) == 0:
        return np.zeros(1)
    return np.concatenate([[u[0] - 1], (u[:-1] + u[1:]) / 2, [u[-1] + 1]])


def _balanced(total: FloatArray, n: int, balance: float, groups: SignedGroups) -> IntArray:
    """Return the candidates with both labels and ``|sum y| <= 2 balance n``."""
    both = np.abs(total) < n
    allowed = np.flatnonzero(both & (np.abs(total) <= 2 * balance * n + _ROUNDING))
    if len(allowed):
        return allowed
    if groups.n_groups == n:
        raise InfeasibleError(
            f"No split of {n} samples keeps the positive share within {balance:g} of one half; "
            "raise 'balance'."
        )
    warn(
        f"The constraints leave no split with a positive share within {balance:g} of one half; "
        "the most balanced one is taken."
    )
    nearest = np.abs(total)[both].min()
    return np.flatnonzero(both & (np.abs(total) == nearest))


def _objectives(s: FloatArray, sign: FloatArray, u: FloatArray, tau: FloatArray, loss: Loss) -> FloatArray:
    """Return ``sum_i L(s_i - tau, y_i)`` at each tau; y_i is sign_i below u_i and -sign_i above."""
    rising = np.argsort(s)  # leaves little to sort among the breakpoints
    s, sign, u = s[rising], sign[rising], u[rising]
    if loss == "squared":  # (s - tau)^2 + 1 - 2 y (s - tau); s has mean zero
        parabola = s @ s + len(s) * (tau**2 + 1)
        return parabola + _sum_of_lines(tau, [(-np.inf, 2 * sign, s), (u, -4 * sign, s)])
    before, after = s - sign, s + sign  # where the loss of either label has its kink
    below, above = _slopes(sign, loss), _slopes(-sign, loss)
    at_turn = np.where(after < u, above[1], above[0]), np.where(before < u, below[1], below[0])
    return _sum_of_lines(
        tau,
        [
            (-np.inf, below[0], before),
            (np.where(before < u, before, np.inf), below[1] - below[0], before),
            (u, at_turn[0], after),
            (u, -at_turn[1], before),
            (np.where(after < u, np.inf, after), above[1] - above[0], after),
        ],
    )


def _slopes(y: FloatArray, loss: Loss) -> tuple[FloatArray, FloatArray]:
    """Return the slopes in tau of ``L(s - tau, y)`` left and right of its kink at ``s - y``."""
    if loss == "hinge":
        return (y - 1) / 2, (y + 1) / 2
    return -np.ones_like(y), np.ones_like(y)


def _sum_of_lines(
    tau: FloatArray, changes: list[tuple[FloatArray | float, FloatArray, FloatArray]]
) -> FloatArray:
    """Return the sum over changes (position, slope, zero) of ``slope (tau - zero) [position < tau]``."""
    shapes = [np.broadcast_arrays(*change) for change in changes]
    position, slope, zero = (np.concatenate(parts) for parts in zip(*shapes, strict=True))
    order = np.argsort(position, kind="stable")
    slopes = np.concatenate([[0.0], np.cumsum(slope[order])])
    offsets = np.concatenate([[0.0], np.cumsum((slope * zero)[order])])
    k = np.searchsorted(position[order], tau, side="left")
    return slopes[k] * tau - offsets[k]
