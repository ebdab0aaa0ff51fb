"""Two solvers of the convex problem ``min_W f(W) = lam/2 ||W||^2 + sum of terms``, eq. (21)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.margin.cccp._design import Design
from cscluster.algorithms.margin.cccp._terms import Term


@dataclass(frozen=True)
class Solution:
    """Weights W with their scores S and value f(W), and how they were found.

    Attributes
    ----------
    n_steps : int
        Sweeps of the dual ascent or subgradient steps.
    gap : float
        Certified bound on f(W) - min f; infinite where there is none.
    kappa : float
        Weight of the proximal term the dual ascent ended with; a good one to start with.
    """

    W: FloatArray
    S: FloatArray
    value: float
    n_steps: int = 0
    gap: float = np.inf
    kappa: float = 0.0


def objective(terms: Sequence[Term], lam: float, W: FloatArray, S: FloatArray) -> float:
    """Return f(W), given the scores S of W."""
    return 0.5 * lam * float(np.vdot(W, W)) + sum(term.value(S) for term in terms)


def feasible(design: Design, terms: Sequence[Term], W: FloatArray) -> FloatArray:
    """Return W, moved to where every term is finite."""
    for term in terms:
        W = term.repair(design, W)
    return W


def dual_ascent(
    design: Design,
    terms: Sequence[Term],
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
    slowly and kappa doubles; if the second is, Y lags behind and kappa halves.  For small lam this
    takes a hundred times fewer sweeps than kappa = 0.

    The ascent begins with the dual variables that the terms hold and with Y = `start`.  The
    result is never worse than `start`, unless that is zero: zero weights have no winners, and CCCP
    could not go on from there.  The ascent also ends once the gap is at most `gain_tol`
    times the gain on the start: time for CCCP to move on to the next tangent.
    """
    n, C = start.S.shape
    B = np.zeros((n, C))
    for term in terms:
        term.add_dual(B)
    U = design.extended(B)
    Y = design.extend(start.W)
    kappa = start.kappa or lam
    best, lower = start, -np.inf
    step, check = 0, 1
    while True:
        V = (U + kappa * Y) / (lam + kappa)
        for term in terms:
            term.sweep(design, V, lam + kappa, rng)
        U = (lam + kappa) * V - kappa * Y
        step += 1
        if step in (check, max_steps):
            check += 1 + step // 8
            W = feasible(design, terms, design.weights(V))
            S = design.scores(W)
            value = objective(terms, lam, W, S)
            dual = sum(term.dual_sum() for term in terms) - _square(design.weights(U)) / (2.0 * lam)
            lag = kappa**2 / (2.0 * lam) * _square(W - design.weights(Y))
            if value < best.value or not best.W.any():
                best = Solution(W, S, value)
            lower = max(lower, dual)
            gap = best.value - lower
            if gap <= max(tol * best.value, gain_tol * (start.value - best.value)) or step == max_steps:
                return Solution(best.W, best.S, best.value, step, gap, kappa)
            if lag > 2.0 * (value - dual - lag):
                kappa /= 2.0
            elif lag < 0.5 * (value - dual - lag):
                kappa *= 2.0
        Y = V


def subgradient(
    design: Design, terms: Sequence[Term], lam: float, start: Solution, *, tol: float, max_steps: int
) -> Solution:
    """Algorithm 2: subgradient steps of size 1 / (lam r), projected onto the ball of Theorem 1.

    Stops when W changes by at most `tol`, relative to its norm.  Its value may well be above that
    of `start`, which is then returned instead unless it is zero.
    """
    W = start.W
    rho = np.sqrt(sum(term.value(np.zeros_like(start.S)) for term in terms) / lam)
    for r in range(1, max_steps + 1):
        S = design.scores(W)
        G = np.zeros_like(S)
        for term in terms:
            term.add_subgradient(S, G)
        half = W - (lam * W + design.combine(G)) / (lam * r)
        new = feasible(design, terms, half * min(1.0, rho / max(float(np.linalg.norm(half)), 1e-300)))
        change = float(np.linalg.norm(new - W))
        size = max(float(np.linalg.norm(W)), float(np.linalg.norm(new)))
        W = new
        if change <= tol * size:
            break
    S = design.scores(W)
    value = objective(terms, lam, W, S)
    if value > start.value and start.W.any():
        W, S, value = start.W, start.S, start.value
    return Solution(W, S, value, r)


def _square(W: FloatArray) -> float:
    return float(np.vdot(W, W))
