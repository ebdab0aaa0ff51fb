"""The losses that the margin methods sum (zeng2012): value, tangent and subgradient of each.

With the scores ``S[i, z] = w_z @ x_i`` the paper's ``W^T Phi(x_i, z)`` is ``S[i, z]`` and its
``W^T Phi(x_j1, x_j2, z1, z2)`` is ``S[j1, z1] + S[j2, z2]``.  Each loss is a function of S alone.
Where it has a maximum with a minus sign, CCCP freezes the winners ``y`` or ``z`` of that maximum,
which makes it convex: `tangent_at` returns the loss with the winners of the scores it is given.

`ConstraintLoss` and `PointLoss` are those of PMMC, (6) and (21); `WinnerLoss` and `Balance` those of
CPMMC, (1); `MustLinkLoss` and `CannotLinkLoss` those of CPCMMC, (2) and (3).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.compiled import compiled, compiled_part
from cscluster.algorithms.margin.cccp.design import Design


class Loss(ABC):
    """A convex function of the scores S, of shape (n, n_clusters)."""

    def tangent_at(self, S: FloatArray) -> Self:
        """Return the loss with the winners that S has; a loss without winners is its own tangent."""
        return self

    def repair(self, design: Design, W: FloatArray) -> FloatArray:
        """Return weights near W at which the loss is finite."""
        return W

    @abstractmethod
    def value(self, S: FloatArray) -> float:
        """Return the loss."""

    @abstractmethod
    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient at S, of shape (n, n_clusters), to G."""


def objective(design: Design, losses: Sequence[Loss], lam: float, W: FloatArray, S: FloatArray) -> float:
    """Return ``f(W) = lam/2 ||W||^2 + sum of losses``, given the scores S of W.

    With winners frozen elsewhere this is (21), with the winners of S itself (6).
    """
    return 0.5 * lam * design.square(W) + sum(loss.value(S) for loss in losses)


@compiled()
def best_assignments(
    S: FloatArray, pairs: IntArray, n_must: int, z: IntArray, satisfy: bool
) -> tuple[IntArray, FloatArray]:
    """Return the best assignment of each pair that satisfies, or violates, its constraint; O(C) for each.

    With `satisfy` these are (15) and (16), otherwise the s of (25).  The first `n_must` pairs are
    must-links, the others cannot-links; the result has shape (n_pairs, 2).  The second result tells by how
    much the assignments z miss a margin of one over the best.
    """
    best, shortfall = np.empty_like(pairs), np.empty(len(pairs))
    for j in range(len(pairs)):
        s1, s2 = S[pairs[j, 0]], S[pairs[j, 1]]
        u1, u2 = best_together(s1, s2) if (j < n_must) == satisfy else best_apart(s1, s2)
        best[j, 0], best[j, 1] = u1, u2
        shortfall[j] = 1.0 + (s1[u1] + s2[u2]) - (s1[z[j, 0]] + s2[z[j, 1]])
    return best, shortfall


@compiled_part()
def best_together(s1: FloatArray, s2: FloatArray) -> tuple[int, int]:
    """Return argmax over z1 = z2 of ``s1[z1] + s2[z2]``."""
    best = 0
    for z in range(1, len(s1)):
        if s1[z] + s2[z] > s1[best] + s2[best]:
            best = z
    return best, best


@compiled_part()
def best_apart(s1: FloatArray, s2: FloatArray) -> tuple[int, int]:
    """Return argmax over z1 != z2 of ``s1[z1] + s2[z2]``.

    If both ends prefer the same cluster, the one that loses less takes its second best.
    """
    first1, second1 = top_two(s1)
    first2, second2 = top_two(s2)
    if first1 != first2:
        return first1, first2
    if s1[first1] - s1[second1] < s2[first2] - s2[second2]:
        return second1, first2
    return first1, second2


@compiled_part()
def top_two(s: FloatArray) -> tuple[int, int]:
    """Return the places of the highest and the second highest score."""
    first, second = (0, 1) if s[0] >= s[1] else (1, 0)
    for z in range(2, len(s)):
        if s[z] > s[first]:
            first, second = z, first
        elif s[z] > s[second]:
            second = z
    return first, second


@dataclass(frozen=True, eq=False)
class ConstraintLoss(Loss):
    """Constraints should be satisfied by a margin: the slacks eta of (4), (5) and (7).

    ``sum over constraints j of  cost_j {1 - [S[j1, z1] + S[j2, z2] - max_s (S[j1, s1] + S[j2, s2])]}_+``

    where s runs over the assignments that violate constraint j: s1 != s2 for a must-link, s1 = s2 for a
    cannot-link; z is the best assignment that satisfies it.

    Attributes
    ----------
    pairs : ndarray of shape (n_constraints, 2)
        The must-links, then the cannot-links.
    n_must : int
        Number of must-links.
    cost : ndarray of shape (n_constraints,)
        Weight of each constraint in the objective, 1/L in the paper.
    z : ndarray of shape (n_constraints, 2)
        The winners, (z^M_j1, z^M_j2) and (z^C_j1, z^C_j2) of (15) and (16).
    """

    pairs: IntArray
    n_must: int
    cost: FloatArray
    z: IntArray

    def tangent_at(self, S: FloatArray) -> Self:
        """Let z be the best assignments that satisfy the constraints, (13) to (16)."""
        return replace(self, z=best_assignments(S, self.pairs, self.n_must, self.z, True)[0])

    def value(self, S: FloatArray) -> float:
        """Return the first two sums of (21)."""
        shortfall = best_assignments(S, self.pairs, self.n_must, self.z, False)[1]
        return float(self.cost @ np.maximum(shortfall, 0.0))

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add the first two sums of (25), over the constraints whose margin is missed."""
        s, shortfall = best_assignments(S, self.pairs, self.n_must, self.z, False)
        weight = self.cost * (shortfall > 0)
        C = S.shape[1]
        cells = np.concatenate([self.pairs * C + s, self.pairs * C + self.z]).ravel()
        weights = np.repeat(np.concatenate([weight, -weight]), 2)
        G += np.bincount(cells, weights, minlength=G.size).reshape(G.shape)


@dataclass(frozen=True, eq=False)
class PointLoss(Loss):
    """Samples should prefer their cluster to each other one by a margin: the slacks xi of (6).

    ``cost * sum over i in index and all z of  {1 - [S[i, y_i] - S[i, z]]}_+``

    The terms z = y_i are the constant `cost`, as they are in the paper.

    Attributes
    ----------
    index : ndarray of shape (n_points,)
        The samples, the set U in PMMC.
    cost : float
        Weight of each slack in the objective, delta / (U C) in PMMC.
    y : ndarray of shape (n_points,)
        The winners of (11).
    """

    index: IntArray
    cost: float
    y: IntArray

    def tangent_at(self, S: FloatArray) -> Self:
        """Let y be the winners, (10) to (12)."""
        return replace(self, y=S.take(self.index, axis=0).argmax(axis=1))

    def value(self, S: FloatArray) -> float:
        """Return the last sum of (21)."""
        return self.cost * float(np.maximum(self._shortfall(S), 0.0).sum())

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add the last sum of (25), over the samples and clusters whose margin is missed."""
        violated = self.cost * (self._shortfall(S) > 0)
        G[self.index] += violated
        G[self.index, self.y] -= violated.sum(axis=1)

    def _shortfall(self, S: FloatArray) -> FloatArray:
        T = S.take(self.index, axis=0)
        return T - (T[np.arange(len(T)), self.y] - 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class WinnerLoss(Loss):
    """The winner should lead by a margin, the first constraint of (1).

    ``cost * sum over i of  {1 - S[i, y_i] + max over z != y_i of S[i, z]}_+``

    Attributes
    ----------
    cost : float
        Weight of each sample in the objective, 1/n.
    y : ndarray of shape (n,)
        The winners.
    """

    cost: float
    y: IntArray

    def tangent_at(self, S: FloatArray) -> Self:
        """Let y be the winners."""
        return replace(self, y=S.argmax(axis=1))

    def value(self, S: FloatArray) -> float:
        """Return the loss."""
        return self.cost * float(np.maximum(self._runner_up(S)[1], 0.0).sum())

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient at S to G."""
        rows = np.arange(len(S))
        z, shortfall = self._runner_up(S)
        violated = self.cost * (shortfall > 0)
        G[rows, z] += violated
        G[rows, self.y] -= violated

    def _runner_up(self, S: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the best cluster other than y, and by how much it misses the margin."""
        rows = np.arange(len(S))
        others = S.copy()
        others[rows, self.y] = -np.inf
        z = others.argmax(axis=1)
        return z, 1.0 - S[rows, self.y] + S[rows, z]


@dataclass(frozen=True, eq=False)
class Balance(Loss):
    """No cluster may score much higher than another in sum, the second constraint of (1).

    Zero if ``|sum_i S[i, s] - sum_i S[i, z]| <= q`` for all s and z, infinite otherwise.
    """

    q: float

    def value(self, S: FloatArray) -> float:
        """Return 0, or infinity if the constraint is violated beyond rounding."""
        return 0.0 if np.ptp(S.sum(axis=0)) <= self.q * (1 + 1e-9) + 1e-9 else np.inf

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add nothing: the loss is zero wherever it is finite."""

    def repair(self, design: Design, W: FloatArray) -> FloatArray:
        """Move the sums of scores of W into the allowed range, each by as little as possible."""
        m = design.sum
        sums = design.inner(W, m)
        middle = 0.5 * (sums.max() + sums.min())
        excess = sums - np.clip(sums, middle - 0.5 * self.q, middle + 0.5 * self.q)
        return W - np.outer(excess / max(design.square(m[None]), 1e-300), m)


@dataclass(frozen=True, eq=False)
class _PairLoss(Loss):
    """A convex loss of the sum, or of the difference, of the two rows of scores of a pair.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2)
        The must-links, or the cannot-links.
    cost : ndarray of shape (n_pairs,)
        Weight of each in the objective.
    """

    pairs: IntArray
    cost: FloatArray

    sign = 0.0
    """1 for the sum v_j = S[j1] + S[j2], -1 for the difference."""

    def combined(self, S: FloatArray) -> FloatArray:
        """Return v, of shape (n_pairs, n_clusters)."""
        return S[self.pairs[:, 0]] + self.sign * S[self.pairs[:, 1]]

    def scatter(self, pull: FloatArray, G: FloatArray) -> None:
        """Add `pull`, a derivative by v, to that by S."""
        np.add.at(G, self.pairs[:, 0], pull)
        np.add.at(G, self.pairs[:, 1], self.sign * pull)


class MustLinkLoss(_PairLoss):
    """Must-linked samples should have equal scores, the second constraint of (2).

    ``sum over pairs j of  cost_j sum_z |S[j1, z] - S[j2, z]|``
    """

    sign = -1.0

    def value(self, S: FloatArray) -> float:
        """Return the loss."""
        return float(self.cost @ np.abs(self.combined(S)).sum(axis=1))

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient at S to G."""
        self.scatter(self.cost[:, None] * np.sign(self.combined(S)), G)


class CannotLinkLoss(_PairLoss):
    """No cluster should own both cannot-linked samples, the last constraint of (2), and (3).

    ``sum over pairs j of  cost_j (max_z v_jz - mean_z v_jz)``  with  ``v_j = S[j1] + S[j2]``
    """

    sign = 1.0

    def value(self, S: FloatArray) -> float:
        """Return the loss."""
        v = self.combined(S)
        return float(self.cost @ (v.max(axis=1) - v.mean(axis=1)))

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient at S to G."""
        v = self.combined(S)
        owner = np.arange(v.shape[1]) == v.argmax(axis=1)[:, None]
        self.scatter(self.cost[:, None] * (owner - 1.0 / v.shape[1]), G)
