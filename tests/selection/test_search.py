"""A search for parameters by held-out constraints."""

import numpy as np
import pytest
from sklearn import cluster
from sklearn.base import clone

from cscluster import ITML, HeldOutSearch, MPCKMeans, PCKMeans
from cscluster.errors import ConstraintError, ParameterError
from cscluster.selection import heldout
from tests.selection.toys import constraints, rows

GRID = {"w": [0.01, 1.0, 100.0]}


def test_the_best_of_the_grid_is_fitted_to_all_constraints():
    X, given = rows(), constraints(60)
    estimator = PCKMeans(n_clusters=3, random_state=0)
    search = HeldOutSearch(estimator, GRID).fit(X, constraints=given)
    expected = [
        heldout.accuracy(heldout.labels_of(clone(estimator).set_params(w=w), X), given, 0) for w in GRID["w"]
    ]
    assert [score for _, score in search.results_] == expected
    assert search.best_score_ == max(score.value for score in expected)
    again = clone(estimator).set_params(**search.best_params_).fit(X, constraints=given)
    assert np.array_equal(search.labels_, again.labels_)
    assert np.array_equal(search.predict(X), again.predict(X))
    assert estimator.w == PCKMeans().w, "the estimator is left alone"


def test_the_first_of_equal_ones():
    search = HeldOutSearch(MPCKMeans(n_clusters=3, random_state=0), {"tol": [1e-4, 1e-5]})
    assert search.fit(rows(), constraints=constraints(60)).best_params_ == {"tol": 1e-4}


def test_few_constraints_are_refused():
    with pytest.raises(ConstraintError, match=r"\b10 constraints.*\b3\b.*\b1 must-links.*\b4 cannot-links"):
        HeldOutSearch(PCKMeans(n_clusters=3), GRID).fit(rows(), constraints=constraints(5))


def test_the_seed_of_the_folds_may_be_a_generator():
    X, given = rows(), constraints(60)
    search = HeldOutSearch(PCKMeans(n_clusters=3, random_state=0), GRID)
    for draw in (np.random.RandomState, np.random.default_rng):
        first, second = (
            clone(search).set_params(random_state=draw(1)).fit(X, constraints=given) for _ in range(2)
        )
        assert first.results_ == second.results_
    assert search.set_params(random_state=None).fit(X, constraints=given).labels_.shape == (90,)
    with pytest.raises(ParameterError, match=r"'random_state'.*HeldOutSearch.*-1"):
        search.set_params(random_state=-1).fit(X, constraints=given)


def test_several_grids():
    search = HeldOutSearch(PCKMeans(n_clusters=3, random_state=0), [GRID, {"tol": [1e-3]}])
    search.fit(rows(), constraints=constraints(60))
    assert len(search.results_) == 4
    assert search.n_features_in_ == 2


@pytest.mark.parametrize("estimator", [cluster.KMeans(n_clusters=3), PCKMeans, ITML()])
def test_what_is_no_clusterer_with_constraints_is_refused(estimator):
    with pytest.raises(ParameterError, match=r"'estimator'.*HeldOutSearch"):
        HeldOutSearch(estimator, {}).fit(rows(), constraints=constraints(60))
