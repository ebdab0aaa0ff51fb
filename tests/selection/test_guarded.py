"""A guard around any clusterer."""

import numpy as np
import pytest
from sklearn import cluster
from sklearn.base import BaseEstimator, clone

from cscluster import PCCC, Auto, Constraints, Guarded, KMeans, MPCKMeans, PCKMeans
from cscluster.errors import ConstraintError, ParameterError
from cscluster.selection.compare import constrained_labels
from tests.selection.toys import Y, constraints, rows


def test_an_estimator_that_constraints_support_is_used():
    X, given = rows(), constraints(60)
    model = Guarded(MPCKMeans(n_clusters=3), random_state=0).fit(X, constraints=given)
    assert not model.uses_baseline_
    assert model.algorithm_ == "MPCK-Means"
    alone = MPCKMeans(n_clusters=3, random_state=0).fit(X, constraints=given)
    assert np.array_equal(model.estimator_.labels_, alone.labels_)
    assert np.array_equal(model.labels_, constrained_labels(alone, X, given))
    assert np.array_equal(model.predict(X), alone.predict(X)), "predict never relabels"


class OneCluster(BaseEstimator):
    """Puts all samples into one cluster."""

    def __init__(self, n_clusters=3):
        self.n_clusters = n_clusters

    def fit(self, X, constraints=None):
        self.labels_ = np.zeros(len(X), dtype=int)
        return self


def test_the_baseline_where_constraints_do_not_support_the_estimator():
    model = Guarded(OneCluster(), random_state=0).fit(rows(), constraints=constraints(60))
    assert model.uses_baseline_
    assert model.comparison_.scores["OneCluster"].value == 0.5
    assert model.algorithm_ == "k-means"
    assert isinstance(model.estimator_, KMeans)
    assert "0." in model.reason_


def test_hard_constraints():
    X, given = rows(), constraints(60).hardened()
    model = Guarded(PCCC(n_clusters=3), random_state=0).fit(X, constraints=given)
    assert not len(given.violated(model.labels_))
    with pytest.raises(ConstraintError, match=r"PCK-Means.*hard constraints.*pccc.*cop_kmeans"):
        Guarded(PCKMeans(n_clusters=3)).fit(X, constraints=given)


def test_guards_are_not_nested_and_know_the_number_of_clusters():
    with pytest.raises(ParameterError, match=r"'estimator'.*Guarded.* not .*Auto"):
        Guarded(Auto(n_clusters=3)).fit(rows())
    with pytest.raises(ParameterError, match=r"'estimator'.*Guarded.*\b3\b"):
        Guarded(3).fit(rows())


def test_a_wrong_parameter_is_an_error_and_no_reason_for_the_baseline():
    for given in (constraints(60), None):
        with pytest.raises(ParameterError, match=r"'w'.*PCKMeans.*-1\.0"):
            Guarded(PCKMeans(n_clusters=3, w=-1.0)).fit(rows(), constraints=given)


def test_scikit_learn_conventions():
    model = Guarded(PCKMeans(n_clusters=3))
    assert clone(model).get_params()["estimator__n_clusters"] == 3
    assert model.set_params(estimator__w=2.0).estimator.w == 2.0
    labels = model.set_params(random_state=0).fit_predict(rows(), constraints=constraints(20))
    assert labels.shape == (90,)


def test_partial_labels_are_constraints():
    y = np.where(np.arange(90) % 4, -1, Y)
    by_labels = Guarded(PCKMeans(n_clusters=3), random_state=0).fit(rows(), y)
    given = Constraints.from_partial_labels(y)
    by_constraints = Guarded(PCKMeans(n_clusters=3), random_state=0).fit(rows(), constraints=given)
    assert by_labels.comparison_ == by_constraints.comparison_
    assert np.array_equal(by_labels.labels_, by_constraints.labels_)


@pytest.mark.parametrize("estimator", [cluster.KMeans(n_clusters=3), PCKMeans, None])
def test_an_estimator_that_takes_no_constraints_is_refused(estimator):
    with pytest.raises(ParameterError, match=r"'estimator'.*Guarded.*fit\(X, constraints"):
        Guarded(estimator).fit(rows(), constraints=constraints(60))
