"""The constrained concave-convex procedure (CCCP), Algorithm 1 of zeng2012.

Algorithm 1 sets delta = 0 for its first iterations: that is one call of `cccp` with the losses of
the constraints alone, and a second one with all losses.  What solves the convex problem (17), or (21), of
an iteration is plugged in: `subgradient` is the paper's Algorithm 2, `dual_ascent` ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.losses import Loss, objective


@dataclass(frozen=True)
class Solution:
    """Weights W in the coordinates of the design, their scores S and value f(W), and how they were found.

    Attributes
    ----------
    n_steps : int
        Steps of the solver.
    gap : float
        Certified bound on f(W) - min f; infinite where there is none.
    memory : object
        What the solver may go on from in the next convex problem.
    """

    W: FloatArray
    S: FloatArray
    value: float
    n_steps: int = 0
    gap: float = np.inf
    memory: Any = None


Solve = Callable[[Design, Sequence[Loss], float, Solution], Solution]
"""Minimises the convex f of (21) for a design, losses with frozen winners and lam, from a start."""


@dataclass(frozen=True)
class Run:
    """Where CCCP ended.

    Attributes
    ----------
    solution : Solution
        The last weights; `value` is the nonconvex objective, `gap` that of the last convex problem.
    history : list of float
        The nonconvex objective after each iteration.
    n_steps : list of int
        Steps of the solver in each iteration.
    converged : bool
        Whether the stop rule was met.
    """

    solution: Solution
    history: list[float]
    n_steps: list[int]
    converged: bool


L = TypeVar("L", bound=Loss)


def tangents(losses: Sequence[L], S: FloatArray) -> list[L]:
    """Freeze the winners of all losses at the scores S, (11), (15) and (16)."""
    return [loss.tangent_at(S) for loss in losses]


def from_scores(design: Design, losses: Sequence[Loss], S: FloatArray) -> Solution:
    """Return zero weights, the start for losses whose winners are those of the scores S."""
    W, zero = design.zero(S.shape[1]), np.zeros_like(S)
    return Solution(W, zero, objective(design, losses, 0.0, W, zero))


def cccp(
    design: Design,
    losses: Sequence[Loss],
    lam: float,
    start: Solution,
    solve: Solve,
    *,
    tol: float,
    max_iter: int,
) -> Run:
    """Solve (17) at the frozen winners for W^(t+1), freeze the winners of W^(t+1), and repeat.

    The winners of `losses` are those of the start already.  Stops once the objective falls by at
    most `tol`, the paper's eps1, times its value.
    """
    W, history, n_steps = start, list[float](), list[int]()
    for _ in range(max_iter):
        W_next = solve(design, losses, lam, W)
        losses = tangents(losses, W_next.S)
        W_next = replace(W_next, value=objective(design, losses, lam, W_next.W, W_next.S))
        history.append(W_next.value)
        n_steps.append(W_next.n_steps)
        fell = W.value - W_next.value
        W = W_next
        if fell <= tol * abs(W.value):
            return Run(W, history, n_steps, converged=True)
    return Run(W, history, n_steps, converged=False)


def cccp_from_scores(
    design: Design,
    losses: Sequence[Loss],
    lam: float,
    S: FloatArray,
    solve: Solve,
    *,
    tol: float,
    max_iter: int,
) -> Run:
    """Run `cccp` from the winners of scores S, which no weights need have."""
    losses = tangents(losses, S)
    return cccp(design, losses, lam, from_scores(design, losses, S), solve, tol=tol, max_iter=max_iter)


def resume(
    run: Run,
    design: Design,
    losses: Sequence[Loss],
    lam: float,
    solve: Solve,
    *,
    tol: float,
    max_iter: int,
) -> Run:
    """Go on with a run of `cccp` for at most `max_iter` more iterations, unless it has met the stop rule."""
    if run.converged or not max_iter:
        return run
    losses = tangents(losses, run.solution.S)
    more = cccp(design, losses, lam, run.solution, solve, tol=tol, max_iter=max_iter)
    return replace(more, history=run.history + more.history, n_steps=run.n_steps + more.n_steps)
