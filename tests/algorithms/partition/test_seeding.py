import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import Constraints
from cscluster.algorithms.partition._seeding import (
    authors_seeds,
    far_pair,
    farthest_first,
    perturbed_centroids,
    seed_centers,
)
from cscluster.errors import ParameterError


def test_farthest_first_weighs_distance_by_size():
    # From the heaviest point at 0: scores 3 * 1 and 1 * 2 and 1 * 4; then, from {0, 4}: 3 * 1 and 1 * 2.
    points = np.array([[0.0], [1.0], [2.0], [4.0]])
    assert farthest_first(points, np.array([5, 3, 1, 1]), 3).tolist() == [0, 3, 1]


def test_farthest_first_never_picks_twice():
    picked = farthest_first(np.zeros((4, 2)), np.ones(4, dtype=int), 4)
    assert sorted(picked) == [0, 1, 2, 3]


def test_centers_are_centroids_of_neighbourhoods():
    X = np.arange(12.0).reshape(6, 2)
    constraints = Constraints([(0, 1), (4, 5)], n_samples=6)
    centers = seed_centers(X, constraints, 3, np.random.default_rng(0))
    assert np.array_equal(centers[:2], [[1, 2], [9, 10]])
    assert np.isfinite(centers[2]).all()
    assert len(seed_centers(X, constraints, 1, np.random.default_rng(0))) == 1


def neighbourhoods(constraints):
    """Sets of at least two samples that must-constraints join, merged until nothing changes."""
    groups = [{i, j} for i, j in constraints.must_links.tolist()]
    while True:
        touching = [(a, b) for a in groups for b in groups if a is not b and a & b]
        if not touching:
            return groups
        a, b = touching[0]
        groups = [g for g in groups if g is not a and g is not b] + [a | b]


def traversal(groups, X, count):
    """Section 3.1 as it reads: the largest first, then the farthest weighted distance from the set."""
    centroid = {frozenset(g): X[sorted(g)].mean(axis=0) for g in groups}
    left = sorted(centroid, key=min)
    picked = [max(left, key=len)]
    while len(picked) < count:
        left.remove(picked[-1])
        picked.append(
            max(left, key=lambda g: len(g) * min(np.linalg.norm(centroid[g] - centroid[p]) for p in picked))
        )
    return [centroid[g] for g in picked]


@pytest.mark.parametrize("seed", range(20))
def test_centers_are_those_of_the_papers_text(seed):
    rng = np.random.default_rng(seed)
    X, n_clusters = rng.normal(size=(24, 2)), 3
    constraints = Constraints(rng.permutation(24)[:16].reshape(-1, 2)[: rng.integers(1, 9)], n_samples=24)
    constraints = constraints | Constraints([(0, 1), (1, 2)], n_samples=24)
    groups = neighbourhoods(constraints)
    centers = seed_centers(X, constraints, n_clusters, np.random.default_rng(0))
    assert centers.shape == (n_clusters, 2)
    if len(groups) > n_clusters:
        assert np.allclose(centers, traversal(groups, X, n_clusters))
    else:
        expected = sorted(X[sorted(g)].mean(axis=0).tolist() for g in groups)
        assert np.allclose(sorted(centers[: len(groups)].tolist()), expected)


def test_missing_centers_scatter_around_the_centroid_as_the_samples_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2)) * [1.0, 30.0] + [5.0, -7.0]
    centers = seed_centers(X, Constraints.empty(50), 4000, rng)
    assert np.allclose(centers.mean(axis=0), X.mean(axis=0), atol=0.1 * X.std(axis=0))
    assert np.allclose(centers.std(axis=0), X.std(axis=0), rtol=0.1)


def test_both_sizes_weigh_the_authors_traversal():
    # From the heaviest point at 0: sqrt(15) * 1, sqrt(5) * 2, sqrt(5) * 4; then the point at 1 has
    # min(sqrt(15) * 1, sqrt(3) * 3) = 3.9 and that at 2 has min(sqrt(5) * 2, 1 * 2) = 2.
    points = np.array([[0.0], [1.0], [2.0], [4.0]])
    assert farthest_first(points, np.array([5, 3, 1, 1]), 3, both_sizes=True).tolist() == [0, 3, 1]
    # sqrt(12) * 1 < sqrt(8) * 1.3, but 3 * 1 > 2 * 1.3: here the two weights part ways.
    points, sizes = np.array([[0.0], [1.0], [1.3]]), np.array([4, 3, 2])
    assert farthest_first(points, sizes, 2, both_sizes=True).tolist() == [0, 2]
    assert farthest_first(points, sizes, 2).tolist() == [0, 1]


@pytest.mark.parametrize("n_clusters", [2, 5])
def test_the_authors_label_what_seeds_a_cluster(n_clusters):
    X = np.random.default_rng(0).normal(size=(9, 2)) + 3
    constraints = Constraints([(0, 1), (1, 2), (3, 4), (6, 7)], n_samples=9)
    centers, labels = authors_seeds(X, constraints, n_clusters, np.random.default_rng(1))
    assert centers.shape == (n_clusters, 2)
    seeds = [group for group in ([0, 1, 2], [3, 4], [6, 7]) if (labels[group] >= 0).all()]
    assert len(seeds) == min(n_clusters, 3)
    for group in seeds:
        assert len(set(labels[group])) == 1
        np.testing.assert_allclose(centers[labels[group[0]]], X[group].mean(axis=0))
    assert (labels >= 0).sum() == sum(map(len, seeds))
    if n_clusters == 5:
        expected = perturbed_centroids(X.mean(axis=0), 2, np.random.default_rng(1))
        np.testing.assert_array_equal(centers[3:], expected)


def test_perturbed_centroids_stay_within_35_percent():
    centroid = np.array([2.0, -4.0])
    factors = perturbed_centroids(centroid, 2000, np.random.default_rng(0)) / centroid
    assert factors.min() > 0.65
    assert factors.max() < 1.35
    np.testing.assert_allclose(factors.mean(axis=0), 1, atol=0.02)
    np.testing.assert_allclose(factors.std(axis=0), 0.7 / np.sqrt(12), rtol=0.05)


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_a_far_pair_is_in_the_upper_tenth_of_the_distances(kind):
    X = np.arange(200.0)[:, None]
    a, b = far_pair(kind(X), 2, np.random.default_rng(0))
    gaps = np.abs(X - X.T)
    assert abs(X[a, 0] - X[b, 0]) >= np.quantile(gaps, 0.88)
    with pytest.raises(ParameterError, match=r"init='far'.*n_clusters=2.*\b3\b"):
        far_pair(X, 3, np.random.default_rng(0))
