import numpy as np
import pytest
import sklearn.cluster

from cscluster import LCVQE, Constraints, load_dataset
from cscluster.algorithms.partition._centers import squared_distances
from cscluster.algorithms.partition.lcvqe import assign_pairs, descend, pulls
from tests.algorithms.samples import with_random_pairs


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_without_constraints_it_is_kmeans_from_the_same_centers(name):
    X = load_dataset(name).X
    X = X - X.mean(axis=0)
    start = X[[0, 60, 120]]
    theirs = sklearn.cluster.KMeans(3, init=start, n_init=1, tol=0, algorithm="lloyd").fit(X)
    ours = descend(X, Constraints.empty(len(X)), start, 300, 0.0)
    assert ours.converged
    assert np.array_equal(ours.labels, theirs.labels_)
    assert ours.objective[-1] == pytest.approx(theirs.inertia_)
    assert (np.diff(ours.objective) <= 1e-9 * ours.objective[0]).all()


def test_each_kind_of_decision_by_hand():
    # Centers at 0, 10 and 4; a must-link of 1 and 2 (centers 0): nothing; of 1 and 9: to one or to stay
    # costs (1 + 81), (81 + 1) and 1 + 1 + (81 + 81) / 2 = 83, so they go together.
    X = np.array([[1.0], [9.0], [0.5], [1.5]])
    D = squared_distances(X, np.array([[0.0], [10.0], [4.0]]))
    labels = np.array([0, 1, 0, 0])
    assign_pairs(D, labels, np.array([[0, 1]]), np.empty((0, 2), dtype=np.int64))
    assert labels[0] == labels[1]
    labels = np.array([0, 1, 0, 0])
    assign_pairs(D, labels, np.empty((0, 2), dtype=np.int64), np.array([[2, 3]]))
    assert labels.tolist() == [0, 1, 0, 2]  # 1.5 is farther from 0 than 0.5, and 4 is next to it


def test_centers_minimise_the_objective_of_the_final_labels():
    X, _, constraints = with_random_pairs("iris", 150)
    start = X[[0, 60, 120]]
    D = squared_distances(X, start)
    labels = D.argmin(axis=1)  # no pair is reassigned, so that constraints are violated
    sample, cluster, weight = pulls(D, labels, constraints)
    violated = constraints.violated(labels)
    assert len(sample) == 2 * len(violated.must_links) + len(violated.cannot_links) > 0
    assert (cluster != labels[sample]).all()
    assert weight.sum() == len(violated)


def test_the_objective_is_that_of_the_labels_and_constraints_help():
    X, _, constraints = with_random_pairs("iris", 200)
    model = LCVQE(n_clusters=3, random_state=0).fit(X, constraints=constraints)
    plain = LCVQE(n_clusters=3, random_state=0).fit(X)
    assert len(constraints.violated(model.labels_)) < len(constraints.violated(plain.labels_))
    assert model.objective_[-1] == model.objective_.min()
    assert model.objective_[-1] >= ((X - model.cluster_centers_[model.labels_]) ** 2).sum() - 1e-9
