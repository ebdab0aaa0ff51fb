"""The subgradient projection method, Algorithm 2 of zeng2012."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.margin.cccp.cccp import Solution
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.losses import Loss, objective


def radius(losses: Sequence[Loss], lam: float, S: FloatArray) -> float:
    """Return rho of Theorem 1, (22): with f(0) = 1 + delta for PMMC, ``||W||^2 <= f(0) / lam``.

    Of the scores S only the shape matters.
    """
    return float(np.sqrt(sum(loss.value(np.zeros_like(S)) for loss in losses) / lam))


def gradient(design: Design, losses: Sequence[Loss], lam: float, W: FloatArray) -> FloatArray:
    """Return a subgradient of f at W, (25)."""
    S = design.scores(W)
    G = np.zeros_like(S)
    for loss in losses:
        loss.add_subgradient(S, G)
    return lam * W + design.combine(G)


def project(W: FloatArray, rho: float) -> FloatArray:
    """Return the point of the ball of radius rho that is nearest to W, (24)."""
    return W * min(1.0, rho / max(float(np.linalg.norm(W)), 1e-300))


def subgradient(
    design: Design, losses: Sequence[Loss], lam: float, start: Solution, *, tol: float, max_steps: int
) -> Solution:
    """Take steps (23) of size mu_r = 1 / (lam r) and project them, (24).

    Stops when W changes by at most `tol`, the paper's eps2, relative to its norm.  Its value may well
    be above that of `start`, which is then returned instead unless it is zero.  The start is the
    current W instead of a random one: the first step forgets it anyway.
    """
    W, rho = start.W, radius(losses, lam, start.S)
    for r in range(1, max_steps + 1):
        W_half = W - gradient(design, losses, lam, W) / (lam * r)
        W_next = project(W_half, rho)
        for loss in losses:
            W_next = loss.repair(design, W_next)
        change = float(np.linalg.norm(W_next - W))
        size = max(float(np.linalg.norm(W)), float(np.linalg.norm(W_next)))
        W = W_next
        if change <= tol * size:
            break
    S = design.scores(W)
    value = objective(design, losses, lam, W, S)
    if value > start.value and start.W.any():
        W, S, value = start.W, start.S, start.value
    return Solution(W, S, value, r)
