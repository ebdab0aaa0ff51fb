import itertools

import numpy as np
import pytest

from cscluster.algorithms.margin.cccp._design import Design
from cscluster.algorithms.margin.cccp._terms import LinkMargins, PointMargins
from cscluster.algorithms.margin.cccp.cpcmmc import EqualScores, NoCommonOwner
from cscluster.algorithms.margin.cccp.cpmmc import Balance, WinnerMargins

N, D = 12, 5
MUST = np.array([[0, 1], [2, 3], [1, 4]])
CANNOT = np.array([[0, 5], [3, 4]])
FREE = np.arange(6, N)


def hinge(value):
    return max(0.0, value)


def point_loss(S, T, cost):
    """The last sum of (21), written out; the tangent is taken at T."""
    return cost * sum(hinge(1 - (S[i, T[i].argmax()] - S[i, z])) for i in FREE for z in range(S.shape[1]))


def link_loss(S, T, must_cost, cannot_cost):
    """The first two sums of (21), written out with all pairs of clusters."""
    C = S.shape[1]
    same = [(z, z) for z in range(C)]
    other = [z for z in itertools.product(range(C), repeat=2) if z[0] != z[1]]
    total = 0.0
    for links, costs, keep, break_ in (
        (MUST, must_cost, same, other),
        (CANNOT, cannot_cost, other, same),
    ):
        for (i, j), cost in zip(links, costs, strict=True):
            z = max(keep, key=lambda z: T[i, z[0]] + T[j, z[1]])
            worst = max(S[i, s[0]] + S[j, s[1]] for s in break_)
            total += cost * hinge(1 - (S[i, z[0]] + S[j, z[1]] - worst))
    return total


def winner_loss(S, T, cost):
    """The slacks of (1), written out."""
    total = 0.0
    for i in range(N):
        y = T[i].argmax()
        total += cost * hinge(1 - S[i, y] + max(S[i, z] for z in range(S.shape[1]) if z != y))
    return total


def equal_loss(S, T, cost):
    """The second constraint of (2), written out."""
    return sum(c * abs(S[i] - S[j]).sum() for (i, j), c in zip(MUST, cost, strict=True))


def owner_loss(S, T, cost):
    """Eq. (3), written out."""
    return sum(c * (max(S[i] + S[j]) - np.mean(S[i] + S[j])) for (i, j), c in zip(CANNOT, cost, strict=True))


def make(kind, n_clusters):
    must_cost, cannot_cost = np.array([0.3, 0.2, 0.1]), np.array([0.25, 0.15])
    if kind == "points":
        return PointMargins(FREE, 0.1, n_clusters), lambda S, T: point_loss(S, T, 0.1)
    if kind == "winners":
        return WinnerMargins(N, 0.1, n_clusters), lambda S, T: winner_loss(S, T, 0.1)
    if kind == "equal":
        return EqualScores(MUST, must_cost, n_clusters), lambda S, T: equal_loss(S, T, must_cost)
    if kind == "owner":
        return NoCommonOwner(CANNOT, cannot_cost, n_clusters), lambda S, T: owner_loss(S, T, cannot_cost)
    term = LinkMargins(MUST, CANNOT, must_cost, cannot_cost, n_clusters)
    return term, lambda S, T: link_loss(S, T, must_cost, cannot_cost)


every_term = pytest.mark.parametrize("kind", ["points", "links", "winners", "equal", "owner"])
every_count = pytest.mark.parametrize("n_clusters", [2, 3, 5])


@every_term
@every_count
def test_value_is_the_printed_sum(kind, n_clusters):
    rng = np.random.default_rng(0)
    term, printed = make(kind, n_clusters)
    for _ in range(20):
        S, T = rng.normal(size=(2, N, n_clusters))
        term.relinearise(T)
        assert term.value(S) == pytest.approx(printed(S, T))


@every_term
@every_count
def test_tangent_bounds_the_nonconvex_loss_and_touches_it(kind, n_clusters):
    rng = np.random.default_rng(1)
    term, printed = make(kind, n_clusters)
    S, T = rng.normal(size=(2, N, n_clusters))
    term.relinearise(T)
    assert term.value(T) == pytest.approx(printed(T, T))
    assert term.value(S) >= printed(S, S)


@every_term
@every_count
def test_subgradient_matches_finite_differences(kind, n_clusters):
    rng = np.random.default_rng(2)
    term, _ = make(kind, n_clusters)
    S, T = rng.normal(size=(2, N, n_clusters))
    term.relinearise(T)
    G = np.zeros_like(S)
    term.add_subgradient(S, G)
    h = 1e-6
    for cell in np.ndindex(S.shape):
        step = np.zeros_like(S)
        step[cell] = h
        slope = (term.value(S + step) - term.value(S - step)) / (2 * h)
        assert G[cell] == pytest.approx(slope, abs=1e-8)


@every_term
@every_count
def test_dual_bounds_the_loss_from_below_at_every_score(kind, n_clusters):
    rng = np.random.default_rng(3)
    term, _ = make(kind, n_clusters)
    X = rng.normal(size=(N, D))
    design = Design.of(X, X.mean(axis=0), bias=False)
    V = np.zeros((n_clusters, D))
    term.relinearise(rng.normal(size=(N, n_clusters)))
    for sweep in range(4):
        term.sweep(design, V, 0.1, rng)
        B = np.zeros((N, n_clusters))
        term.add_dual(B)
        assert np.allclose(V, design.combine(B) / 0.1)
        for _ in range(20):
            S = 3 * rng.normal(size=(N, n_clusters))
            assert term.dual_sum() - np.vdot(B, S) <= term.value(S) + 1e-12
        if sweep == 1:  # new winners keep the dual feasible
            term.relinearise(rng.normal(size=(N, n_clusters)))
            B = np.zeros((N, n_clusters))
            term.add_dual(B)
            V = design.combine(B) / 0.1


@every_term
@every_count
def test_sweeps_never_lower_the_dual(kind, n_clusters):
    rng = np.random.default_rng(4)
    term, _ = make(kind, n_clusters)
    X = rng.normal(size=(N, D))
    design = Design.of(X, X.mean(axis=0), bias=False)
    V = np.zeros((n_clusters, D))
    term.relinearise(rng.normal(size=(N, n_clusters)))
    lam, values = 0.05, [term.dual_sum()]
    for _ in range(10):
        term.sweep(design, V, lam, rng)
        values.append(term.dual_sum() - 0.5 * lam * np.vdot(V, V))
    assert (np.diff(values) >= -1e-12).all()
    if term.value(np.zeros((N, n_clusters))) > 0:
        assert values[-1] > values[0]


def test_sweeps_bring_the_sums_of_scores_into_balance():
    rng = np.random.default_rng(5)
    X = np.hstack([rng.normal(size=(N, D)), np.ones((N, 1))])
    design = Design(X - X.mean(axis=0) * ([1] * D + [0]), np.zeros(D + 1))
    lam, q = 0.1, 0.5
    W = rng.normal(size=(4, D + 1))
    term, V = Balance(q, 4), W.copy()
    for _ in range(500):
        term.sweep(design, V, lam, rng)
    B = np.zeros((N, 4))
    term.add_dual(B)
    assert np.allclose(V, W + design.combine(B) / lam)
    assert (term.mu >= 0).all()
    assert np.ptp(design.scores(V).sum(axis=0)) <= q + 1e-6
    # What the sweeps reach is the nearest point of the allowed range, and repairing it changes nothing.
    assert np.allclose(term.repair(design, V), V, atol=1e-6)
    repaired = term.repair(design, W)
    assert np.isinf(term.value(design.scores(W)))
    assert term.value(design.scores(repaired)) == 0.0
    assert np.linalg.norm(V - W) <= np.linalg.norm(repaired - W) + 1e-9
