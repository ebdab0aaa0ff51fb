import numpy as np
import pytest

from cscluster.algorithms.margin.cccp.cccp import from_scores, tangents
from cscluster.algorithms.margin.cccp.design import Design, Gram
from cscluster.algorithms.margin.cccp.dual_ascent import dual_ascent
from cscluster.algorithms.margin.cccp.dual_blocks import ConstraintBlocks, PointBlocks
from cscluster.algorithms.margin.cccp.losses import ConstraintLoss, PointLoss, objective
from cscluster.algorithms.margin.cccp.subgradient import subgradient


def problem(n_clusters, scale=1.0, seed=0, d=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_clusters, 60)
    X = scale * (rng.normal(size=(60, d)) + 2 * rng.normal(size=(n_clusters, d))[y])
    design = Design.of(X, X.mean(axis=0), bias=False)
    pairs = rng.permutation(40).reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    pairs = np.concatenate([pairs[same], pairs[~same]])
    losses = [
        ConstraintLoss(pairs, same.sum(), np.full(len(pairs), 1 / len(pairs)), np.zeros_like(pairs)),
        PointLoss(np.arange(40, 60), 1 / (20 * n_clusters), np.zeros(20, dtype=int)),
    ]
    S = rng.normal(size=(60, n_clusters))
    losses = tangents(losses, S)
    return design, losses, from_scores(design, losses, S)


def certificate(design, solution, lam):
    """Return the dual objective, computed from the dual variables alone."""
    duals = solution.memory.blocks.values()
    B = np.zeros_like(solution.S)
    for dual in duals:
        dual.add_to(B)
    W = design.combine(B) / lam
    return sum(dual.linear() for dual in duals) - 0.5 * lam * np.vdot(W, W)


@pytest.mark.parametrize("lam", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("n_clusters", [2, 4])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_gap_is_certified_by_the_dual_variables(lam, n_clusters, scale):
    design, losses, start = problem(n_clusters, scale)
    rng = np.random.default_rng(0)
    found = dual_ascent(design, losses, lam, start, rng=rng, tol=1e-4, max_steps=20_000)
    assert found.value == pytest.approx(objective(design, losses, lam, found.W, design.scores(found.W)))
    assert found.gap <= 1e-4 * found.value
    # The variables the ascent ends with bear witness, up to what kappa makes them lag behind.
    assert found.value - found.gap >= certificate(design, found, lam) - 1e-12
    assert found.value - certificate(design, found, lam) <= 1e-2 * found.value
    assert found.n_steps < 20_000


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0, 10.0, 100.0])
def test_never_worse_than_the_subgradient_method(lam):
    design, losses, start = problem(3)
    rival = subgradient(design, losses, lam, start, tol=0.01, max_steps=1000)
    found = dual_ascent(design, losses, lam, start, rng=np.random.default_rng(0), tol=1e-6, max_steps=20_000)
    assert found.value <= rival.value * (1 + 1e-6)


@pytest.mark.parametrize("lam", [0.01, 1.0])
def test_inner_products_lead_to_the_same_optimum(lam):
    design, losses, start = problem(3, d=40)
    few = design.compact()
    assert isinstance(few, Gram)
    options = {"tol": 1e-7, "max_steps": 20_000}
    one = dual_ascent(design, losses, lam, start, rng=np.random.default_rng(0), **options)
    two = dual_ascent(
        few, losses, lam, from_scores(few, losses, start.S), rng=np.random.default_rng(0), **options
    )
    assert two.value == pytest.approx(one.value, rel=1e-6)
    assert np.allclose(few.original(two.W), one.W, atol=1e-3 * np.abs(one.W).max())
    assert np.allclose(few.scores(two.W), design.scores(few.original(two.W)))


def test_agrees_with_a_general_purpose_solver():
    cvxpy = pytest.importorskip("cvxpy")
    design, losses, start = problem(3)
    links, points = losses
    lam = 0.05
    W = cvxpy.Variable((3, 6))
    S = design.X @ W.T
    slacks = []
    for j, (a, b) in enumerate(links.pairs):
        breakers = [(s, t) for s in range(3) for t in range(3) if (s != t) == (j < links.n_must)]
        kept = S[a, links.z[j, 0]] + S[b, links.z[j, 1]]
        worst = cvxpy.maximum(*[S[a, s] + S[b, t] for s, t in breakers])
        slacks.append(links.cost[j] * cvxpy.pos(1 - kept + worst))
    for i, y in zip(points.index, points.y, strict=True):
        slacks.append(points.cost * cvxpy.sum(cvxpy.pos(1 - S[i, y] + S[i])))
    optimum = cvxpy.Problem(cvxpy.Minimize(lam / 2 * cvxpy.sum_squares(W) + sum(slacks))).solve()
    found = dual_ascent(design, losses, lam, start, rng=np.random.default_rng(0), tol=1e-6, max_steps=20_000)
    assert found.value == pytest.approx(optimum, rel=1e-4)
    assert found.value - found.gap <= optimum * (1 + 1e-6)


@pytest.mark.parametrize("stuck", [(ConstraintBlocks,), (ConstraintBlocks, PointBlocks)])
def test_an_ascent_that_stalls_ends_with_the_gap_that_it_has(monkeypatch, stuck):
    def solved():
        design, losses, start = problem(3)
        rng = np.random.default_rng(0)
        return dual_ascent(design, losses, 0.1, start, rng=rng, tol=1e-6, max_steps=10_000)

    optimum = solved().value
    for blocks in stuck:
        monkeypatch.setattr(blocks, "sweep", lambda *args: None)
    stalled = solved()
    assert stalled.n_steps < 10_000
    assert stalled.gap > 1e-6 * stalled.value
    assert stalled.value - stalled.gap <= optimum
