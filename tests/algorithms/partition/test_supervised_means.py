import numpy as np
import pytest

from cscluster import Constraints, PCKMeans, SupervisedMeans, load_dataset


def test_it_is_the_first_assignment_of_pckmeans_without_costs():
    X = load_dataset("iris").X
    constraints = Constraints([(0, 1), (60, 61), (120, 121), (120, 122)], n_samples=len(X))
    ours = SupervisedMeans(n_clusters=3, random_state=0).fit(X, constraints=constraints)
    first_step = {"w": 0, "assignment": "keep", "max_iter": 1}
    first = PCKMeans(n_clusters=3, random_state=0, **first_step).fit(X, constraints=constraints)
    assert np.array_equal(ours.labels_, first.labels_)
    assert np.allclose(ours.cluster_centers_[0], X[[0, 1]].mean(axis=0))
    assert ours.objective_[0] > first.objective_[0]


def test_contradictory_constraints_are_named():
    constraints = Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=4)
    with pytest.warns(UserWarning, match="Samples 0 and 2"):
        SupervisedMeans(n_clusters=2, random_state=0).fit(
            [[0.0], [1.0], [2.0], [5.0]], constraints=constraints
        )
