import itertools

import numpy as np
import pytest

from cscluster.algorithms.margin.cccp.losses import (
    CannotLinkLoss,
    ConstraintLoss,
    MustLinkLoss,
    PointLoss,
    WinnerLoss,
    best_assignments,
    top_two,
)

N = 12
MUST = np.array([[0, 1], [2, 3], [1, 4]])
CANNOT = np.array([[0, 5], [3, 4]])
FREE = np.arange(6, N)
KINDS = ["points", "links", "winners", "equal", "owner"]


def best_assignments_as_printed(S, pairs, n_must, keep):
    """All C^2 assignments of each pair, the best of those that (15), (16) and (25) allow."""
    C = S.shape[1]
    scores = S[pairs[:, 0], :, None] + S[pairs[:, 1], None, :]
    together = (np.arange(len(pairs)) < n_must) == keep
    scores[together[:, None, None] != np.eye(C, dtype=bool)] = -np.inf
    return np.column_stack(np.divmod(scores.reshape(len(pairs), -1).argmax(axis=1), C))


def hinge(value):
    return max(0.0, value)


def point_loss(S, T, cost):
    """The last sum of (21), written out; the tangent is taken at T."""
    return cost * sum(hinge(1 - (S[i, T[i].argmax()] - S[i, z])) for i in FREE for z in range(S.shape[1]))


def constraint_loss(S, T, must_cost, cannot_cost):
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


def make(kind):
    """Return a loss and what it is, written out."""
    must_cost, cannot_cost = np.array([0.3, 0.2, 0.1]), np.array([0.25, 0.15])
    if kind == "points":
        return PointLoss(FREE, 0.1, np.zeros(len(FREE), dtype=int)), lambda S, T: point_loss(S, T, 0.1)
    if kind == "winners":
        return WinnerLoss(0.1, np.zeros(N, dtype=int)), lambda S, T: winner_loss(S, T, 0.1)
    if kind == "equal":
        return MustLinkLoss(MUST, must_cost), lambda S, T: equal_loss(S, T, must_cost)
    if kind == "owner":
        return CannotLinkLoss(CANNOT, cannot_cost), lambda S, T: owner_loss(S, T, cannot_cost)
    pairs = np.concatenate([MUST, CANNOT])
    loss = ConstraintLoss(pairs, len(MUST), np.concatenate([must_cost, cannot_cost]), np.zeros_like(pairs))
    return loss, lambda S, T: constraint_loss(S, T, must_cost, cannot_cost)


every_loss = pytest.mark.parametrize("kind", KINDS)
every_count = pytest.mark.parametrize("n_clusters", [2, 3, 5])


@every_loss
@every_count
def test_value_is_the_printed_sum(kind, n_clusters):
    rng = np.random.default_rng(0)
    loss, printed = make(kind)
    for _ in range(20):
        S, T = rng.normal(size=(2, N, n_clusters))
        assert loss.tangent_at(T).value(S) == pytest.approx(printed(S, T))


@every_loss
@every_count
def test_tangent_bounds_the_nonconvex_loss_and_touches_it(kind, n_clusters):
    rng = np.random.default_rng(1)
    loss, printed = make(kind)
    S, T = rng.normal(size=(2, N, n_clusters))
    tangent = loss.tangent_at(T)
    assert tangent.value(T) == pytest.approx(printed(T, T))
    assert tangent.value(S) >= printed(S, S)


@every_loss
@every_count
def test_subgradient_matches_finite_differences(kind, n_clusters):
    rng = np.random.default_rng(2)
    S, T = rng.normal(size=(2, N, n_clusters))
    loss = make(kind)[0].tangent_at(T)
    G = np.zeros_like(S)
    loss.add_subgradient(S, G)
    h = 1e-6
    for cell in np.ndindex(S.shape):
        step = np.zeros_like(S)
        step[cell] = h
        slope = (loss.value(S + step) - loss.value(S - step)) / (2 * h)
        assert G[cell] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize("n_clusters", [2, 3, 7])
@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "with ties"])
@pytest.mark.parametrize("keep", [False, True], ids=["break", "keep"])
def test_compiled_assignments_score_as_the_printed_ones(n_clusters, ties, keep):
    rng = np.random.default_rng(n_clusters)
    shape = (400, n_clusters)
    S = (rng.integers(0, 3, shape) if ties else rng.normal(size=shape)).astype(float)
    pairs, n_must = np.arange(400).reshape(-1, 2), 70
    given = rng.integers(0, n_clusters, (200, 2))
    fast, shortfall = best_assignments(S, pairs, n_must, given, keep)
    plain = best_assignments_as_printed(S, pairs, n_must, keep)
    for z in (fast, plain):
        assert ((z[:, 0] == z[:, 1]) == ((np.arange(200) < n_must) == keep)).all()
    a, b, c = (S[pairs[:, 0], z[:, 0]] + S[pairs[:, 1], z[:, 1]] for z in (fast, plain, given))
    assert np.array_equal(a, b)
    assert np.array_equal(shortfall, 1.0 + a - c)
    assert ties or np.array_equal(fast, plain)


@pytest.mark.parametrize("n_clusters", [2, 3, 7])
def test_top_two_are_the_ends_of_the_sorted_scores(n_clusters):
    rng = np.random.default_rng(n_clusters)
    for s in rng.integers(0, 3, (200, n_clusters)).astype(float):
        first, second = top_two.py_func(s)
        assert first != second
        assert [s[first], s[second]] == sorted(s)[:-3:-1]
