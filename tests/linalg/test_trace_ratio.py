import numpy as np
import pytest

from cscluster.linalg.psd import top_eigenpairs
from cscluster.linalg.trace_ratio import TraceRatioSolution, inside_null_space, newton, nullity


def ratio(W, S1, S2):
    return np.trace(W.T @ S1 @ W) / np.trace(W.T @ S2 @ W)


def random_psd(d, rank, seed):
    R = np.random.default_rng(seed).normal(size=(rank, d))
    return R.T @ R


def ties(d):
    return np.random.default_rng(99).normal(size=(50, d)) * np.arange(1, d + 1)


def bisection(S1, S2, r, ties, tol=1e-12):
    """Solve by halving an interval around the root of g(lambda) (Table 1 of baghshah2010, from Xiang et al. 2008).

    The interval starts at ``tr(S_1) / tr(S_2)`` and at the sum of the r largest eigenvalues of S_1 over
    the sum of the r smallest of S_2, and is halved until its length is `tol` of its upper end.
    """
    if r <= nullity(S2):
        return TraceRatioSolution(inside_null_space(S1, S2, r, ties), np.array([np.inf]), True)
    low = float(np.trace(S1) / np.trace(S2))
    high = float(np.linalg.eigvalsh(S1)[-r:].sum() / np.linalg.eigvalsh(S2)[:r].sum())
    middles = []
    while high - low > tol * high:
        middles.append((low + high) / 2)
        if np.linalg.eigvalsh(S1 - middles[-1] * S2)[-r:].sum() > 0:
            low = middles[-1]
        else:
            high = middles[-1]
    W = top_eigenpairs(S1 - (low + high) / 2 * S2, r)[1]
    return TraceRatioSolution(W, np.array([*middles, ratio(W, S1, S2)]), True)


@pytest.mark.parametrize(("d", "r"), [(5, 1), (5, 4), (20, 10), (40, 3), (40, 30)])
def test_newton_agrees_with_bisection(d, r):
    S1, S2 = random_psd(d, d // 2, 1), random_psd(d, 2 * d, 2)
    fast, slow = newton(S1, S2, r, ties(d)), bisection(S1, S2, r, ties(d))
    assert fast.converged
    assert fast.ratios[-1] == pytest.approx(slow.ratios[-1], rel=1e-9)
    np.testing.assert_allclose(fast.W @ fast.W.T, slow.W @ slow.W.T, atol=1e-5)
    assert len(fast.ratios) < len(slow.ratios) / 2


def test_certificate_and_monotone_ascent():
    S1, S2 = random_psd(30, 30, 1), random_psd(30, 60, 2)
    solution = newton(S1, S2, 8, ties(30))
    best = solution.ratios[-1]
    np.testing.assert_allclose(solution.W.T @ solution.W, np.eye(8), atol=1e-10)
    assert ratio(solution.W, S1, S2) == pytest.approx(best)
    # g(lambda*) = 0: no other W can have a larger ratio.
    assert np.linalg.eigvalsh(S1 - best * S2)[-8:].sum() == pytest.approx(0, abs=1e-8 * np.trace(S1))
    assert (np.diff(solution.ratios) >= -1e-12).all()


def test_plane_by_brute_force():
    S1, S2 = random_psd(2, 2, 3), random_psd(2, 4, 4)
    angles = np.linspace(0, np.pi, 20001)
    W = np.stack([np.cos(angles), np.sin(angles)])
    values = (W * (S1 @ W)).sum(axis=0) / (W * (S2 @ W)).sum(axis=0)
    assert newton(S1, S2, 1, ties(2)).ratios[-1] == pytest.approx(values.max(), rel=1e-6)


def test_null_space_of_the_denominator():
    S2 = np.diag([1.0, 2.0, 0.0, 0.0, 0.0])
    S1 = np.diag([9.0, 0.0, 0.0, 5.0, 3.0])
    solution = newton(S1, S2, 2, ties(5))
    assert np.isinf(solution.ratios).all()
    np.testing.assert_allclose(np.abs(solution.W.T), [[0, 0, 0, 1, 0], [0, 0, 0, 0, 1]], atol=1e-12)
    # One dimension more than the null space has: the ratio is finite again.
    assert np.isfinite(newton(S1, S2, 4, ties(5)).ratios[-1])


def test_ties_go_to_the_largest_variance_in_any_basis():
    # The null space of S_2 has four dimensions and S_1 sees one of them: three are undetermined.
    d = 6
    S1, S2 = np.diag([0.0, 0, 1, 0, 0, 0]), np.diag([1.0, 1, 0, 0, 0, 0])
    T = np.random.default_rng(0).normal(size=(1000, d)) * [1, 1, 1, 5, 3, 4]
    P = newton(S1, S2, 3, T).W
    Q, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(d, d)))
    rotated = newton(Q @ S1 @ Q.T, Q @ S2 @ Q.T, 3, T @ Q.T).W
    np.testing.assert_allclose(Q.T @ rotated @ rotated.T @ Q, P @ P.T, atol=1e-8)
    np.testing.assert_allclose(np.diag(P @ P.T), [0, 0, 1, 1, 0, 1], atol=0.05)


def test_scale_of_either_matrix_leaves_the_map():
    S1, S2 = random_psd(12, 6, 1), random_psd(12, 24, 2)
    W, V = newton(S1, S2, 4, ties(12)).W, newton(1e6 * S1, 1e-6 * S2, 4, ties(12)).W
    np.testing.assert_allclose(W @ W.T, V @ V.T, atol=1e-8)


def test_iteration_limit_is_reported():
    S1, S2 = random_psd(20, 10, 1), random_psd(20, 40, 2)
    assert not newton(S1, S2, 5, ties(20), max_iter=1).converged
