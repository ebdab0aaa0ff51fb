"""Our solver of the convex problems (21): dual ascent with a certified gap, for any of the losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cscluster.algorithms.margin.cccp.cccp import Solution
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.dual_blocks import BLOCKS, Blocks, Primal
from cscluster.algorithms.margin.cccp.losses import Loss, objective

_PATIENCE = 500
"""An ascent of fewer than four times as many steps does not count as stalled."""


@dataclass(frozen=True)
class Memory:
    """What the ascent hands on to the next convex problem, which differs in its winners.

    Attributes
    ----------
    kappa : float
        Weight of the proximal term that it ended with.
    blocks : dict
        The dual variables of each kind of loss; there is one loss of a kind at most.
    """

    kappa: float
    blocks: dict[type[Loss], Blocks]


def dual_ascent(
    design: Design,
    losses: Sequence[Loss],
    lam: float,
    start: Solution,
    *,
    rng: np.random.Generator,
    tol: float,
    max_steps: int,
    gain_tol: float = 0.0,
) -> Solution:
    """Minimise f until the duality gap is at most `tol` times f(W).

    Proximal point method around block coordinate ascent: each step sweeps once over the blocks of
    the dual of

        f(W) + kappa/2 ||W - Y||^2,    W(q) = (B(q).T @ X + kappa Y) / (lam + kappa),

    and then moves Y to W.  The gap of f splits exactly into the gap of this problem and
    ``kappa^2 / (2 lam) ||W - Y||^2``: if the first part is the larger one, sweeps progress too
    slowly and kappa doubles; if the second is, Y lags behind and kappa halves.

    The ascent begins with the dual variables that the last problem ended with and with Y = `start`.
    The result is never worse than `start`, unless that is zero: zero weights have no winners, and
    CCCP could not go on from there.  The ascent also ends once the gap is at most `gain_tol` times
    the gain on the start: time for CCCP to move on to the next tangent.

    It may stall: Y moves at every step, and neither part of the gap falls.  Where the gap is not halved
    while the number of steps grows fourfold, which is slower than one over the square root of the steps, the
    ascent ends with the gap that it has.
    """
    n, C = start.S.shape
    memory: Memory = start.memory or Memory(lam, {})
    kappa, blocks = memory.kappa, [memory.blocks.get(type(loss)) for loss in losses]
    duals = [block or BLOCKS[type(loss)](loss, C) for block, loss in zip(blocks, losses, strict=True)]
    B = np.zeros((n, C))
    for dual, loss in zip(duals, losses, strict=True):
        dual.follow(loss, design)
        dual.add_to(B)
    U = design.extended(B)
    Y = design.extend(start.W)
    best, lower = start, -np.inf
    step, check = 0, 1
    halved, halved_at = np.inf, _PATIENCE
    while True:
        V = (U + kappa * Y) / (lam + kappa)
        at = Primal(design.rows, design.squared_norms, V, lam + kappa)
        for dual in duals:
            dual.sweep(design, at, rng)
        U = (lam + kappa) * V - kappa * Y
        step += 1
        if step in (check, max_steps):
            check += 1 + min(step // 3, 2 + step // 8)
            W = design.weights(V)
            for loss in losses:
                W = loss.repair(design, W)
            S = design.scores(W)
            value = objective(design, losses, lam, W, S)
            bound = sum(dual.linear() for dual in duals) - design.square(design.weights(U)) / (2.0 * lam)
            lag = kappa**2 / (2.0 * lam) * design.square(W - design.weights(Y))
            inner = value - bound - lag
            if value < best.value or not best.W.any():
                best = Solution(W, S, value)
            lower = max(lower, bound)
            gap = best.value - lower
            if gap <= 0.5 * halved:
                halved, halved_at = gap, max(step, _PATIENCE)
            enough = max(tol * best.value, gain_tol * (start.value - best.value))
            if gap <= enough or step == max_steps or step >= 4 * halved_at:
                memory = Memory(kappa, {type(loss): dual for loss, dual in zip(losses, duals, strict=True)})
                return Solution(best.W, best.S, best.value, step, gap, memory)
            if lag > 2.0 * inner:
                kappa /= 2.0
            elif lag < 0.5 * inner:
                kappa *= 2.0
        Y = V
