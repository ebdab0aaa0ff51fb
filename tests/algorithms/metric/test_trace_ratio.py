import numpy as np
import pytest

from cscluster import Constraints, KMeans, MetricClusterer, TraceRatio
from cscluster.algorithms import shared
from cscluster.algorithms.build import build
from cscluster.algorithms.registry import find
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.lle import reconstruction_weights
from cscluster.linalg.scatter import effective_dimension
from cscluster.metrics.scores import score
from tests.algorithms.samples import standardised_with_balanced_pairs

MAPS = ["linear", "nonlinear", "kernel"]


def objective(Y, links, alpha, S):
    """Problem (5), term by term."""

    def spread(pairs):
        return sum(((Y[i] - Y[j]) ** 2).sum() for i, j in pairs)

    bend = ((Y - S @ Y) ** 2).sum()
    return spread(links.cannot_links) / (spread(links.must_links) + alpha * bend)


@pytest.mark.parametrize("map_", MAPS)
def test_ratio_is_that_of_problem_5(map_):
    X, _, links = standardised_with_balanced_pairs("iris", 20)
    model = TraceRatio(shrinkage=0, map=map_).fit(X, constraints=links)
    wanted = objective(model.transform(X), links, 0.2, reconstruction_weights(X, 10))
    assert model.converged_
    assert model.objective_[-1] == pytest.approx(wanted, rel=1e-6)
    np.testing.assert_allclose(
        model.components_ @ model.components_.T, np.eye(len(model.components_)), atol=1e-9
    )


@pytest.mark.parametrize("map_", MAPS)
def test_no_other_orthonormal_map_does_better(map_):
    X, _, links = standardised_with_balanced_pairs("iris", 20)
    model = TraceRatio(shrinkage=0, map=map_, n_components=2).fit(X, constraints=links)
    S = reconstruction_weights(X, 10)
    rng = np.random.default_rng(0)
    best = objective(model.transform(X), links, 0.2, S)
    found = model.components_
    for size in (0.01, 0.1, 1.0, 10.0):
        Q, _ = np.linalg.qr((found + size * rng.normal(size=found.shape)).T)
        model.components_ = Q.T
        assert objective(model.transform(X), links, 0.2, S) < best


def test_dimensions_are_halved():
    X, _, links = standardised_with_balanced_pairs("wine", 15)
    m = len(np.unique(links.must_links))
    assert TraceRatio(shrinkage=0).fit(X, constraints=links).transform(X).shape == (178, 6)
    assert TraceRatio(shrinkage=0, map="nonlinear").fit(X, constraints=links).transform(X).shape == (
        178,
        m // 2,
    )
    assert TraceRatio(shrinkage=0, map="kernel").fit(X, constraints=links).transform(X).shape == (178, 89)


def test_dimensions_of_the_code_of_xiang_et_al():
    X = np.random.default_rng(0).normal(size=(40, 8))
    few = Constraints([(0, 1), (2, 3), (4, 5)], [(0, 9), (1, 12)], n_samples=40)
    many = Constraints([(i, i + 20) for i in range(20)], [(0, 9), (1, 12)], n_samples=40)
    for links, dimensions in ((few, 8 - 3 + 1), (many, 1)):
        model = TraceRatio(alpha=0, shrinkage=0, n_components="nullity").fit(X, constraints=links)
        assert model.components_.shape == (dimensions, 8)


@pytest.mark.parametrize("shrinkage", [0.5, "auto"])
def test_shrinkage_counts_the_variances_as_further_constraints(shrinkage):
    # Features of variance one: tau q of them add 2 tau q to each squared unit length. 20 constraints a kind.
    X, _, links = standardised_with_balanced_pairs("iris", 20)
    model = TraceRatio(shrinkage=shrinkage, alpha=0.0, n_components=2).fit(X, constraints=links)
    tau = effective_dimension(X) / 20 if shrinkage == "auto" else 0.5
    Z = model.transform(X)
    apart, together = (
        sum(((Z[i] - Z[j]) ** 2).sum() for i, j in pairs) + 2 * tau * 4 * 2
        for pairs in (links.cannot_links, links.must_links)
    )
    assert model.objective_[-1] == pytest.approx(apart / together)


def test_window_is_the_mean_squared_distance():
    X, _, links = standardised_with_balanced_pairs("iris", 10)
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    assert TraceRatio(shrinkage=0, map="nonlinear").fit(X, constraints=links).window_ == pytest.approx(
        squared.sum() / (150 * 149)
    )


def test_default_window_of_the_nonlinear_name_follows_the_unit_and_the_published_one_does_not():
    X, _, links = standardised_with_balanced_pairs("iris", 10)
    default, published = (
        [
            build("trace_ratio_nonlinear", params, 3, 0).metric.fit(scale * X, constraints=links)
            for scale in (1, 10)
        ]
        for params in ({}, find("trace_ratio_nonlinear").published())
    )
    assert default[1].window_ == pytest.approx(10 * default[0].window_)
    assert published[1].window_ == pytest.approx(100 * published[0].window_)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert TraceRatio(map="nonlinear", window="standardised").fit(
        Z, constraints=links
    ).window_ == pytest.approx(TraceRatio(map="nonlinear").fit(Z, constraints=links).window_)


def test_nonlinear_is_the_kernel_map_of_must_linked_samples():
    X, _, links = standardised_with_balanced_pairs("iris", 10)
    few = np.unique(links.must_links)
    model = TraceRatio(shrinkage=0, map="nonlinear", alpha=0.0, n_components=3, window=2.0).fit(
        X, constraints=links
    )
    np.testing.assert_array_equal(model.landmarks_, X[few])
    K = np.exp(-np.linalg.norm(X[:, None] - X[few][None], axis=2) / 2.0)
    np.testing.assert_allclose(model.transform(X), K @ model.components_.T)


@pytest.mark.parametrize("map_", MAPS)
def test_new_samples_are_mapped_like_old_ones(map_):
    X, _, links = standardised_with_balanced_pairs("iris", 15)
    model = TraceRatio(shrinkage=0, map=map_).fit(X, constraints=links)
    np.testing.assert_allclose(model.transform(X[10:20]), model.transform(X)[10:20], atol=1e-12)


def test_linear_maps_cannot_cluster_rings_and_the_nonlinear_one_can():
    X, y, links = standardised_with_balanced_pairs("synthetic_rings", 20)
    found = {
        map_: score(
            "balanced_rand",
            y,
            MetricClusterer(metric=TraceRatio(shrinkage=0, map=map_), n_clusters=2, random_state=0)
            .fit(X, constraints=links)
            .labels_,
        )
        for map_ in ("linear", "nonlinear")
    }
    assert found["linear"] < 0.6
    assert found["nonlinear"] > 0.95


def test_constant_features_are_left_out():
    X, _, links = standardised_with_balanced_pairs("iris", 15)
    wider = np.column_stack([np.ones(150), X, np.zeros(150)])
    model = TraceRatio(shrinkage=0, n_components=2).fit(X, constraints=links)
    again = TraceRatio(shrinkage=0, n_components=2).fit(wider, constraints=links)
    assert again.varying_.tolist() == [1, 2, 3, 4]
    np.testing.assert_allclose(again.transform(wider), model.transform(X))


def test_few_must_links_without_regulariser_end_in_the_null_space():
    X, _, links = standardised_with_balanced_pairs("sonar", 10)
    model = TraceRatio(shrinkage=0, alpha=0.0).fit(X, constraints=links)
    assert np.isinf(model.objective_).all()
    Z = model.transform(X)
    i, j = links.must_links.T
    np.testing.assert_allclose(Z[i], Z[j], atol=1e-8)


def test_link_weights_multiply_their_terms():
    X, _, links = standardised_with_balanced_pairs("iris", 10)
    must, cannot = links.must_links, links.cannot_links
    heavy = Constraints(
        must, cannot, n_samples=150, must_weights=np.full(10, 7.0), cannot_weights=np.full(10, 2.0)
    )
    model, weighted = (
        TraceRatio(shrinkage=0, alpha=0.0, n_components=2).fit(X, constraints=c) for c in (links, heavy)
    )
    np.testing.assert_allclose(weighted.objective_[-1], model.objective_[-1] * 2 / 7)


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(20, 3))
    both = Constraints([(0, 1)], [(2, 3)], n_samples=20)
    for map_ in MAPS:
        with pytest.warns(UserWarning, match="TraceRatio.*no cannot-links"):
            model = TraceRatio(map=map_).fit(X, constraints=Constraints([(0, 1)], n_samples=20))
        assert np.array_equal(model.transform(X), X)
    with pytest.warns(UserWarning, match="TraceRatio.*no must-links.*nonlinear"):
        model = TraceRatio(map="nonlinear").fit(X, constraints=Constraints((), [(0, 1)], n_samples=20))
    assert np.array_equal(model.transform(X), X)
    assert TraceRatio(shrinkage=0).fit(
        X, constraints=Constraints((), [(0, 1)], n_samples=20)
    ).components_.shape == (1, 3)
    with pytest.raises(ParameterError, match=r"'n_components'.*TraceRatio.*\b3\b.* linear.*\b3\b"):
        TraceRatio(shrinkage=0, n_components=3).fit(X, constraints=both)
    with pytest.raises(ParameterError, match=r"'n_components'.*TraceRatio.*\b2\b.*nonlinear.*\b2\b"):
        TraceRatio(shrinkage=0, map="nonlinear", n_components=2).fit(X, constraints=both)
    with pytest.raises(ParameterError, match=r"'n_neighbors'.*20 samples.*20"):
        TraceRatio(shrinkage=0, n_neighbors=20).fit(X, constraints=both)
    with pytest.raises(ParameterError, match=r"'alpha'.*TraceRatio.*-0\.1"):
        TraceRatio(shrinkage=0, alpha=-0.1).fit(X, constraints=both)


@pytest.mark.parametrize("map_", MAPS)
def test_duplicate_points_in_links(map_):
    X = np.repeat(np.random.default_rng(0).normal(size=(15, 3)), 2, axis=0)
    links = Constraints([(0, 1), (2, 4)], [(6, 7), (8, 12)], n_samples=30)
    assert np.isfinite(TraceRatio(shrinkage=0, map=map_).fit(X, constraints=links).transform(X)).all()
    with pytest.warns(UserWarning, match="TraceRatio.*no cannot-links"):
        TraceRatio(shrinkage=0, map=map_).fit(X, constraints=Constraints([(2, 4)], [(6, 7)], n_samples=30))
    with pytest.raises(DataError, match=r"TraceRatio.*coincide"):
        TraceRatio(shrinkage=0, map=map_).fit(np.ones((30, 3)), constraints=links)


def test_the_weights_of_the_samples_are_offline_and_computed_once(monkeypatch):
    X, _, links = standardised_with_balanced_pairs("wine", 10)
    now, computed = 0.0, []

    def weights(samples, k):
        nonlocal now
        now += 5.0
        computed.append(k)
        return reconstruction_weights(samples, k)

    monkeypatch.setattr("cscluster.algorithms.metric.trace_ratio.reconstruction_weights", weights)
    monkeypatch.setattr(shared.time, "perf_counter", lambda: now)
    shared.forget()
    for map_ in ("linear", "nonlinear"):
        with shared.sharing(X):
            model = MetricClusterer(metric=TraceRatio(map=map_), clusterer=KMeans(), n_clusters=3)
            model.fit(X, constraints=links)
            assert model.offline_seconds_ == 5.0
    assert computed == [10]
    assert TraceRatio(alpha=0).fit(X, constraints=links).offline_seconds_ == 0.0
