import numpy as np

from cscluster import Constraints, MKMeans, MPCKMeans, load_dataset
from tests.algorithms.samples import with_random_pairs


def test_without_constraints_it_is_mpckmeans():
    X = load_dataset("wine").X
    a = MKMeans(n_clusters=3, random_state=0).fit(X)
    b = MPCKMeans(n_clusters=3, random_state=0).fit(X)
    assert np.array_equal(a.labels_, b.labels_)
    assert np.allclose(a.metrics_, b.metrics_)


def test_constraints_shape_the_metric_and_move_no_sample():
    X, _, constraints = with_random_pairs("iris", 100)
    model = MKMeans(n_clusters=3, tol=0, random_state=0).fit(X, constraints=constraints)
    assert model.converged_
    assert np.array_equal(model.predict(X), model.labels_)
    assert not np.allclose(model.metrics_, MKMeans(n_clusters=3, tol=0, random_state=0).fit(X).metrics_)


def test_has_no_assignment_rule():
    assert "assignment" not in MKMeans().get_params()
    assert set(MKMeans().get_params()) == set(MKMeans.parameters)


def test_first_centers_ignore_constraints():
    X = load_dataset("iris").X
    constraints = Constraints([(0, 1), (60, 61), (120, 121)], n_samples=len(X))
    a = MKMeans(n_clusters=3, max_iter=1, random_state=0).fit(X, constraints=constraints)
    b = MKMeans(n_clusters=3, max_iter=1, random_state=0).fit(X)
    assert np.array_equal(a.labels_, b.labels_)
