import numpy as np

from cscluster import Constraints, MKMeans, MPCKMeans, load_dataset
from cscluster.constraints.schedules import RandomPairs

PRINTED = {"start": "neighbourhoods", "fallback": False}
"""The alternation as the paper has it, from one start."""


def test_without_links_it_is_mpckmeans():
    X = load_dataset("wine").X
    a = MKMeans(**PRINTED, n_clusters=3, random_state=0).fit(X)
    b = MPCKMeans(**PRINTED, n_clusters=3, random_state=0).fit(X)
    assert np.array_equal(a.labels_, b.labels_)
    assert np.allclose(a.metrics_, b.metrics_)


def test_links_shape_the_metric_and_move_no_sample():
    data = load_dataset("iris")
    links = RandomPairs(counts=[100]).episode(100, data.y, 5, "iris", 0).tiers[0]
    model = MKMeans(**PRINTED, n_clusters=3, tol=0, random_state=0).fit(data.X, links)
    assert model.converged_
    assert np.array_equal(model.predict(data.X), model.labels_)
    assert not np.allclose(
        model.metrics_, MKMeans(**PRINTED, n_clusters=3, tol=0, random_state=0).fit(data.X).metrics_
    )


def test_has_no_assignment_rule():
    assert "assignment" not in MKMeans().get_params()
    assert set(MKMeans().get_params()) == set(MKMeans.parameters)


def test_first_centers_ignore_links():
    X = load_dataset("iris").X
    links = Constraints([(0, 1), (60, 61), (120, 121)], n_samples=len(X))
    a = MKMeans(**PRINTED, n_clusters=3, max_iter=1, random_state=0).fit(X, links)
    b = MKMeans(**PRINTED, n_clusters=3, max_iter=1, random_state=0).fit(X)
    assert np.array_equal(a.labels_, b.labels_)
