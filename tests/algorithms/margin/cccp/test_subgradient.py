import numpy as np
import pytest

from cscluster.algorithms.margin.cccp.cccp import from_scores, tangents
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.dual_ascent import dual_ascent
from cscluster.algorithms.margin.cccp.losses import objective
from cscluster.algorithms.margin.cccp.pmmc import constraint_loss, point_loss
from cscluster.algorithms.margin.cccp.subgradient import gradient, project, radius, subgradient
from cscluster.constraints import Constraints


def problem(delta=1.0, lam=0.5):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 6)) + 2 * rng.normal(size=(3, 6))[y]
    design = Design.of(X, X.mean(axis=0), bias=False)
    constraints = Constraints.from_labels(rng.permutation(40).reshape(-1, 2), y)
    S = rng.normal(size=(60, 3))
    losses = tangents([constraint_loss(constraints), point_loss(constraints, delta, 3)], S)
    return design, losses, lam, from_scores(design, losses, S)


@pytest.mark.parametrize("delta", [0.3, 1.0])
def test_the_radius_is_that_of_theorem_1(delta):
    _, losses, lam, start = problem(delta)
    assert radius(losses, lam, start.S) == pytest.approx(np.sqrt((1 + delta) / lam))


def test_the_projection_scales_what_lies_outside():
    W = np.array([[3.0, 4.0]])
    assert project(W, 2.5).tolist() == [[1.5, 2.0]]
    assert project(W, 6.0).tolist() == [[3.0, 4.0]]


def test_gradient_matches_finite_differences():
    design, losses, lam, _ = problem()
    W = np.random.default_rng(1).normal(size=(3, 6))

    def f(W):
        return objective(design, losses, lam, W, design.scores(W))

    G, h = gradient(design, losses, lam, W), 1e-6
    for cell in np.ndindex(W.shape):
        step = np.zeros_like(W)
        step[cell] = h
        assert G[cell] == pytest.approx((f(W + step) - f(W - step)) / (2 * h), abs=1e-6)


def test_it_stays_in_the_ball_and_closes_in_on_the_optimum():
    design, losses, lam, start = problem()
    best = dual_ascent(design, losses, lam, start, rng=np.random.default_rng(0), tol=1e-5, max_steps=20_000)
    assert np.linalg.norm(best.W) <= np.sqrt(2.0 / lam)
    found = subgradient(design, losses, lam, start, tol=0.0, max_steps=2000)
    assert np.linalg.norm(found.W) <= np.sqrt(2.0 / lam) * (1 + 1e-12)
    assert found.value <= 1.01 * best.value
