"""The trace ratio problem: max over W^T W = I of tr(W^T S_1 W) / tr(W^T S_2 W)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cscluster.arrays import FloatArray
from cscluster.linalg.psd import rank_tolerance, top_eigenpairs


@dataclass(frozen=True)
class TraceRatioSolution:
    """Where a solver stopped.

    Attributes
    ----------
    W : ndarray of shape (d, r)
        Orthonormal columns.
    ratios : ndarray
        The ratio lambda after each iteration; infinite where W lies in the null space of S_2.
    converged : bool
        Whether the ratio came to rest before the iteration limit.
    """

    W: FloatArray
    ratios: FloatArray
    converged: bool


def newton(
    S1: FloatArray, S2: FloatArray, r: int, ties: FloatArray, *, tol: float = 1e-5, max_iter: int = 100
) -> TraceRatioSolution:
    """Solve by the iteration of Wang et al.: W from lambda, lambda from W.

    W becomes the r leading eigenvectors of ``S_1 - lambda S_2`` and lambda the ratio at W, which is
    ``lambda + g(lambda) / tr(W^T S_2 W)``: Newton's method for the root of the convex, falling
    function g(lambda), the sum of the r largest eigenvalues.  The ratio never falls, and converges
    quadratically.

    Parameters
    ----------
    S1, S2 : ndarray of shape (d, d)
        Symmetric positive semi-definite.
    r : int
        Number of columns of W, at most d.
    ties : ndarray of shape (n, d)
        Samples that decide between directions on which neither S_1 nor S_2 depends: those of the
        largest variance win.
    tol : float
        Relative change of lambda that counts as none; lambda is then exact to about its square.
    max_iter : int
        Largest number of iterations.

    References
    ----------
    .. [1] H. Wang, S. Yan, D. Xu, X. Tang, T. Huang, "Trace Ratio vs. Ratio Trace for Dimensionality
       Reduction", CVPR 2007, algorithm 1.
    """
    if r <= nullity(S2):
        return TraceRatioSolution(inside_null_space(S1, S2, r, ties), np.array([np.inf]), True)
    ratios = [float(np.trace(S1) / np.trace(S2))]
    for _ in range(max_iter):
        values, W = top_eigenpairs(S1 - ratios[-1] * S2, r)
        step = values.sum() / np.vdot(W, S2 @ W)
        ratios.append(float(ratios[-1] + step))
        if step <= tol * ratios[-1]:
            return TraceRatioSolution(W, np.array(ratios[1:]), True)
    return TraceRatioSolution(W, np.array(ratios[1:]), False)


def nullity(S2: FloatArray) -> int:
    """Return the dimension of the null space of S_2."""
    values = np.linalg.eigvalsh(S2)
    return int((values <= rank_tolerance(values)).sum())


def inside_null_space(S1: FloatArray, S2: FloatArray, r: int, ties: FloatArray) -> FloatArray:
    """Maximise ``tr(W^T S_1 W)`` over W in the null space of S_2 (Table 1, step 3.1).

    Where S_1 has fewer than r positive eigenvalues there, the rest of W takes the directions of the
    remaining null space along which the samples `ties` vary most.
    """
    values, vectors = np.linalg.eigh(S2)
    Z = vectors[:, values <= rank_tolerance(values)]
    gains, vectors = np.linalg.eigh(Z.T @ S1 @ Z)
    positive = gains > rank_tolerance(gains)
    W = Z @ vectors[:, positive][:, ::-1][:, :r]
    missing = r - W.shape[1]
    if missing:
        rest = Z @ vectors[:, ~positive]
        along = (ties - ties.mean(axis=0)) @ rest
        W = np.hstack([W, rest @ top_eigenpairs(along.T @ along, missing)[1]])
    return W
