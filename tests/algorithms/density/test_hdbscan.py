"""The choice of clusters against all choices, the hierarchy against scikit-learn's."""

import itertools

import numpy as np
import pytest
import sklearn.cluster
from scipy.spatial.distance import cdist

from cscluster import HDBSCAN, Constraints, load_dataset
from cscluster.algorithms.density.hdbscan import CondensedTree
from cscluster.constraints.sampling import random_pairs
from cscluster.errors import ParameterError
from cscluster.testing.contract import same_partition


def groups(seed, n_groups=5, size=9):
    """Return groups of several densities, and their numbers."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_groups), size)
    centers, widths = 4 * rng.normal(size=(n_groups, 2)), 0.2 + rng.random(n_groups)
    return centers[y] + widths[y, None] * rng.normal(size=(len(y), 2)), y


def some_constraints(n, count, rng, weighted):
    """Return constraints at random, mostly impossible to satisfy together."""
    pairs = random_pairs(n, count, rng)
    is_must = rng.random(len(pairs)) < 0.5
    weights = rng.integers(1, 9, len(pairs)) / 2 if weighted else np.ones(len(pairs))
    return Constraints.of_pairs(pairs, is_must, weights, n_samples=n)


def tree_of(X, min_size):
    return CondensedTree.of(HDBSCAN(min_cluster_size=min_size)._hierarchy(X), min_size)


def choices(tree):
    """Yield every set of clusters with exactly one on the way from the root to each leaf."""
    n_nodes = len(tree.parent)
    leaves = [node for node in range(1, n_nodes) if node not in tree.parent]

    def way(node):
        return {node} | (way(tree.parent[node]) if tree.parent[node] > 0 else set())

    for chosen in itertools.product([False, True], repeat=n_nodes - 1):
        nodes = {node for node in range(1, n_nodes) if chosen[node - 1]}
        if all(len(nodes & way(leaf)) == 1 for leaf in leaves):
            yield np.array([False, *chosen])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_the_choice_is_the_best_of_all(seed, weighted):
    X, _ = groups(seed)
    tree = tree_of(X, 3)
    assert 3 <= len(tree.parent) <= 16
    constraints = some_constraints(len(X), 15, np.random.default_rng(seed), weighted)

    def merit(chosen):
        violated = constraints.violated(tree.labels(chosen)).weights.sum()
        return -violated, tree.stability[chosen].sum()

    merits = [merit(chosen) for chosen in choices(tree)]
    best = merit(tree.best(constraints))
    assert best[0] == max(merits)[0]
    assert best[1] == pytest.approx(max(merits)[1])


@pytest.mark.parametrize("seed", range(25))
def test_counts_are_the_satisfied_ends(seed):
    X, _ = groups(seed)
    tree = tree_of(X, 3)
    constraints = some_constraints(len(X), 15, np.random.default_rng(seed), weighted=True)
    own, noise = tree.satisfied(constraints)
    for chosen in choices(tree):
        labels = tree.labels(chosen)
        left = [node for node in range(len(chosen)) if (labels[tree.last == node] == -1).any()]
        satisfied = constraints.weights.sum() - constraints.violated(labels).weights.sum()
        assert own[chosen].sum() + noise[left].sum() == pytest.approx(satisfied)


@pytest.mark.parametrize("min_cluster_size", [2, 5, 9])
@pytest.mark.parametrize("name", ["iris", "wine", "ionosphere"])  # iris has rows that coincide
def test_without_constraints_clusters_are_those_of_scikit_learn(name, min_cluster_size):
    X = load_dataset(name).X
    for given, metric in ((X, "euclidean"), (cdist(X, X), "precomputed")):
        params = {"min_cluster_size": min_cluster_size, "metric": metric}
        expected = sklearn.cluster.HDBSCAN(copy=True, **params).fit(given).labels_
        model = HDBSCAN(**params).fit(given)
        assert same_partition(model.labels_, expected)
        np.testing.assert_array_equal(model.labels_ == -1, expected == -1)
        assert model.n_clusters_ == expected.max() + 1


def test_constraints_part_and_join_what_density_leaves_open():
    X, y = groups(3)
    pairs = np.array(list(itertools.combinations(range(len(y)), 2)))
    together = Constraints.from_labels(pairs, y // 5)
    labels = HDBSCAN().fit(X, constraints=Constraints.from_labels(pairs, y)).labels_
    free = HDBSCAN().fit(X).labels_
    given = Constraints.from_labels(pairs, y)
    assert len(given.violated(labels)) <= len(given.violated(free))
    assert HDBSCAN().fit(X, constraints=together).n_clusters_ <= HDBSCAN().fit(X).n_clusters_


def test_partial_labels_choose_too():
    X, y = groups(3)
    partial = np.where(np.arange(len(y)) % 3, -1, y)
    expected = HDBSCAN().fit(X, constraints=Constraints.from_partial_labels(partial)).labels_
    np.testing.assert_array_equal(HDBSCAN().fit(X, y=partial).labels_, expected)


def test_samples_that_coincide_are_a_cluster():
    X = np.repeat([[0.0], [1.0], [7.0]], 6, axis=0)
    labels = HDBSCAN().fit(X).labels_
    assert labels.min() == 0
    np.testing.assert_array_equal(labels, np.repeat(labels[::6], 6))


def test_fewer_samples_than_a_dense_one_needs_are_refused():
    with pytest.raises(ParameterError, match=r"HDBSCAN.*\b5\b.*\b4\b.*'min_samples'"):
        HDBSCAN().fit(np.eye(4))
