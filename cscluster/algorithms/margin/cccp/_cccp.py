"""The constrained concave-convex procedure around the convex solvers, Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.margin.cccp._design import Design
from cscluster.algorithms.margin.cccp._solvers import Solution, objective
from cscluster.algorithms.margin.cccp._terms import Term

Solve = Callable[[Design, Sequence[Term], float, Solution], Solution]


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
        Steps of the convex solver in each iteration.
    converged : bool
        Whether the stop rule was met.
    """

    solution: Solution
    history: list[float]
    n_steps: list[int]
    converged: bool


def tangent_at(design: Design, terms: Sequence[Term], lam: float, W: FloatArray) -> Solution:
    """Freeze the winners at W, and return W with the nonconvex objective there."""
    S = design.scores(W)
    for term in terms:
        term.relinearise(S)
    return Solution(W, S, objective(terms, lam, W, S))


def tangent_at_scores(terms: Sequence[Term], S: FloatArray, d: int) -> Solution:
    """Freeze the winners at scores that no weights need have; the weights start at zero."""
    for term in terms:
        term.relinearise(S)
    zero = np.zeros_like(S)
    return Solution(np.zeros((S.shape[1], d)), zero, objective(terms, 0.0, zero, zero))


def cccp(
    design: Design,
    terms: Sequence[Term],
    lam: float,
    start: Solution,
    solve: Solve,
    *,
    tol: float,
    max_iter: int,
) -> Run:
    """Minimise the convex bound at the frozen winners, freeze the new winners, repeat.

    Stops once the objective falls by at most `tol` times its value.  The winners of the terms
    are those of the start already.
    """
    current, history, n_steps = start, list[float](), list[int]()
    for _ in range(max_iter):
        found = solve(design, terms, lam, current)
        for term in terms:
            term.relinearise(found.S)
        found = replace(found, value=objective(terms, lam, found.W, found.S))
        history.append(found.value)
        n_steps.append(found.n_steps)
        fell = current.value - found.value
        current = found
        if fell <= tol * abs(found.value):
            return Run(current, history, n_steps, converged=True)
    return Run(current, history, n_steps, converged=False)
