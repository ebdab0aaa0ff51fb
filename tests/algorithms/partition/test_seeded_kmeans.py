import numpy as np
import pytest
import sklearn.cluster

from cscluster import Constraints, SeededKMeans, load_dataset
from cscluster.algorithms.partition.seeded_kmeans import seed_groups


def partly(y, share, seed=0):
    hidden = np.random.default_rng(seed).random(len(y)) > share
    return np.where(hidden, -1, y)


def test_with_all_labels_fixed_the_centers_are_the_class_means():
    data = load_dataset("iris")
    constraints = Constraints.from_partial_labels(data.y)
    model = SeededKMeans(n_clusters=3, keep_seeds=True).fit(data.X, constraints=constraints)
    assert np.array_equal(model.labels_, data.y)
    for c in range(3):
        assert model.cluster_centers_[c] == pytest.approx(data.X[data.y == c].mean(axis=0))


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_seeds_only_start_it_is_lloyd_from_their_means(name):
    data = load_dataset(name)
    labels = partly(data.y, 0.1)
    X = data.X - data.X.mean(axis=0)
    constraints = Constraints.from_partial_labels(labels)
    groups = seed_groups(X, constraints, 3)
    start = np.array([X[group].mean(axis=0) for group in groups])
    theirs = sklearn.cluster.KMeans(3, init=start, n_init=1, tol=0, algorithm="lloyd").fit(X)
    ours = SeededKMeans(n_clusters=3, tol=0.0).fit(data.X, constraints=constraints)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert (np.diff(ours.objective_) <= 1e-9 * ours.objective_[0]).all()


def test_fixed_seeds_stay():
    data = load_dataset("ionosphere")
    labels = partly(data.y, 0.2)
    constraints = Constraints.from_partial_labels(labels)
    model = SeededKMeans(n_clusters=2, keep_seeds=True).fit(data.X, constraints=constraints)
    assert len(constraints.violated(model.labels_)) == 0
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()


def test_a_class_with_a_single_label_is_a_seed():
    X = np.array([[0.0], [1.0], [9.0], [10.0], [30.0]])
    constraints = Constraints.from_partial_labels([0, 0, 1, 1, 2])
    assert sorted(group.tolist() for group in seed_groups(X, constraints, 3)) == [[0, 1], [2, 3], [4]]


def test_neighbourhoods_not_known_to_be_apart_come_by_distance():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [1.0], [1.1]])
    constraints = Constraints([(0, 1), (2, 3), (4, 5)], n_samples=6)
    assert [group.tolist() for group in seed_groups(X, constraints, 2)] == [[0, 1], [2, 3]]
