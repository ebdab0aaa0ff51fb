"""The dual variables of each loss, in blocks that are maximised one after the other.

A loss with frozen winners can be written as

    R(S) = max over q in Q of  sum(q) - <B(q), S>        (q: dual variables, Q: a product of small blocks)

so that the convex problem ``min_W lam/2 ||W||^2 + sum of R((X - mean) @ W.T)`` has the dual

    max over q in Q of  sum(q) - lam/2 ||W(q)||^2,   W(q) = B(q).T @ (X - mean) / lam.

`sweep` maximises the dual over each block once; a block touches one or two samples, so that it is
solved in terms of their scores and inner products alone.  The compiled loops hold the weights in the
extended coordinates of `design.Rows`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.compiled import compiled, compiled_part
from cscluster.algorithms.margin.cccp.design import Design, Rows, add_row, row_scores
from cscluster.algorithms.margin.cccp.losses import (
    Balance,
    CannotLinkLoss,
    ConstraintLoss,
    Loss,
    MustLinkLoss,
    PointLoss,
    WinnerLoss,
    best_apart,
    best_together,
)

_EXCHANGES = 2
"""A sweep exchanges weight between the slots of a constraint at most so many times for each cluster."""


class Primal(NamedTuple):
    """Samples with their squared norms, and the weights V = W(q) for lam, which sweeps update."""

    rows: Rows
    norms: FloatArray
    V: FloatArray
    lam: float


class Blocks(ABC):
    """The dual variables of a loss, all feasible; at first they pull at no score."""

    loss: Any

    @abstractmethod
    def follow(self, loss: Any, design: Design) -> None:
        """Go on with the same loss at new winners, or for the same constraints in another design."""

    @abstractmethod
    def linear(self) -> float:
        """Return the linear part of the dual objective."""

    @abstractmethod
    def add_to(self, B: FloatArray) -> None:
        """Add B(q), of shape (n, n_clusters), to `B`."""

    @abstractmethod
    def sweep(self, design: Design, at: Primal, rng: np.random.Generator) -> None:
        """Maximise the dual over each block once; update the weights accordingly."""


def visiting_order(n: int, rng: np.random.Generator) -> IntArray:
    """Return a random order of n blocks of variables that leaves some neighbours together.

    Neighbouring samples are neighbours in memory: for many samples that is faster than a random
    order, and takes no more sweeps.
    """
    length = min(max(n // 256, 1), 64)
    if length == 1:
        return rng.permutation(n)
    first = length * rng.permutation(-(-n // length))
    order = (first[:, None] + np.arange(length)).ravel()
    return order[order < n]


class PointBlocks(Blocks):
    """One variable alpha in [0, cost] for each sample i of a `PointLoss` and each z != y_i."""

    def __init__(self, loss: PointLoss, n_clusters: int) -> None:
        self.loss = loss
        self.alpha = np.zeros((len(loss.index), n_clusters))

    def follow(self, loss: Any, design: Design) -> None:
        """Let the variables of the old and the new winner swap places."""
        rows = np.arange(len(loss.y))
        old, new = self.alpha[rows, self.loss.y], self.alpha[rows, loss.y]
        self.alpha[rows, self.loss.y], self.alpha[rows, loss.y] = new, old
        self.loss = loss

    def linear(self) -> float:
        """Return the sum of the variables and of the constants."""
        return float(self.alpha.sum()) + self.loss.cost * len(self.alpha)

    def add_to(self, B: FloatArray) -> None:
        """Add B(alpha)."""
        B[self.loss.index] -= self.alpha
        B[self.loss.index, self.loss.y] += self.alpha.sum(axis=1)

    def sweep(self, design: Design, at: Primal, rng: np.random.Generator) -> None:
        """Maximise the dual over the variables of each sample once."""
        loss, order = self.loss, visiting_order(len(self.alpha), rng)
        _sweep_points(at, order, loss.index, loss.y, loss.cost, self.alpha)


@compiled()
def _sweep_points(
    at: Primal, order: IntArray, index: IntArray, y: IntArray, cost: float, alpha: FloatArray
) -> None:
    """Maximise over one variable of a sample after the other, a few times."""
    rows, norms, V, lam = at
    C = V.shape[0]
    local_sweeps = 1 if C == 2 else 4
    s, a = np.empty(C), np.empty(C)
    for k in order:
        i, own = index[k], y[k]
        h = norms[i] / lam
        row_scores(rows, i, V, s)
        for z in range(C):
            a[z] = 0.0
        changed = False
        for _ in range(local_sweeps):
            moved = False
            for z in range(C):
                if z == own:
                    continue
                old = alpha[k, z]
                new = cost
                if h > 0.0:
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


class Slots(NamedTuple):
    """Violating assignments, the dual weight of each, and how many a constraint uses."""

    slot: NDArray[np.int16]
    beta: FloatArray
    used: IntArray


class ConstraintBlocks(Blocks):
    """One variable beta >= 0 for each constraint j of a `ConstraintLoss` and each s that violates it.

    Those of a constraint sum to at most cost_j; only positive ones are stored, in slots.  Slot 0 is z
    itself, which stands for "no loss" and takes what is left of cost_j.  There are as many slots as the
    next sweep can use, far fewer than the C (C - 1) assignments that violate a must-link.
    """

    def __init__(self, loss: ConstraintLoss, n_clusters: int) -> None:
        L = len(loss.pairs)
        self.loss = loss
        self.slot = np.zeros((L, 1, 2), dtype=np.int16)
        self.beta = np.zeros((L, 1))
        self.used = np.zeros(L, dtype=np.int64)
        self._design: Design | None = None
        self._forget(np.ones(L, dtype=np.bool_))

    def _forget(self, which: NDArray[np.bool_]) -> None:
        self.slot[which, 0] = self.loss.z[which]
        self.beta[which] = 0.0
        self.beta[which, 0] = self.loss.cost[which]
        self.used[which] = 1

    def follow(self, loss: ConstraintLoss, design: Design) -> None:
        """Keep the variables of the constraints whose winner is the same."""
        changed = (loss.z != self.loss.z).any(axis=1)
        self.loss = loss
        self._forget(changed)
        if design is not self._design:
            self._design = design
            self._products = design.products(*loss.pairs.T)

    def linear(self) -> float:
        """Return the sum of the variables, the slack excluded."""
        return float((self.loss.cost - self.beta[:, 0]).sum())

    def add_to(self, B: FloatArray) -> None:
        """Add B(beta)."""
        k = self.used.max()
        for end in (0, 1):
            i = self.loss.pairs[:, end]
            np.add.at(B, (i, self.loss.z[:, end]), self.loss.cost)
            np.subtract.at(B, (i[:, None], self.slot[:, :k, end]), self.beta[:, :k])

    def sweep(self, design: Design, at: Primal, rng: np.random.Generator) -> None:
        """Maximise the dual over the variables of each constraint once."""
        loss, order = self.loss, visiting_order(len(self.beta), rng)
        C = len(at.V)
        most = 1 + (C * (C - 1) if loss.n_must else C)
        missing = min(most, int(self.used.max()) + _EXCHANGES * C) - self.beta.shape[1]
        if missing > 0:
            new = np.zeros((len(self.beta), missing))
            self.slot = np.concatenate([self.slot, np.zeros((*new.shape, 2), np.int16)], axis=1)
            self.beta = np.concatenate([self.beta, new], axis=1)
        slots = Slots(self.slot, self.beta, self.used)
        _sweep_constraints(at, order, loss.pairs, self._products, loss.n_must, loss.z, slots)


@compiled()
def _sweep_constraints(
    at: Primal,
    order: IntArray,
    pairs: IntArray,
    products: FloatArray,
    n_must: int,
    z: IntArray,
    slots: Slots,
) -> None:
    """Exchange dual weight between the best assignment that violates a constraint and its worst used slot."""
    (rows, norms, V, lam), (slot, beta, used) = at, slots
    C = V.shape[0]
    s1, s2, a1, a2 = np.empty(C), np.empty(C), np.empty(C), np.empty(C)
    for j in order:
        i1, i2 = pairs[j, 0], pairs[j, 1]
        h1, h2, h12 = norms[i1] / lam, norms[i2] / lam, products[j] / lam
        row_scores(rows, i1, V, s1)
        row_scores(rows, i2, V, s2)
        for c in range(C):
            a1[c] = a2[c] = 0.0
        changed = False
        for _ in range(_EXCHANGES * C):
            own = s1[z[j, 0]] + s2[z[j, 1]]
            u1, u2 = best_apart(s1, s2) if j < n_must else best_together(s1, s2)
            up = 1.0 + s1[u1] + s2[u2] - own
            if up < 0.0:
                up = 0.0
                u1, u2 = z[j, 0], z[j, 1]
            worst, down = -1, np.inf
            for k in range(used[j]):
                if beta[j, k] > 0.0:
                    loss = s1[slot[j, k, 0]] + s2[slot[j, k, 1]] - own + (1.0 if k else 0.0)
                    if loss < down:
                        worst, down = k, loss
            if up - down <= 1e-9:
                break
            d1, d2 = slot[j, worst, 0], slot[j, worst, 1]
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
                slot[j, worst, 0], slot[j, worst, 1] = slot[j, last, 0], slot[j, last, 1]
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


class WinnerBlocks(PointBlocks):
    """Variables alpha >= 0 of each sample i of a `WinnerLoss`, one for each cluster; they sum to cost.

    That of y_i is the slack, which stands for "no loss".
    """

    def __init__(self, loss: WinnerLoss, n_clusters: int) -> None:
        self.loss = loss
        self.alpha = np.zeros((len(loss.y), n_clusters))
        self.alpha[np.arange(len(loss.y)), loss.y] = loss.cost

    def linear(self) -> float:
        """Return the sum of the variables, the slack excluded."""
        return float((self.loss.cost - self.alpha[np.arange(len(self.alpha)), self.loss.y]).sum())

    def add_to(self, B: FloatArray) -> None:
        """Add B(alpha)."""
        B -= self.alpha
        B[np.arange(len(self.alpha)), self.loss.y] += self.loss.cost

    def sweep(self, design: Design, at: Primal, rng: np.random.Generator) -> None:
        """Maximise the dual over the variables of each sample once."""
        _sweep_winners(at, visiting_order(len(self.alpha), rng), self.loss.y, self.alpha)


@compiled()
def _sweep_winners(at: Primal, order: IntArray, y: IntArray, alpha: FloatArray) -> None:
    """Exchange dual weight between the best and the worst variable of each sample."""
    rows, norms, V, lam = at
    C = V.shape[0]
    s, a = np.empty(C), np.empty(C)
    for i in order:
        own = y[i]
        h = norms[i] / lam
        row_scores(rows, i, V, s)
        for z in range(C):
            a[z] = 0.0
        changed = False
        for _ in range(2 * C):
            up, down = own, own
            rise, fall = 0.0, 0.0 if alpha[i, own] > 0.0 else np.inf
            for z in range(C):
                if z != own:
                    loss = 1.0 - s[own] + s[z]
                    if loss > rise:
                        up, rise = z, loss
                    if alpha[i, z] > 0.0 and loss < fall:
                        down, fall = z, loss
            if rise - fall <= 1e-9:
                break
            b = alpha[i, down]
            if 2.0 * h * b > rise - fall:
                b = (rise - fall) / (2.0 * h)
            alpha[i, up] += b
            alpha[i, down] -= b
            s[down] += b * h
            s[up] -= b * h
            a[down] += b / lam
            a[up] -= b / lam
            changed = True
        if changed:
            add_row(rows, i, V, a)


class BalanceBlocks(Blocks):
    """One variable mu[s, z] >= 0 for each ordered pair of clusters of `Balance`."""

    def __init__(self, loss: Balance, n_clusters: int) -> None:
        self.loss = loss
        self.mu = np.zeros((n_clusters, n_clusters))

    def follow(self, loss: Balance, design: Design) -> None:
        """Change nothing: there are no winners."""

    def linear(self) -> float:
        """Return the linear part, -q times the sum of mu."""
        return -self.loss.q * float(self.mu.sum())

    def add_to(self, B: FloatArray) -> None:
        """Add B(mu): the same for each sample."""
        B += self.mu.sum(axis=0) - self.mu.sum(axis=1)

    def sweep(self, design: Design, at: Primal, rng: np.random.Generator) -> None:
        """Maximise the dual over one mu after the other."""
        m, V = design.sum, at.V
        h = design.square(m[None]) / at.lam
        if h == 0.0:
            return
        sums, a = design.inner(design.weights(V), m), np.zeros(len(V))
        for s, z in np.argwhere(~np.eye(len(V), dtype=bool)):
            new = max(0.0, self.mu[s, z] + (sums[s] - sums[z] - self.loss.q) / (2.0 * h))
            step = new - self.mu[s, z]
            self.mu[s, z] = new
            sums[s] -= h * step
            sums[z] += h * step
            a[s] -= step
            a[z] += step
        V += np.outer(a / at.lam, design.extend(m[None])[0])


class MustLinkBlocks(Blocks):
    """Variables |beta_jz| <= cost_j of each pair of `MustLinkLoss` and each cluster."""

    def __init__(self, loss: MustLinkLoss, n_clusters: int) -> None:
        self.loss = loss
        self.beta = np.zeros((len(loss.pairs), n_clusters))

    def follow(self, loss: MustLinkLoss, design: Design) -> None:
        """Compute ||x_j1 + sign x_j2||^2; there are no winners."""
        p, q = loss.pairs.T
        h = design.squared_norms[p] + design.squared_norms[q]
        self._norms = np.maximum(h + 2.0 * loss.sign * design.products(p, q), 0.0)

    def linear(self) -> float:
        """Return zero: these losses have no constant part."""
        return 0.0

    def add_to(self, B: FloatArray) -> None:
        """Add B(beta)."""
        self.loss.scatter(-self.beta, B)

    def sweep(self, design: Design, at: Primal, rng: np.random.Generator) -> None:
        """Maximise the dual over the variables of each pair once."""
        loss, order = self.loss, visiting_order(len(self.beta), rng)
        _sweep_pairs(at._replace(norms=self._norms), order, loss.pairs, loss.cost, loss.sign, self.beta)


class CannotLinkBlocks(MustLinkBlocks):
    """Variables beta_j >= 0 of each pair of `CannotLinkLoss`, one for each cluster; they sum to cost_j."""

    def __init__(self, loss: CannotLinkLoss, n_clusters: int) -> None:
        self.loss = loss
        self.beta = np.repeat(loss.cost[:, None] / n_clusters, n_clusters, axis=1)

    def add_to(self, B: FloatArray) -> None:
        """Add B(beta)."""
        self.loss.scatter(self.beta.mean(axis=1, keepdims=True) - self.beta, B)


@compiled()
def _sweep_pairs(
    at: Primal, order: IntArray, pairs: IntArray, cost: FloatArray, sign: float, beta: FloatArray
) -> None:
    """Move beta_j to beta_j + v_j lam / ||x_j1 + sign x_j2||^2, brought back to what is feasible.

    That is the optimum of the block.  For a difference the range is a box, for a sum a simplex.  The norms
    are those of the pairs.
    """
    rows, norms, V, lam = at
    C = V.shape[0]
    s1, s2, new, a = np.empty(C), np.empty(C), np.empty(C), np.empty(C)
    for j in order:
        if norms[j] == 0.0:
            continue
        row_scores(rows, pairs[j, 0], V, s1)
        row_scores(rows, pairs[j, 1], V, s2)
        for z in range(C):
            new[z] = beta[j, z] + (s1[z] + sign * s2[z]) * lam / norms[j]
        if sign < 0.0:
            for z in range(C):
                new[z] = min(max(new[z], -cost[j]), cost[j])
        else:
            to_simplex(new, cost[j])
        for z in range(C):
            a[z] = -(new[z] - beta[j, z]) / lam
            beta[j, z] = new[z]
        add_row(rows, pairs[j, 0], V, a)
        for z in range(C):
            a[z] *= sign
        add_row(rows, pairs[j, 1], V, a)


@compiled_part()
def to_simplex(v: FloatArray, total: float) -> None:
    """Replace v by the nearest nonnegative vector with the given sum: ``max(v - theta, 0)``.

    Entries below theta leave the sum, which raises theta, until none does.  The largest entry is made zero
    first, so that the total is not lost to rounding.
    """
    v -= v.max()
    theta, inside = -np.inf, len(v) + 1
    while True:
        count, above = 0, 0.0
        for x in v:
            if x > theta:
                count += 1
                above += x
        if count == 0 or count >= inside:
            break
        theta, inside = (above - total) / count, count
    for z in range(len(v)):
        v[z] = max(v[z] - theta, 0.0)


BLOCKS: dict[type[Loss], Callable[[Any, int], Blocks]] = {
    ConstraintLoss: ConstraintBlocks,
    PointLoss: PointBlocks,
    WinnerLoss: WinnerBlocks,
    Balance: BalanceBlocks,
    MustLinkLoss: MustLinkBlocks,
    CannotLinkLoss: CannotLinkBlocks,
}
