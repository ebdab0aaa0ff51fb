"""The compiled assignment step against one that lists all pairs of the closure."""

import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.partition._assign import ASSIGNMENTS, Penalties, assign_points
from cscluster.algorithms.partition._closure import Closure

N, K = 30, 3


def random_links(rng, weighted):
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


def naive_sweep(D, labels, links, must_cost, cannot_cost, assignment, order, blocks):
    labels = np.full_like(labels, -1) if assignment == "reset" else labels.copy()
    for u in order:
        members = blocks[u]
        current = labels[members[0]]
        labels[members] = -1
        cost = D[members].sum(axis=0)
        for (a, b), w in zip(links.must_links, links.must_weights, strict=True):
            for i, j in ((a, b), (b, a)):
                if i in members and labels[j] >= 0:
                    for h in range(K):
                        if h != labels[j]:
                            cost[h] += w * 0.5 * (must_cost(i, j, h) + must_cost(i, j, labels[j]))
        for (a, b), w in zip(links.cannot_links, links.cannot_weights, strict=True):
            for i, j in ((a, b), (b, a)):
                if i in members and labels[j] >= 0:
                    cost[labels[j]] += w * cannot_cost(i, j, labels[j])
        best = max(current, 0)
        labels[members] = np.argmin(cost) if cost.min() < cost[best] - 1e-9 else best
    return labels


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_metrics", [1, K])
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_same_labels_as_a_loop_over_all_pairs(assignment, n_metrics, weighted):
    rng = np.random.default_rng(5)
    for _ in range(5):
        links = random_links(rng, weighted)
        closure = Closure.of(links)
        points = closure.points
        Z, D = rng.normal(size=(n_metrics, N, 2)), rng.uniform(0, 4, (N, K))
        far = rng.uniform(4, 8, K) if n_metrics > 1 else np.full(K, 6.0)
        labels = rng.integers(0, K, N)
        if assignment == "block":
            labels = labels[links.components]
            blocks = [points[closure.component == p] for p in range(closure.n_components)]
        else:
            blocks = [points[[u]] for u in range(len(points))]

        def must_cost(i, j, h, Z=Z):
            return ((Z[h % n_metrics, i] - Z[h % n_metrics, j]) ** 2).sum()

        def cannot_cost(i, j, h, far=far, must_cost=must_cost):
            return far[h] - must_cost(i, j, h)

        expected = naive_sweep(
            D,
            labels,
            links.closure(),
            must_cost,
            cannot_cost,
            assignment,
            np.random.default_rng(1).permutation(len(blocks)),
            blocks,
        )
        penalties = distance_penalties(Z, far[:n_metrics], closure)
        got = assign_points(
            D[points], labels[points], penalties, closure, assignment, np.random.default_rng(1)
        )
        assert np.array_equal(got, expected[points])
