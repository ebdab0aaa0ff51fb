import numpy as np
import pytest

from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.dual_blocks import BLOCKS, ConstraintBlocks, Primal, to_simplex
from cscluster.algorithms.margin.cccp.losses import Balance, ConstraintLoss
from tests.algorithms.margin.cccp.test_losses import KINDS, N, make

D = 5

every_loss = pytest.mark.parametrize("kind", KINDS)
every_count = pytest.mark.parametrize("n_clusters", [2, 3, 5])


def problem(kind, n_clusters, seed):
    """Return a design, a loss with frozen winners, its dual variables, and a generator."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D))
    design = Design.of(X, X.mean(axis=0), bias=False)
    loss = make(kind)[0].tangent_at(rng.normal(size=(N, n_clusters)))
    dual = BLOCKS[type(loss)](loss, n_clusters)
    dual.follow(loss, design)
    return design, loss, dual, rng


def pulls(dual, n_clusters):
    B = np.zeros((N, n_clusters))
    dual.add_to(B)
    return B


def sweep(dual, design, V, lam, rng):
    dual.sweep(design, Primal(design.rows, design.squared_norms, V, lam), rng)


@every_loss
@every_count
def test_dual_bounds_the_loss_from_below_at_every_score(kind, n_clusters):
    design, loss, dual, rng = problem(kind, n_clusters, 3)
    V = np.zeros((n_clusters, D))
    for number in range(4):
        sweep(dual, design, V, 0.1, rng)
        B = pulls(dual, n_clusters)
        assert np.allclose(V, design.combine(B) / 0.1)
        for _ in range(20):
            S = 3 * rng.normal(size=(N, n_clusters))
            assert dual.linear() - np.vdot(B, S) <= loss.value(S) + 1e-12
        if number == 1:  # new winners keep the dual feasible
            loss = loss.tangent_at(rng.normal(size=(N, n_clusters)))
            dual.follow(loss, design)
            V = design.combine(pulls(dual, n_clusters)) / 0.1


@every_loss
@every_count
def test_sweeps_never_lower_the_dual(kind, n_clusters):
    design, loss, dual, rng = problem(kind, n_clusters, 4)
    V = np.zeros((n_clusters, D))
    lam, values = 0.05, [dual.linear()]
    for _ in range(10):
        sweep(dual, design, V, lam, rng)
        values.append(dual.linear() - 0.5 * lam * np.vdot(V, V))
    assert (np.diff(values) >= -1e-12).all()
    if loss.value(np.zeros((N, n_clusters))) > 0:
        assert values[-1] > values[0]


def test_slots_are_made_as_they_are_needed():
    rng = np.random.default_rng(0)
    X, pairs = rng.normal(size=(60, D)), rng.integers(0, 60, size=(40, 2))
    design = Design.of(X, X.mean(axis=0), bias=False)
    S = rng.normal(size=(60, 12))
    loss = ConstraintLoss(pairs, 20, np.full(40, 1 / 40), np.zeros_like(pairs)).tangent_at(S)
    weights = []
    for n_slots in (1 + 12 * 11, 1):
        dual, V, order = ConstraintBlocks(loss, 12), np.zeros((12, D)), np.random.default_rng(1)
        dual.slot = np.pad(dual.slot, ((0, 0), (0, n_slots - 1), (0, 0)))
        dual.beta = np.pad(dual.beta, ((0, 0), (0, n_slots - 1)))
        dual.follow(loss, design)
        for _ in range(6):
            sweep(dual, design, V, 0.01, order)
        weights.append(V)
    assert np.array_equal(*weights)
    assert 2 < dual.used.max() <= dual.beta.shape[1] == dual.slot.shape[1] < 1 + 12 * 11


def test_sweeps_bring_the_sums_of_scores_into_balance():
    rng = np.random.default_rng(5)
    X = np.hstack([rng.normal(size=(N, D)), np.ones((N, 1))])
    design = Design(X - X.mean(axis=0) * ([1] * D + [0]), np.zeros(D + 1))
    lam, q = 0.1, 0.5
    W = rng.normal(size=(4, D + 1))
    loss, V = Balance(q), W.copy()
    dual = BLOCKS[Balance](loss, 4)
    for _ in range(500):
        sweep(dual, design, V, lam, rng)
    assert np.allclose(V, W + design.combine(pulls(dual, 4)) / lam)
    assert (dual.mu >= 0).all()
    assert np.ptp(design.scores(V).sum(axis=0)) <= q + 1e-6
    # What the sweeps reach is the nearest point of the allowed range, and repairing it changes nothing.
    assert np.allclose(loss.repair(design, V), V, atol=1e-6)
    repaired = loss.repair(design, W)
    assert np.isinf(loss.value(design.scores(W)))
    assert loss.value(design.scores(repaired)) == 0.0
    assert np.linalg.norm(V - W) <= np.linalg.norm(repaired - W) + 1e-9


@pytest.mark.parametrize("total", [0.01, 1.0, 30.0])
def test_projection_onto_the_simplex_is_the_nearest_point(total):
    rng = np.random.default_rng(6)
    for _ in range(50):
        v = rng.normal(size=rng.integers(1, 8))
        u = v.copy()
        to_simplex.py_func(u, total)
        assert u.min() >= 0
        assert u.sum() == pytest.approx(total)
        # u is nearest iff (v - u)^T (total e_k - u) <= 0 for every corner of the simplex.
        assert (total * (v - u) - (v - u) @ u).max() <= 1e-9


def test_projection_onto_the_simplex_of_numbers_far_larger_than_their_sum():
    for v in ([1e15 + 0.3, 1e15, 1e15 - 0.2], [3e9, 3e9, 3e9], [1e300, -1e300, 0.0]):
        u = np.array(v)
        to_simplex.py_func(u, 0.1)
        assert u.min() >= 0
        assert u.sum() == pytest.approx(0.1)
