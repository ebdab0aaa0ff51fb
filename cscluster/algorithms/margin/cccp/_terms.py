"""The losses that the margin methods sum, each with its tangent, its subgradient and its dual.

A term is a function R of the scores S that is convex once its *tangent* is fixed: the winning
clusters that CCCP freezes.  It can be written as

    R(S) = max over q in Q of  sum(q) - <B(q), S>        (q: dual variables, Q: a product of small blocks)

so that the convex problem ``min_W lam/2 ||W||^2 + sum of R((X - mean) @ W.T)`` has the dual

    max over q in Q of  sum(q) - lam/2 ||W(q)||^2,   W(q) = B(q).T @ (X - mean) / lam.

`sweep` maximises the dual over one small block after the other; each block touches one or two
samples, so that it is solved in terms of their scores and inner products alone.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.margin.cccp._design import Design, Rows, add_row, row_scores
from cscluster.algorithms.margin.cccp._losses import (
    best_apart,
    best_assignments,
    best_together,
    pair_scores,
)


class Term(ABC):
    """A loss on scores; see the module's docstring."""

    def relinearise(self, S: FloatArray) -> None:  # noqa: B027  # nothing to freeze in a convex loss
        """Take the tangent at the scores S; the dual variables stay feasible."""

    def repair(self, design: Design, W: FloatArray) -> FloatArray:
        """Return weights near W at which R is finite."""
        return W

    @abstractmethod
    def value(self, S: FloatArray) -> float:
        """Return R(S)."""

    @abstractmethod
    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient of R at S, shape (n, n_clusters), to G."""

    @abstractmethod
    def dual_sum(self) -> float:
        """Return the linear part of the dual objective."""

    @abstractmethod
    def add_dual(self, B: FloatArray) -> None:
        """Add B(q), shape (n, n_clusters), to `B`."""

    @abstractmethod
    def sweep(self, design: Design, V: FloatArray, lam: float, rng: np.random.Generator) -> None:
        """Maximise the dual over each block once; update the weights V = W(q) accordingly."""


def visiting_order(n: int, rng: np.random.Generator) -> IntArray:
    """Return a random order of n blocks of variables that leaves some neighbours together.

    Neighbouring samples are neighbours in memory: for many samples that is ten times faster than
    a random order, and takes no more sweeps.
    """
    length = min(max(n // 256, 1), 64)
    first = length * rng.permutation(-(-n // length))
    order = (first[:, None] + np.arange(length)).ravel()
    return order[order < n]


class PointMargins(Term):
    """Samples should prefer their cluster y to each other one by a margin, the last line of (21).

    R(S) = cost * sum over i in `index` and all z of  {1 - (S[i, y_i] - S[i, z])}_+

    The tangent is y; there is one dual variable in [0, cost] for each i and z != y_i.  The terms
    z = y_i are the constant `cost`, as they are in the paper.
    """

    def __init__(self, index: IntArray, cost: float, n_clusters: int) -> None:
        self.index = index
        self.cost = cost
        self.y = np.zeros(len(index), dtype=np.int64)
        self.alpha = np.zeros((len(index), n_clusters))

    def relinearise(self, S: FloatArray) -> None:
        """Let y be the winners; the duals of the old and the new winner swap places."""
        rows = np.arange(len(self.index))
        y = S[self.index].argmax(axis=1)
        self.alpha[rows, self.y] = self.alpha[rows, y]
        self.alpha[rows, y] = 0.0
        self.y = y

    def _shortfalls(self, S: FloatArray) -> FloatArray:
        T = S[self.index]
        return 1.0 + T - np.take_along_axis(T, self.y[:, None], axis=1)

    def value(self, S: FloatArray) -> float:
        """Return R(S)."""
        return self.cost * float(np.maximum(self._shortfalls(S), 0.0).sum())

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient of R at S to G."""
        violated = self.cost * (self._shortfalls(S) > 0)
        G[self.index] += violated
        G[self.index, self.y] -= violated.sum(axis=1)

    def dual_sum(self) -> float:
        """Return the sum of the dual variables and of the constants."""
        return float(self.alpha.sum()) + self.cost * len(self.index)

    def add_dual(self, B: FloatArray) -> None:
        """Add B(alpha)."""
        B[self.index] -= self.alpha
        B[self.index, self.y] += self.alpha.sum(axis=1)

    def sweep(self, design: Design, V: FloatArray, lam: float, rng: np.random.Generator) -> None:
        """Maximise the dual over the variables of each sample once."""
        order = visiting_order(len(self.index), rng)
        _sweep_points(
            design.rows, design.squared_norms, V, lam, self.index, order, self.y, self.alpha, self.cost
        )


@njit(cache=True)
def _sweep_points(
    rows: Rows,
    norms: FloatArray,
    V: FloatArray,
    lam: float,
    index: IntArray,
    order: IntArray,
    y: IntArray,
    alpha: FloatArray,
    cost: float,
) -> None:
    C = V.shape[0]
    local_sweeps = 1 if C == 2 else 4
    s, a = np.empty(C), np.empty(C)
    for k in order:
        i, own = index[k], y[k]
        h = norms[i] / lam
        if h == 0.0:
            alpha[k] = cost
            alpha[k, own] = 0.0
            continue
        row_scores(rows, i, V, s)
        a[:] = 0.0
        changed = False
        for _ in range(local_sweeps):
            moved = False
            for z in range(C):
                if z == own:
                    continue
                old = alpha[k, z]
                new = min(max(old + (1.0 - s[own] + s[z]) / (2.0 * h), 0.0), cost)
                if new != old:
                    step = new - old
                    alpha[k, z] = new
                    s[own] += h * step
                    s[z] -= h * step
                    a[own] += step / lam
                    a[z] -= step / lam
                    moved = True
            if not moved:
                break
            changed = True
        if changed:
            add_row(rows, i, V, a)


class LinkMargins(Term):
    """Links should be kept rather than broken by a margin, the second and third line of (21).

    R(S) = sum over links j of  cost_j * {1 - S[j1, z_j1] - S[j2, z_j2] + max_s (S[j1, s1] + S[j2, s2])}_+

    where s runs over the assignments that break link j: s1 != s2 for a must-link, s1 = s2 for a
    cannot-link.  The tangent z is the best assignment that keeps the link.  The dual variables of
    a link, one for each s, are nonnegative and sum to at most cost_j; only positive ones are
    stored, in slots.  Slot 0 is z itself, which stands for "no loss" and takes what is left of
    cost_j.

    Parameters
    ----------
    must, cannot : ndarrays of shape (n_links, 2)
        The links.
    must_cost, cannot_cost : ndarrays of shape (n_links,)
        Their weights in the objective.
    n_clusters : int
        Number of clusters.
    """

    def __init__(
        self,
        must: IntArray,
        cannot: IntArray,
        must_cost: FloatArray,
        cannot_cost: FloatArray,
        n_clusters: int,
    ) -> None:
        self.pairs = np.concatenate([must, cannot])
        self.cost = np.concatenate([must_cost, cannot_cost])
        self.n_must = len(must)
        breakers = n_clusters * (n_clusters - 1) if self.n_must else n_clusters
        L = len(self.pairs)
        self.z = np.zeros((L, 2), dtype=np.int64)
        self.slot = np.zeros((L, 1 + breakers, 2), dtype=np.int16)
        self.beta = np.zeros((L, 1 + breakers))
        self.used = np.zeros(L, dtype=np.int64)
        self._forget(np.ones(L, dtype=np.bool_))
        self._products: tuple[Design, FloatArray] | None = None

    def renumbered(self, pairs: IntArray) -> Self:
        """Return the same links, duals included, between samples that have other numbers."""
        other = copy.copy(self)
        other.pairs = pairs
        other._products = None
        return other

    def _forget(self, which: NDArray[np.bool_]) -> None:
        self.slot[which, 0] = self.z[which]
        self.beta[which] = 0.0
        self.beta[which, 0] = self.cost[which]
        self.used[which] = 1

    def relinearise(self, S: FloatArray) -> None:
        """Let z be the best assignments that keep the links; changed links lose their duals."""
        z = best_assignments(S, self.pairs, self.n_must, True)
        changed = (z != self.z).any(axis=1)
        self.z = z
        self._forget(changed)

    def _worst(self, S: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the best assignments that break the links, and by how much margins are missed."""
        s = best_assignments(S, self.pairs, self.n_must, False)
        return s, 1.0 + pair_scores(S, self.pairs, s) - pair_scores(S, self.pairs, self.z)

    def value(self, S: FloatArray) -> float:
        """Return R(S)."""
        return float(self.cost @ np.maximum(self._worst(S)[1], 0.0))

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient of R at S to G."""
        s, shortfall = self._worst(S)
        weight = self.cost * (shortfall > 0)
        C = S.shape[1]
        cells = np.concatenate([self.pairs * C + s, self.pairs * C + self.z]).ravel()
        weights = np.repeat(np.concatenate([weight, -weight]), 2)
        G += np.bincount(cells, weights, minlength=G.size).reshape(G.shape)

    def dual_sum(self) -> float:
        """Return the sum of the dual variables, the slack excluded."""
        return float((self.cost - self.beta[:, 0]).sum())

    def add_dual(self, B: FloatArray) -> None:
        """Add B(beta)."""
        k = self.used.max()
        for end in (0, 1):
            i = self.pairs[:, end]
            np.add.at(B, (i, self.z[:, end]), self.cost)
            np.subtract.at(B, (i[:, None], self.slot[:, :k, end]), self.beta[:, :k])

    def sweep(self, design: Design, V: FloatArray, lam: float, rng: np.random.Generator) -> None:
        """Maximise the dual over the variables of each link once."""
        if self._products is None or self._products[0] is not design:
            self._products = design, design.products(*self.pairs.T)
        _sweep_links(
            design.rows,
            design.squared_norms,
            self._products[1],
            V,
            lam,
            self.pairs,
            visiting_order(len(self.pairs), rng),
            self.n_must,
            self.z,
            self.slot,
            self.beta,
            self.used,
        )


@njit(cache=True)
def _sweep_links(
    rows: Rows,
    norms: FloatArray,
    products: FloatArray,
    V: FloatArray,
    lam: float,
    pairs: IntArray,
    order: IntArray,
    n_must: int,
    z: IntArray,
    slot: NDArray[np.int16],
    beta: FloatArray,
    used: IntArray,
) -> None:
    """Exchange dual weight between the best breaker and the worst used slot of each link."""
    C = V.shape[0]
    s1, s2, a1, a2 = np.empty(C), np.empty(C), np.empty(C), np.empty(C)
    for j in order:
        i1, i2 = pairs[j]
        h1, h2, h12 = norms[i1] / lam, norms[i2] / lam, products[j] / lam
        row_scores(rows, i1, V, s1)
        row_scores(rows, i2, V, s2)
        a1[:] = 0.0
        a2[:] = 0.0
        changed = False
        for _ in range(2 * C):
            kept = s1[z[j, 0]] + s2[z[j, 1]]
            u1, u2 = best_apart(s1, s2) if j < n_must else best_together(s1, s2)
            up = 1.0 + s1[u1] + s2[u2] - kept
            if up < 0.0:
                up = 0.0
                u1, u2 = z[j]
            worst, down = -1, np.inf
            for k in range(used[j]):
                if beta[j, k] > 0.0:
                    loss = s1[slot[j, k, 0]] + s2[slot[j, k, 1]] - kept + (1.0 if k else 0.0)
                    if loss < down:
                        worst, down = k, loss
            if up - down <= 1e-9:
                break
            d1, d2 = slot[j, worst]
            # Moving weight b from slot d to slot u adds b (e_d1 - e_u1) and b (e_d2 - e_u2) to B.
            cross = (d1 == d2) - (d1 == u2) - (u1 == d2) + (u1 == u2)
            curvature = 2.0 * ((d1 != u1) * h1 + (d2 != u2) * h2 + cross * h12)
            b = beta[j, worst]
            if curvature * b > up - down:
                b = (up - down) / curvature
            to = 0
            while to < used[j] and (slot[j, to, 0] != u1 or slot[j, to, 1] != u2):
                to += 1
            if to == used[j]:
                slot[j, to, 0], slot[j, to, 1] = u1, u2
                beta[j, to] = 0.0
                used[j] += 1
            beta[j, to] += b
            beta[j, worst] -= b
            if worst > 0 and beta[j, worst] == 0.0:
                last = used[j] - 1
                slot[j, worst] = slot[j, last]
                beta[j, worst] = beta[j, last]
                beta[j, last] = 0.0
                used[j] = last
            s1[d1] += b * h1
            s1[u1] -= b * h1
            s2[d1] += b * h12
            s2[u1] -= b * h12
            s1[d2] += b * h12
            s1[u2] -= b * h12
            s2[d2] += b * h2
            s2[u2] -= b * h2
            a1[d1] += b / lam
            a1[u1] -= b / lam
            a2[d2] += b / lam
            a2[u2] -= b / lam
            changed = True
        if changed:
            add_row(rows, i1, V, a1)
            add_row(rows, i2, V, a2)
