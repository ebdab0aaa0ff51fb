import itertools

import numpy as np
import pytest

from cscluster.algorithms.margin.cccp._losses import best_assignments, pair_scores, top_two


def scores(n_clusters, ties, m=400):
    rng = np.random.default_rng(n_clusters)
    S = rng.integers(0, 3, (m, n_clusters)) if ties else rng.normal(size=(m, n_clusters))
    return S.astype(float)


@pytest.mark.parametrize("n_clusters", [2, 3, 7])
@pytest.mark.parametrize("ties", [False, True], ids=["distinct", "with ties"])
@pytest.mark.parametrize("keep", [False, True], ids=["break", "keep"])
def test_best_assignments_are_those_of_brute_force(n_clusters, ties, keep):
    S = scores(n_clusters, ties)
    pairs = np.arange(400).reshape(-1, 2)
    n_must = 70
    z = best_assignments(S, pairs, n_must, keep)
    together = (z[:, 0] == z[:, 1]).tolist()
    assert together == [(j < n_must) == keep for j in range(len(pairs))]
    best = [
        max(S[a, x] + S[b, y] for x, y in itertools.product(range(n_clusters), repeat=2) if (x == y) == same)
        for (a, b), same in zip(pairs, together, strict=True)
    ]
    assert np.array_equal(pair_scores(S, pairs, z), best)


@pytest.mark.parametrize("n_clusters", [2, 3, 7])
def test_top_two_are_the_ends_of_the_sorted_scores(n_clusters):
    for s in scores(n_clusters, ties=False):
        assert top_two(s) == tuple(s.argsort()[:-3:-1])
    for s in scores(n_clusters, ties=True):
        first, second = top_two(s)
        assert first != second
        assert [s[first], s[second]] == sorted(s)[:-3:-1]
