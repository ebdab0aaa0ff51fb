import numpy as np
import pytest

from cscluster.algorithms.margin.cccp._cccp import tangent_at_scores
from cscluster.algorithms.margin.cccp._design import Design
from cscluster.algorithms.margin.cccp._solvers import dual_ascent, objective, subgradient
from cscluster.algorithms.margin.cccp._terms import LinkMargins, PointMargins


def problem(n_clusters, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_clusters, 60)
    X = scale * (rng.normal(size=(60, 6)) + 2 * rng.normal(size=(n_clusters, 6))[y])
    design = Design.of(X, X.mean(axis=0), bias=False)
    pairs = rng.permutation(40).reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    cost = np.full(len(pairs), 1 / len(pairs))
    terms = [
        LinkMargins(pairs[same], pairs[~same], cost[same], cost[~same], n_clusters),
        PointMargins(np.arange(40, 60), 1 / (20 * n_clusters), n_clusters),
    ]
    start = tangent_at_scores(terms, rng.normal(size=(60, n_clusters)), 6)
    return design, terms, start


def certificate(design, terms, lam):
    """Return the dual objective, computed from the dual variables alone."""
    B = sum_of_duals(terms, design.X.shape[0])
    W = design.combine(B) / lam
    return sum(term.dual_sum() for term in terms) - 0.5 * lam * np.vdot(W, W)


def sum_of_duals(terms, n):
    C = terms[1].alpha.shape[1]
    B = np.zeros((n, C))
    for term in terms:
        term.add_dual(B)
    return B


@pytest.mark.parametrize("lam", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("n_clusters", [2, 4])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_gap_is_certified_by_the_dual_variables(lam, n_clusters, scale):
    design, terms, start = problem(n_clusters, scale)
    rng = np.random.default_rng(0)
    found = dual_ascent(design, terms, lam, start, rng=rng, tol=1e-4, max_steps=20_000)
    assert found.value == pytest.approx(objective(terms, lam, found.W, design.scores(found.W)))
    assert found.gap <= 1e-4 * found.value
    # The variables the ascent ends with bear witness, up to what kappa makes them lag behind.
    assert found.value - found.gap >= certificate(design, terms, lam) - 1e-12
    assert found.value - certificate(design, terms, lam) <= 1e-2 * found.value
    assert found.n_steps < 20_000


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0, 10.0, 100.0])
def test_never_worse_than_the_subgradient_method(lam):
    design, terms, start = problem(3)
    rival = subgradient(design, terms, lam, start, tol=0.01, max_steps=1000)
    found = dual_ascent(design, terms, lam, start, rng=np.random.default_rng(0), tol=1e-6, max_steps=20_000)
    assert found.value <= rival.value * (1 + 1e-6)


def test_agrees_with_a_general_purpose_solver():
    cvxpy = pytest.importorskip("cvxpy")
    design, terms, start = problem(3)
    links, points = terms
    lam = 0.05
    W = cvxpy.Variable((3, 6))
    S = design.X @ W.T
    losses = []
    for j, (a, b) in enumerate(links.pairs):
        breakers = [(s, t) for s in range(3) for t in range(3) if (s != t) == (j < links.n_must)]
        kept = S[a, links.z[j, 0]] + S[b, links.z[j, 1]]
        worst = cvxpy.maximum(*[S[a, s] + S[b, t] for s, t in breakers])
        losses.append(links.cost[j] * cvxpy.pos(1 - kept + worst))
    for i, y in zip(points.index, points.y, strict=True):
        losses.append(points.cost * cvxpy.sum(cvxpy.pos(1 - S[i, y] + S[i])))
    optimum = cvxpy.Problem(cvxpy.Minimize(lam / 2 * cvxpy.sum_squares(W) + sum(losses))).solve()
    found = dual_ascent(design, terms, lam, start, rng=np.random.default_rng(0), tol=1e-6, max_steps=20_000)
    assert found.value == pytest.approx(optimum, rel=1e-4)
    assert found.value - found.gap <= optimum * (1 + 1e-6)


def test_subgradient_stays_in_the_ball_of_theorem_1_and_closes_in_on_the_optimum():
    design, terms, start = problem(3)
    lam = 0.5
    best = dual_ascent(design, terms, lam, start, rng=np.random.default_rng(0), tol=1e-5, max_steps=20_000)
    assert np.linalg.norm(best.W) <= np.sqrt(2.0 / lam)
    found = subgradient(design, terms, lam, start, tol=0.0, max_steps=2000)
    assert np.linalg.norm(found.W) <= np.sqrt(2.0 / lam) * (1 + 1e-12)
    assert found.value <= 1.01 * best.value
