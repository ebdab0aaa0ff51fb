import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cscluster.algorithms.ensemble._simplex import minimize_on_simplex, project_simplex

vectors = arrays(np.float64, st.integers(1, 12), elements=st.floats(-5, 5))


@given(vectors)
def test_the_projection_lies_on_the_simplex_and_is_the_nearest_point(v):
    u = project_simplex(v)
    assert u.min() >= 0
    assert u.sum() == pytest.approx(1)
    # u is nearest iff (v - u)^T (e_k - u) <= 0 for every corner e_k of the simplex.
    assert ((v - u) - (v - u) @ u).max() <= 1e-9


@given(vectors)
def test_a_point_of_the_simplex_stays_and_the_order_is_kept(v):
    u = project_simplex(v)
    assert project_simplex(u) == pytest.approx(u)
    order = np.argsort(v)
    assert (np.diff(u[order]) >= 0).all()


def test_projection_worked_out_by_hand():
    # theta = (0.9 + 0.5 - 1) / 2 = 0.2; the third entry is below it.
    assert project_simplex(np.array([0.1, 0.9, 0.5])) == pytest.approx([0, 0.7, 0.3])


@pytest.mark.parametrize("seed", range(5))
def test_quadratic_program_reaches_the_minimum(seed):
    rng = np.random.default_rng(seed)
    R = rng.standard_normal((8, 12))
    A, b = R.T @ R, rng.standard_normal(12)
    g, objective, converged = minimize_on_simplex(A, b, np.full(12, 1 / 12), max_iter=5000, tol=1e-10)
    assert converged
    assert (np.diff(objective) <= 0).all()
    assert objective[-1] == pytest.approx(g @ A @ g - 2 * b @ g)
    gradient = 2 * (A @ g - b)
    assert gradient @ g - gradient.min() <= 1e-9 * (1 + abs(objective[-1]))
    others = rng.dirichlet(np.full(12, 0.3), size=2000)
    values = np.einsum("ij,jk,ik->i", others, A, others) - 2 * others @ b
    assert values.min() >= objective[-1] - 1e-9


def test_too_few_steps_are_told():
    A = np.diag(np.arange(1.0, 51.0))
    assert not minimize_on_simplex(A, np.zeros(50), np.eye(50)[0], max_iter=2, tol=1e-12)[2]
