"""The compiled assignment step against the one that lists all pairs of the closure."""

import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.partition._assign import (
    ASSIGNMENTS,
    Penalties,
    Units,
    assign_points,
    greedy_order,
)
from cscluster.algorithms.partition._closure import Closure

from .listed import assign_as_listed

N, K = 30, 3


def random_constraints(rng, weighted):
    y = rng.integers(0, K, N)
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(25)])
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return Constraints(
        pairs[same],
        pairs[~same],
        n_samples=N,
        must_weights=rng.uniform(0.5, 3, same.sum()) if weighted else None,
        cannot_weights=rng.uniform(0.5, 3, (~same).sum()) if weighted else None,
    )


def distance_penalties(Z, far, closure):
    """Penalties |z_i - z_j|^2 and far_h - |z_i - z_j|^2; Z has shape (n_metrics, n, d)."""
    Z = Z[:, closure.points]
    norm = (Z**2).sum(axis=2, keepdims=True)
    one = np.ones_like(norm)
    alpha = np.concatenate([norm, -2 * Z, one], axis=2)
    beta = -alpha
    beta[:, :, 0] += far[:, None]
    phi = np.concatenate([one, Z, norm], axis=2)
    i, j = closure.pairs.T
    distance = np.broadcast_to(((Z[:, i] - Z[:, j]) ** 2).sum(axis=2).T, (len(i), K))
    extra = closure.extra[:, None] * np.where(closure.is_must[:, None], distance, far - distance)
    return Penalties(alpha, beta, phi, extra)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_metrics", [1, K])
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("many", [1, 8])  # with 1, sums over separated components are kept for all
def test_same_labels_as_the_listed_step(monkeypatch, many, assignment, n_metrics, weighted):
    monkeypatch.setattr("cscluster.algorithms.partition._assign._MANY_UNITS", many)
    rng = np.random.default_rng(5)
    for _ in range(5):
        constraints = random_constraints(rng, weighted)
        closure = Closure.of(constraints)
        points = closure.points
        Z, D = rng.normal(size=(n_metrics, N, 2)), rng.uniform(0, 4, (N, K))
        far = rng.uniform(4, 8, K) if n_metrics > 1 else np.full(K, 6.0)
        labels = rng.integers(0, K, N) if assignment != "reset" else np.full(N, -1)
        if assignment == "block":
            labels = labels[constraints.binding.components]
            units = [points[closure.component == p] for p in range(closure.n_components)]
        else:
            units = [points[[u]] for u in range(len(points))]

        def must_cost(i, j, h, Z=Z):
            return ((Z[h % n_metrics, i] - Z[h % n_metrics, j]) ** 2).sum()

        def cannot_cost(i, j, h, far=far, must_cost=must_cost):
            return far[h] - must_cost(i, j, h)

        moving = Units.of(closure, assignment == "block", D.shape[1])
        order = np.random.default_rng(1).permutation(len(units))
        if assignment == "greedy":
            order = greedy_order(D[points], moving)
        expected = assign_as_listed(
            D,
            labels,
            (constraints.binding.closure() | constraints),
            [units[u] for u in order],
            must_cost,
            cannot_cost,
        )
        penalties = distance_penalties(Z, far[:n_metrics], closure)
        got = assign_points(
            D[points], labels[points], penalties, moving, assignment, np.random.default_rng(1)
        )
        assert np.array_equal(got, expected[points])


def test_greedy_order():
    # The closure links 0, 1 and 2 to each other, and all of them cannot be with 3; 4 and 5 have one constraint.
    constraints = Constraints([(0, 1), (1, 2), (4, 5)], [(2, 3)], n_samples=6)
    closure = Closure.of(constraints)
    D = np.array([[3.0, 9], [2.0, 9], [1.0, 9], [0.0, 9], [9, 2.0], [9, 1.0]])
    order = closure.points[greedy_order(D[closure.points], Units.of(closure, False, 2))]
    assert order.tolist() == [5, 4, 3, 2, 1, 0]


def test_the_listed_step_worked_out_by_hand():
    # Sample 0 would go to cluster 0, but its partner 1 sits in 1: 2 + 3 / 2 * (1 + 2) = 6.5 against 4.
    # Sample 2 pays 0 + 5 * 2 in cluster 1, where sample 1 sits, and 9 in cluster 0.
    D = np.array([[2.0, 4.0], [1.0, 0.0], [9.0, 0.0]])
    constraints = Constraints([(0, 1)], [(1, 2)], n_samples=3, must_weights=[3.0], cannot_weights=[5.0])
    alone = [np.array([0]), np.array([2])]
    labels = assign_as_listed(
        D, np.array([0, 1, 1]), constraints, alone, lambda i, j, h: 1.0 + h, lambda i, j, h: 2.0 * h
    )
    assert labels.tolist() == [1, 1, 0]
