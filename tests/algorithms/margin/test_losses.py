import itertools

import numpy as np
import pytest

from cscluster.algorithms.margin._losses import best_apart, best_together, best_two, pair_scores


def pairs(n_clusters, m=200, integers=False):
    rng = np.random.default_rng(n_clusters)
    S = rng.integers(0, 3, (2, m, n_clusters)) if integers else rng.normal(size=(2, m, n_clusters))
    return S.astype(float)


@pytest.mark.parametrize("n_clusters", [2, 3, 7])
@pytest.mark.parametrize("integers", [False, True], ids=["distinct", "with ties"])
def test_best_assignments_of_pairs_are_those_of_brute_force(n_clusters, integers):
    S1, S2 = pairs(n_clusters, integers=integers)
    everything = list(itertools.product(range(n_clusters), repeat=2))
    apart = np.max([S1[:, a] + S2[:, b] for a, b in everything if a != b], axis=0)
    together = np.max([S1[:, a] + S2[:, a] for a in range(n_clusters)], axis=0)
    z = best_apart(S1, S2)
    assert (z[:, 0] != z[:, 1]).all()
    assert np.array_equal(pair_scores(S1, S2, z), apart)
    z = best_together(S1, S2)
    assert (z[:, 0] == z[:, 1]).all()
    assert np.array_equal(pair_scores(S1, S2, z), together)


def test_best_two_are_the_ends_of_the_sorted_scores():
    S = pairs(5)[0]
    first, second = best_two(S)
    order = S.argsort(axis=1)
    assert np.array_equal(first, order[:, -1])
    assert np.array_equal(second, order[:, -2])
