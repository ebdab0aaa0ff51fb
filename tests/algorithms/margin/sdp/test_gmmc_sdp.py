import numpy as np
import pytest

from cscluster import GMMC, load_dataset
from cscluster.algorithms.margin.sdp import gmmc_sdp
from cscluster.algorithms.margin.sdp.gmmc_sdp import dual_value, program_matrix, solve
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.kernels import Kernel
from cscluster.metrics.scores import score


@pytest.fixture(name="A")
def matrix():
    X = np.random.default_rng(0).normal(size=(20, 3))
    return program_matrix(Kernel("gaussian", 2.0)(X), 1.0)


def test_matrix_is_the_quadratic_form_of_the_problem(A):
    X = np.random.default_rng(0).normal(size=(20, 3))
    K = Kernel("gaussian", 2.0)(X) + 1e-6 * np.eye(20)
    f, b = np.random.default_rng(1).normal(size=20), 0.7
    z = np.append(f, -b)
    assert z @ A @ z == pytest.approx((f - b) @ np.linalg.solve(K, f - b) + f.sum() ** 2, rel=1e-6)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_solution_is_feasible_and_certified(A, C):
    solution = solve(A, C, tol=1e-6, max_iter=200)
    S = A.copy()
    S[np.diag_indices(20)] -= solution.gamma
    assert solution.converged
    assert np.linalg.eigvalsh(S)[0] > 0
    assert np.linalg.eigvalsh(solution.Z)[0] > 0
    assert (solution.gamma > 0).all()
    assert (solution.gamma < C).all()
    assert 0 <= solution.bound - solution.gamma.sum() <= 1e-6 * solution.bound
    assert abs(np.einsum("ij,ji->", S, solution.Z)) <= 1e-5 * solution.bound


def test_the_bound_holds_for_any_dual_point(A):
    value = solve(A, 1.0, tol=1e-6, max_iter=200).gamma.sum()
    for seed in range(5):
        B = np.random.default_rng(seed).normal(size=(21, 21))
        assert dual_value(0.05 * B @ B.T, A, 1.0) >= value


def test_agrees_with_a_general_solver(A):
    cp = pytest.importorskip("cvxpy")
    gamma = cp.Variable(20)
    slack = A - cp.diag(cp.hstack([gamma, 0]))
    problem = cp.Problem(cp.Maximize(cp.sum(gamma)), [slack >> 0, gamma >= 0, gamma <= 1])
    problem.solve(solver=cp.CLARABEL)
    assert solve(A, 1.0, tol=1e-7, max_iter=200).gamma.sum() == pytest.approx(problem.value, rel=1e-5)


def test_separates_digits():
    data = load_dataset("optdigits_3_8")
    model = GMMC(sigma=4).fit(data.X)
    assert model.converged_
    assert 0 <= model.gap_ <= 1e-4 * model.objective_[-1] * 1.001
    assert score("error", data.y, model.labels_) < 0.052  # zhang2009, Table IV: 4.2 %, plus one point


def test_says_what_is_wrong(monkeypatch):
    monkeypatch.setattr(gmmc_sdp, "MAX_SAMPLES", 5)
    with pytest.raises(DataError, match=r"GMMC.*\b2\b.*\b5\b.*\b6\b.*IterSVR"):
        GMMC().fit(np.arange(6.0)[:, None])
    with pytest.raises(ParameterError, match=r"'C'.*GMMC.*\b0\.$"):
        GMMC(C=0).fit(np.arange(5.0)[:, None])
    with pytest.raises(ParameterError, match=r"'n_clusters'.*GMMC.*\b2\b.*\b3\b"):
        GMMC(n_clusters=3).fit(np.arange(5.0)[:, None])
