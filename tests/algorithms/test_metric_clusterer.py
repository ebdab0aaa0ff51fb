import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from cscluster import Constraints, KMeans, MetricClusterer
from cscluster.algorithms.base import Clusterer, MetricLearner
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.parameters import Integer, Null, Parameter, Real
from cscluster.errors import ConstraintError, ParameterError

RNG = np.random.default_rng(0)
# Two classes that differ in the second column; the first is wide noise.
Y = np.arange(40) % 2
X = np.column_stack([10 * RNG.standard_normal(40), 2 * Y + 0.1 * RNG.standard_normal(40)])
LINKS = Constraints([(0, 2), (4, 6)], [(0, 1)], n_samples=40)


class Weighted(MetricLearner):
    """Divides each column by the mean difference over must-links; its constructor is written out."""

    parameters = {
        "floor": Parameter("least divisor", Real(0)),
        "random_state": Parameter("seed", Integer(0), Null()),
    }

    def __init__(self, floor=1e-3, random_state=None):
        self.floor = floor
        self.random_state = random_state

    def fit(self, X, constraints=None):
        X, links = self._validate(X, constraints)
        spread = np.ones(X.shape[1])
        if len(links.must_links):
            spread = np.abs(X[links.must_links[:, 0]] - X[links.must_links[:, 1]]).mean(axis=0)
        self.components_ = np.diag(1 / np.maximum(spread, self.floor))
        self.n_links_ = len(links)
        self.converged_ = self.floor > 0
        return self

    def transform(self, X):
        return self._validate_new(X) @ self.components_


class Watching(Clusterer):
    """Notes what it was given; cannot predict."""

    parameters = {}

    def fit(self, X, constraints=None):
        self.X_, self.links_ = self._validate(X, constraints)
        self.labels_ = np.zeros(len(self.X_), dtype=np.int64)
        self.n_iter_, self.converged_, self.objective_ = 1, True, np.empty(0)
        return self


def agreement(labels):
    return max(np.mean(labels == Y), np.mean(labels != Y))


def test_clusters_in_the_learned_space():
    model = MetricClusterer(metric=Weighted(), clusterer=KMeans(), n_clusters=2, random_state=0)
    assert agreement(model.fit(X, LINKS).labels_) == 1
    assert agreement(KMeans(n_clusters=2, random_state=0).fit(X).labels_) < 0.8
    by_hand = KMeans(n_clusters=2, random_state=0).fit(Weighted().fit(X, LINKS).transform(X))
    assert np.array_equal(model.labels_, by_hand.labels_)
    assert model.objective_ == pytest.approx(by_hand.objective_)
    assert (model.n_iter_, model.converged_) == (by_hand.n_iter_, True)


def test_new_samples_are_mapped_first():
    model = MetricClusterer(metric=Weighted(), random_state=0).fit(X, LINKS)
    assert np.array_equal(model.predict(X), model.labels_)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(np.ones((2, 3)))


def test_both_parts_see_the_links_and_the_shared_parameters():
    model = MetricClusterer(metric=Weighted(), clusterer=Watching()).fit(X, LINKS)
    assert model.metric_.n_links_ == 3
    assert model.clusterer_.links_ == LINKS
    assert np.allclose(model.clusterer_.X_, model.metric_.transform(X))
    model = MetricClusterer(metric=Weighted(), clusterer=KMeans(n_init=3), n_clusters=4, random_state=7).fit(
        X, LINKS
    )
    assert model.metric_.random_state == 7
    assert (model.clusterer_.n_clusters, model.clusterer_.random_state, model.clusterer_.n_init) == (4, 7, 3)


def test_the_given_parts_are_not_fitted_themselves():
    metric, clusterer = Weighted(), KMeans()
    MetricClusterer(metric=metric, clusterer=clusterer, n_clusters=3).fit(X, LINKS)
    assert not hasattr(metric, "components_")
    assert clusterer.n_clusters == 2


def test_has_converged_only_if_both_parts_have():
    assert not MetricClusterer(metric=Weighted(floor=0.0), random_state=0).fit(X, LINKS).converged_


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
    with pytest.raises(
        ParameterError, match=r"'metric' of MetricClusterer must be an estimator with transform\(\)"
    ):
        MetricClusterer(metric=KMeans()).fit(X)
    with pytest.raises(ParameterError, match=r"'clusterer' of MetricClusterer must be .* or null, got 3"):
        MetricClusterer(metric=Weighted(), clusterer=3).fit(X)
    with pytest.raises(ParameterError, match="must not exceed the 40 samples, got 41"):
        MetricClusterer(metric=Weighted(), n_clusters=41).fit(X)
    with pytest.raises(ParameterError, match="'floor' of Weighted must be a number >= 0"):
        MetricClusterer(metric=Weighted(floor=-1)).fit(X)
    with pytest.raises(ConstraintError, match="made for 3 samples, but X has 40"):
        MetricClusterer(metric=Weighted()).fit(X, Constraints.empty(3))
    with pytest.raises(ConstraintError, match=r"must be a cscluster\.Constraints, got list"):
        MetricClusterer(metric=Weighted()).fit(X, [(0, 1)])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        MetricClusterer(metric=Weighted()).fit(sparse.csr_array(X), LINKS)


def test_kmeans_of_the_given_features_where_links_do_not_speak_for_the_metric():
    few = Constraints([(0, 2), (4, 6)], [(0, 1)], n_samples=40)
    with pytest.warns(UserWarning, match="The links do not favour Weighted"):
        model = MetricClusterer(metric=Weighted(), n_clusters=2, random_state=0).fit(X, few)
    kmeans = KMeans(n_clusters=2, random_state=0).fit(X)
    assert not model.uses_metric_
    assert np.array_equal(model.predict(X), kmeans.labels_)
    assert np.array_equal(model.clusterer_.cluster_centers_, kmeans.cluster_centers_)
    assert np.array_equal(model.labels_, Reference(X, 2, 0).linked_labels(few))


def test_the_learned_space_where_links_speak_for_it():
    rows = np.arange(0, 38, 2)
    many = Constraints(np.column_stack([rows, rows + 2]), np.column_stack([rows, rows + 1]), n_samples=40)
    model = MetricClusterer(metric=Weighted(), n_clusters=2, random_state=0).fit(X, many)
    assert model.uses_metric_
    assert agreement(model.labels_) == 1


class Second(BaseEstimator):
    """A metric that knows nothing of this package: the second column."""

    def fit(self, X, constraints):
        return self

    def transform(self, X):
        return X[:, 1:]


def test_a_metric_needs_no_more_than_fit_and_transform():
    model = MetricClusterer(metric=Second(), clusterer=KMeans(), n_clusters=2, random_state=0).fit(X, LINKS)
    assert len(set(zip(model.labels_.tolist(), Y.tolist(), strict=True))) == 2
