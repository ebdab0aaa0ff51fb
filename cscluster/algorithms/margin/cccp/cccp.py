"""The constrained concave-convex procedure (CCCP), Algorithm 1 of zeng2012.

Algorithm 1 sets delta = 0 for its first iterations: that is one `CCCP` with the losses of the
constraints alone, and a second one with all losses.  What solves the convex problem (17), or (21), of
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
    converged: bool = False


def objective_of(run: Run) -> float:
    """Return the last objective of a run."""
    return run.solution.value


L = TypeVar("L", bound=Loss)


def tangents(losses: Sequence[L], S: FloatArray) -> list[L]:
    """Freeze the winners of all losses at the scores S, (11), (15) and (16)."""
    return [loss.tangent_at(S) for loss in losses]


def from_scores(design: Design, losses: Sequence[Loss], S: FloatArray) -> Solution:
    """Return zero weights, the start for losses whose winners are those of the scores S."""
    W, zero = design.zero(S.shape[1]), np.zeros_like(S)
    return Solution(W, zero, objective(design, losses, 0.0, W, zero))


@dataclass(frozen=True)
class CCCP:
    """Solve (17) at the frozen winners for W^(t+1), freeze the winners of W^(t+1), and repeat.

    Stops once the objective falls by at most `tol`, the paper's eps1, times its value.
    """

    design: Design
    losses: Sequence[Loss]
    lam: float
    solve: Solve
    tol: float

    def from_scores(self, S: FloatArray, max_iter: int) -> Run:
        """Run from the winners of scores S, which no weights need have."""
        losses = tangents(self.losses, S)
        return self._iterate(Run(from_scores(self.design, losses, S), [], []), losses, max_iter)

    def resume(self, run: Run, max_iter: int) -> Run:
        """Go on with a run for at most `max_iter` more iterations, unless it has met the stop rule."""
        return run if run.converged else self._iterate(run, tangents(self.losses, run.solution.S), max_iter)

    def value(self, W: FloatArray, S: FloatArray) -> float:
        """Return the nonconvex objective at weights W with the scores S."""
        return objective(self.design, tangents(self.losses, S), self.lam, W, S)

    def _iterate(self, run: Run, losses: Sequence[Loss], max_iter: int) -> Run:
        """Go on with a run whose winners `losses` have."""
        for _ in range(max_iter):
            before = run.solution
            W = self.solve(self.design, losses, self.lam, before)
            losses = tangents(losses, W.S)
            W = replace(W, value=objective(self.design, losses, self.lam, W.W, W.S))
            converged = before.value - W.value <= self.tol * abs(W.value)
            run = Run(W, [*run.history, W.value], [*run.n_steps, W.n_steps], converged)
            if converged:
                break
        return run
