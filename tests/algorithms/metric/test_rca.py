import numpy as np
import pytest
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from cscluster import RCA, Constraints, KMeans, MetricClusterer
from cscluster.algorithms.metric import _linear
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.scatter import common_scales
from cscluster.metrics.scores import score
from tests.algorithms.samples import squared_distances, with_random_pairs

from . import reference


def test_without_shrinkage_the_chunklets_become_white():
    X, _, links = with_random_pairs("iris", 100)
    Z = RCA(shrinkage=0).fit(X, constraints=links).transform(X)
    inner = np.concatenate([Z[c] - Z[c].mean(axis=0) for c in links.neighbourhoods])
    freedom = len(inner) - len(links.neighbourhoods)
    np.testing.assert_allclose(inner.T @ inner / freedom, np.eye(4), atol=1e-10)


def test_by_hand():
    # One chunklet {(0,0), (2,0)} has scatter diag(2, 0); both features have variance 1; nu = 1 and
    # shrinkage 1/2 adds the identity as one more observation: C = diag(3, 1) / 2.
    X = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    links = Constraints([(0, 1)], n_samples=4)
    components = RCA(shrinkage=0.5).fit(X, constraints=links).components_
    np.testing.assert_allclose(components, np.diag([np.sqrt(2 / 3), np.sqrt(2)]), atol=1e-12)


def test_does_not_depend_on_units_or_origin():
    X, _, links = with_random_pairs("wine", 40)
    scaled = X * np.logspace(-3, 3, X.shape[1]) + 7.0
    np.testing.assert_allclose(
        squared_distances(RCA().fit(X, constraints=links), X),
        squared_distances(RCA().fit(scaled, constraints=links), scaled),
        rtol=1e-6,
        atol=1e-8,
    )


def test_entailed_links_change_nothing():
    X, _, links = with_random_pairs("iris", 60)
    np.testing.assert_allclose(
        RCA().fit(X, constraints=links).components_,
        RCA().fit(X, constraints=links.closure()).components_,
        rtol=1e-10,
    )


@pytest.mark.parametrize("name", ["wdbc", "optdigits_test", "sonar"])
def test_singular_chunklets_and_constant_features_give_finite_maps(name):
    X, _, links = with_random_pairs(name, 20)
    model = RCA().fit(X, constraints=links)
    assert np.isfinite(model.components_).all()
    assert (model.components_[:, X.std(axis=0) == 0] == 0).all()


def test_by_default_the_prior_counts_by_the_effective_dimension_for_each_observation():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    S = np.diag([8.0, 2.0])
    np.testing.assert_allclose(RCA()._shrunk(S, 4, square), np.diag([9.0, 3.0]) / 5)
    line = square @ [[1.0, 1.0], [0.0, 0.0]]  # two features that are one
    np.testing.assert_allclose(RCA()._shrunk(S, 4, line), np.diag([8.5, 2.5]) / 4.5)
    np.testing.assert_allclose(RCA()._shrunk(0 * S, 0, square), np.eye(2))


@pytest.mark.filterwarnings("ignore:RCA got no must-links")
def test_duplicates_in_a_must_link_add_no_scatter():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 3.0], [2.0, 1.0]])
    components = RCA().fit(X, constraints=Constraints([(0, 1)], n_samples=4)).components_
    s = np.ptp(X, axis=0)
    np.testing.assert_allclose(components @ np.diag(s) / (components[0, 0] * s[0]), np.eye(2), atol=1e-12)


def test_few_links_are_better_than_none_on_wine():
    X, y, links = with_random_pairs("wine", 200)
    labels = MetricClusterer(metric=RCA(), n_clusters=3, random_state=0).fit(X, constraints=links).labels_
    assert score("nmi", y, labels) > 0.9


def test_blank_pixels_do_not_spoil_optdigits():
    X, y, links = with_random_pairs("optdigits_test", 500)
    labels = MetricClusterer(metric=RCA(), n_clusters=10, random_state=0).fit(X, constraints=links).labels_
    assert score("nmi", y, labels) > 0.75


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(UserWarning, match="RCA.*no must-links"):
        model = RCA().fit(X, constraints=Constraints(cannot_links=[(0, 1)], n_samples=6))
    np.testing.assert_allclose(model.components_, np.diag(1 / common_scales(X)[1]), atol=1e-12)
    with pytest.warns(UserWarning, match="RCA.*no must-links"):
        assert np.array_equal(RCA(shrinkage=0).fit(X).transform(X), X)
    with pytest.warns(UserWarning, match=r"\b1 of 3\b.*'shrinkage'"):
        RCA(shrinkage=0).fit(X, constraints=Constraints([(0, 1)], n_samples=6))
    with pytest.raises(DataError, match=r"RCA.*coincide"):
        RCA().fit(np.ones((6, 3)), constraints=Constraints([(0, 1)], n_samples=6))
    with pytest.raises(ParameterError, match=r"'shrinkage'.*RCA.*'auto'.*-1"):
        RCA(shrinkage=-1).fit(X, constraints=Constraints.empty(6))


def test_sparse_samples_give_the_same_map():
    X, _, links = with_random_pairs("optdigits_test", 50)
    model = RCA().fit(X, constraints=links)
    again = RCA().fit(sparse.csr_array(X), constraints=links)
    np.testing.assert_array_equal(model.components_, again.components_)
    np.testing.assert_allclose(model.transform(X), again.transform(sparse.csr_array(X)), atol=1e-10)


def test_without_shrinkage_the_metric_is_that_of_metric_learn():
    # metric-learn divides by the number of samples in chunklets, this class by that less the chunklets.
    L = RCA(shrinkage=0).fit(reference.X, constraints=reference.LINKS).components_
    chunks = reference.LINKS.neighbourhoods
    samples = sum(map(len, chunks))
    np.testing.assert_allclose(L.T @ L * samples / (samples - len(chunks)), reference.RCA, rtol=1e-9)


def wide_groups(rng, n_pairs=1500):
    """Three groups that differ along two directions of 150 correlated features of unequal scale, with links."""
    y = np.repeat([0, 1, 2], 400)
    latent = rng.normal(size=(1200, 20)) * np.linspace(3, 1, 20)
    latent[:, 18] += 4.0 * (y == 1)
    latent[:, 19] += 4.0 * (y == 2)
    X = latent @ rng.normal(size=(20, 150)) + 0.3 * rng.normal(size=(1200, 150))
    pairs = rng.integers(1200, size=(n_pairs, 2))
    return X, y, Constraints.from_labels(pairs[pairs[:, 0] != pairs[:, 1]], y)


def agreement_with_lda(metric, X, y, links):
    """Return the ARI of k-means in the learned space over that in the space of LDA, which sees all labels."""
    labels = MetricClusterer(metric=metric, n_clusters=3, random_state=0).fit(X, constraints=links).labels_
    Z = LinearDiscriminantAnalysis().fit(X, y).transform(X)
    return score("ari", y, labels) / score("ari", y, KMeans(n_clusters=3, random_state=0).fit(Z).labels_)


def test_of_many_features_it_keeps_the_directions_in_which_clusters_differ(monkeypatch):
    X, y, links = wide_groups(np.random.default_rng(0))
    few = RCA().fit(X, constraints=links)
    assert few.n_directions_ == 100
    assert few.components_.shape == (100, 150)  # 438 observations in chunklets are too few to drop any
    monkeypatch.setattr(_linear, "MAX_DIRECTIONS", 20)
    metric = RCA()
    assert metric.fit(X, constraints=links).components_.shape == (2, 150)
    assert agreement_with_lda(metric, X, y, links) > 0.93
    assert score("ari", y, KMeans(n_clusters=3, random_state=0).fit(X).labels_) < 0.05
    assert RCA(shrinkage=1.0).fit(X, constraints=links).components_.shape == (150, 150)
    with pytest.warns(UserWarning, match=r"\b50 of 150\b.*'shrinkage'"):  # as published: all features
        assert RCA(shrinkage=0).fit(X, constraints=links.select(range(50))).n_directions_ == 0


def test_standardised_pixels_that_hardly_vary_do_not_spoil_it(monkeypatch):
    X, y, links = wide_groups(np.random.default_rng(1))
    rare = np.zeros((1200, 40))
    rare[np.random.default_rng(2).integers(1200, size=40), np.arange(40)] = 1.0
    Z = np.column_stack([X, rare])
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    monkeypatch.setattr(_linear, "MAX_DIRECTIONS", 20)
    assert agreement_with_lda(RCA(), Z, y, links) > 0.93
