import numpy as np
import pytest

from cscluster.linalg.projected_gradient import minimise
from cscluster.linalg.psd import nearest_psd


def test_least_squares_over_the_positive_orthant_meets_its_conditions():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(40, 12)), rng.normal(size=40)

    def function(x):
        r = A @ x - b
        return float(r @ r / 2), A.T @ r

    found = minimise(function, lambda x: np.maximum(x, 0), np.ones(12), tol=1e-14, max_iter=1000)
    gradient = function(found.x)[1]
    assert found.converged
    assert (found.x >= 0).all()
    assert (gradient > -1e-5).all()
    np.testing.assert_allclose(gradient * found.x, 0, atol=1e-5)


def test_projection_onto_the_cone_is_found_in_any_metric():
    # Under ||M - A||_F^2 the minimiser over the cone is the projection itself.
    rng = np.random.default_rng(1)
    A = rng.normal(size=(8, 8))
    A = A + A.T
    found = minimise(
        lambda M: (((M - A) ** 2).sum() / 2, M - A), nearest_psd, np.eye(8), tol=1e-14, max_iter=200
    )
    np.testing.assert_allclose(found.x, nearest_psd(A), atol=1e-8)


def test_limit_of_iterations_is_reported_and_the_best_point_returned():
    scale = np.logspace(0, 4, 20)
    found = minimise(
        lambda x: (float(scale @ x**2), 2 * scale * x), lambda x: x, np.ones(20), tol=0.0, max_iter=5
    )
    assert not found.converged
    assert len(found.values) == 6
    assert scale @ found.x**2 == pytest.approx(found.values.min())
