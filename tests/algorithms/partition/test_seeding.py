import numpy as np

from cscluster import Constraints
from cscluster.algorithms.partition._seeding import farthest_first, seed_centers


def test_farthest_first_weighs_distance_by_size():
    # From the heaviest point at 0: scores 3 * 1 and 1 * 2 and 1 * 4; then, from {0, 4}: 3 * 1 and 1 * 2.
    points = np.array([[0.0], [1.0], [2.0], [4.0]])
    assert farthest_first(points, np.array([5, 3, 1, 1]), 3).tolist() == [0, 3, 1]


def test_farthest_first_never_picks_twice():
    picked = farthest_first(np.zeros((4, 2)), np.ones(4, dtype=int), 4)
    assert sorted(picked) == [0, 1, 2, 3]


def test_centers_are_centroids_of_neighbourhoods():
    X = np.arange(12.0).reshape(6, 2)
    links = Constraints([(0, 1), (4, 5)], n_samples=6)
    centers = seed_centers(X, links, 3, np.random.default_rng(0))
    assert np.array_equal(centers[:2], [[1, 2], [9, 10]])
    assert np.isfinite(centers[2]).all()
    assert len(seed_centers(X, links, 1, np.random.default_rng(0))) == 1
