import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, clone

from cscluster import PCCC, Constraints, KMeans, MetricClusterer, PCKMeans
from cscluster.algorithms.base import Clusterer, MetricLearner
from cscluster.algorithms.parameters import UNCHANGED, Integer, Null, Parameter, Real
from cscluster.errors import ConstraintError, ParameterError

RNG = np.random.default_rng(0)
# Two classes that differ in the second column; the first is wide noise.
Y = np.arange(40) % 2
X = np.column_stack([10 * RNG.standard_normal(40), 2 * Y + 0.1 * RNG.standard_normal(40)])
CONSTRAINTS = Constraints([(0, 2), (4, 6)], [(0, 1)], n_samples=40)


class Weighted(MetricLearner):
    """Divides each column by the mean difference over must-links; its constructor is written out."""

    parameters = {
        "floor": Parameter("least divisor", Real(0), published=UNCHANGED, why=""),
        "random_state": Parameter("seed", Integer(0), Null(), published=UNCHANGED, why=""),
    }

    def __init__(self, floor=1e-3, random_state=None):
        self.floor = floor
        self.random_state = random_state

    def fit(self, X, y=None, constraints=None):
        X, constraints = self._validate(X, y, constraints)
        spread = np.ones(X.shape[1])
        if len(constraints.must_links):
            i, j = constraints.must_links.T
            spread = np.abs(X[i] - X[j]).mean(axis=0)
        self.components_ = np.diag(1 / np.maximum(spread, self.floor))
        self.n_constraints_ = len(constraints)
        self.converged_ = self.floor > 0
        return self

    @property
    def _n_features_out(self):
        return len(self.components_)

    def transform(self, X):
        return self._validate_new(X) @ self.components_


class Watching(Clusterer):
    """Notes what it was given; cannot predict."""

    def fit(self, X, y=None, constraints=None):
        self.X_, self.constraints_ = self._validate(X, y, constraints)
        return self._set_partition(np.zeros(len(self.X_)), n_iter=1, converged=True)


def agreement(labels):
    return max(np.mean(labels == Y), np.mean(labels != Y))


def test_clusters_in_the_learned_space():
    model = MetricClusterer(metric=Weighted(), clusterer=KMeans(), n_clusters=2, random_state=0)
    assert agreement(model.fit(X, constraints=CONSTRAINTS).labels_) == 1
    assert agreement(KMeans(n_clusters=2, random_state=0).fit(X).labels_) < 0.8
    by_hand = KMeans(n_clusters=2, random_state=0).fit(
        Weighted().fit(X, constraints=CONSTRAINTS).transform(X)
    )
    assert np.array_equal(model.labels_, by_hand.labels_)
    assert model.objective_ == pytest.approx(by_hand.objective_)
    assert (model.n_iter_, model.converged_) == (by_hand.n_iter_, True)


def test_new_samples_are_mapped_first():
    model = MetricClusterer(metric=Weighted(), random_state=0).fit(X, constraints=CONSTRAINTS)
    assert np.array_equal(model.predict(X), model.labels_)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.ones((2, 3)))


def test_both_parts_see_the_constraints_and_the_shared_parameters():
    model = MetricClusterer(metric=Weighted(), clusterer=Watching()).fit(X, constraints=CONSTRAINTS)
    assert model.metric_.n_constraints_ == 3
    assert model.clusterer_.constraints_ == CONSTRAINTS
    assert np.allclose(model.clusterer_.X_, model.metric_.transform(X))
    model = MetricClusterer(metric=Weighted(), clusterer=KMeans(n_init=3), n_clusters=4, random_state=7).fit(
        X, constraints=CONSTRAINTS
    )
    assert model.metric_.random_state == 7
    assert (model.clusterer_.n_clusters, model.clusterer_.random_state, model.clusterer_.n_init) == (4, 7, 3)


def test_the_given_parts_are_not_fitted_themselves():
    metric, clusterer = Weighted(), KMeans()
    MetricClusterer(metric=metric, clusterer=clusterer, n_clusters=3).fit(X, constraints=CONSTRAINTS)
    assert not hasattr(metric, "components_")
    assert clusterer.n_clusters == 2


def test_has_converged_only_if_both_parts_have():
    assert (
        not MetricClusterer(metric=Weighted(floor=0.0), random_state=0)
        .fit(X, constraints=CONSTRAINTS)
        .converged_
    )


def test_can_predict_only_if_the_clusterer_can():
    assert hasattr(MetricClusterer(metric=Weighted()), "predict")
    assert hasattr(MetricClusterer(metric=Weighted(), clusterer=KMeans()), "predict")
    assert not hasattr(MetricClusterer(metric=Weighted(), clusterer=Watching()), "predict")


def test_copies():
    model = clone(MetricClusterer(metric=Weighted(floor=0.5), n_clusters=3))
    assert (model.metric.floor, model.n_clusters) == (0.5, 3)
    model.set_params(metric__floor=0.25)
    assert model.metric.floor == 0.25


def test_says_what_is_wrong():
    with pytest.raises(ParameterError, match=r"'metric'.*MetricClusterer"):
        MetricClusterer(metric=KMeans()).fit(X)
    with pytest.raises(ParameterError, match=r"'clusterer'.*MetricClusterer"):
        MetricClusterer(metric=Weighted(), clusterer=3).fit(X)
    with pytest.raises(ParameterError, match=r"'n_clusters'.*MetricClusterer"):
        MetricClusterer(metric=Weighted(), n_clusters=41).fit(X)
    with pytest.raises(ParameterError, match=r"'floor'.*Weighted"):
        MetricClusterer(metric=Weighted(floor=-1)).fit(X)
    with pytest.raises(ConstraintError, match=r"\b3 samples.*X.*\b40\b"):
        MetricClusterer(metric=Weighted()).fit(X, constraints=Constraints.empty(3))
    with pytest.raises(ConstraintError):
        MetricClusterer(metric=Weighted()).fit(X, constraints=[(0, 1)])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        MetricClusterer(metric=Weighted()).fit(sparse.csr_array(X), constraints=CONSTRAINTS)


class Second(BaseEstimator):
    """A metric that knows nothing of this package: the second column."""

    def fit(self, X, y=None, constraints=None):
        return self

    def transform(self, X):
        return X[:, 1:]


def test_a_metric_needs_no_more_than_fit_and_transform():
    model = MetricClusterer(metric=Second(), clusterer=KMeans(), n_clusters=2, random_state=0).fit(
        X, constraints=CONSTRAINTS
    )
    assert len(set(zip(model.labels_.tolist(), Y.tolist(), strict=True))) == 2


def test_costs_are_those_of_the_clusterer_in_the_learned_space():
    model = MetricClusterer(metric=Weighted(), clusterer=PCKMeans(), random_state=0)
    model.fit(X, constraints=CONSTRAINTS)
    Z = model.metric_.transform(X)
    np.testing.assert_allclose(model.costs(X), cdist(Z, model.clusterer_.cluster_centers_) ** 2)
    assert not hasattr(MetricClusterer(metric=Weighted(), clusterer=Watching()), "costs")


def test_hard_constraints_hold_where_the_clusterer_satisfies_them():
    hard = CONSTRAINTS.hardened()
    model = MetricClusterer(metric=Weighted(), clusterer=PCCC(), random_state=0).fit(X, constraints=hard)
    assert model.satisfies_hard_constraints
    assert len(hard.violated(model.labels_)) == 0
    with pytest.warns(UserWarning, match="MetricClusterer.*hard constraints"):
        MetricClusterer(metric=Weighted(), random_state=0).fit(X, constraints=hard)
