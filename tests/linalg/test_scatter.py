import numpy as np
import pytest

from cscluster import Constraints
from cscluster.linalg.scatter import (
    chunklet_scatter,
    common_scales,
    deviations,
    effective_dimension,
    pair_scatter,
    principal_map,
    separation_scatter,
    shrunk_covariance,
)

X = np.random.default_rng(0).normal(size=(9, 3))
LINKS = Constraints([(0, 1), (1, 2), (3, 4)], [(0, 3), (1, 4), (5, 6), (2, 7)], n_samples=9)


def outer(v):
    return np.outer(v, v)


def test_pair_scatter():
    w = np.arange(1.0, 5.0)
    wanted = sum(a * outer(X[i] - X[j]) for a, (i, j) in zip(w, LINKS.cannot_links, strict=True))
    np.testing.assert_allclose(pair_scatter(X, LINKS.cannot_links, w), wanted)
    assert (pair_scatter(X, np.empty((0, 2), dtype=np.int64), np.empty(0)) == 0).all()


def test_chunklet_scatter():
    groups = [[0, 1, 2], [3, 4]]
    wanted = sum(outer(X[i] - X[g].mean(axis=0)) for g in groups for i in g)
    S, freedom = chunklet_scatter(X, LINKS)
    np.testing.assert_allclose(S, wanted)
    assert freedom == 3
    S, freedom = chunklet_scatter(X, Constraints.empty(9))
    assert (S == 0).all()
    assert freedom == 0


def test_separation_scatter_counts_each_pair_of_components_once():
    groups = [([0, 1, 2], [3, 4]), ([5], [6]), ([0, 1, 2], [7])]
    wanted = sum(outer(X[a].mean(axis=0) - X[b].mean(axis=0)) for a, b in groups)
    S, n_pairs = separation_scatter(X, LINKS)
    np.testing.assert_allclose(S, wanted)
    assert n_pairs == 3


def test_shrunk_covariance_runs_from_the_prior_to_the_sample():
    S = np.diag([8.0, 2.0])
    np.testing.assert_allclose(shrunk_covariance(np.zeros((2, 2)), 0, 0.5), np.eye(2))
    np.testing.assert_allclose(shrunk_covariance(S, 2, 0.0), S / 2)
    np.testing.assert_allclose(shrunk_covariance(S, 3, 0.5), np.diag([9.0, 3.0]) / 4)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e6])
def test_constant_features_are_found_in_spite_of_rounding(constant):
    Y = np.column_stack([X[:, 0], np.full(9, constant), X[:, 1] + 1e6])
    varies, s = deviations(Y)
    assert varies.tolist() == [True, False, True]
    np.testing.assert_allclose(s, [X[:, 0].std(), X[:, 1].std()], rtol=1e-8)


def test_features_that_share_a_deviation_are_left_as_they_are():
    Z = 7 * (X - X.mean(axis=0)) / X.std(axis=0)
    varies, s = common_scales(Z)
    assert varies.all()
    np.testing.assert_allclose(s, 7)


def test_effective_dimension_is_the_number_of_equal_uncorrelated_directions():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert effective_dimension(square) == pytest.approx(2)
    assert effective_dimension(5 * square @ [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) == pytest.approx(2)
    assert effective_dimension(square @ [[1.0, 1.0], [0.0, 0.0]]) == pytest.approx(1)
    assert effective_dimension(square @ np.diag([1.0, 2.0])) == pytest.approx(25 / 17)


def test_effective_dimension_of_wide_samples():
    wide = np.random.default_rng(0).normal(size=(5, 9)) + 3
    C = np.cov(wide, rowvar=False)
    expected = np.trace(C) ** 2 / (C**2).sum()
    assert effective_dimension(wide) == pytest.approx(expected)


def test_a_nearly_constant_feature_is_scaled_by_its_range_even_if_deviations_are_equal():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(2000, 3))
    Z[:, 2] = np.arange(2000) == 7
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)  # the last range is now 45 deviations
    _, scales = common_scales(Z)
    spans = np.ptp(Z, axis=0)
    np.testing.assert_allclose(scales / scales[0], spans / spans[0])
    np.testing.assert_allclose((Z / scales).var(axis=0).mean(), 1)
    np.testing.assert_allclose(common_scales(Z[:, :2])[1], 1)


def test_principal_map():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(50, 6)) @ rng.normal(size=(6, 6)) + 5
    scales = rng.uniform(1, 2, size=6)
    scores = Z @ principal_map(Z, scales, 3)
    U, s, _ = np.linalg.svd((Z - Z.mean(axis=0)) / scales, full_matrices=False)
    wanted = U[:, :3] * s[:3] / np.sqrt((s[:3] ** 2).mean() / 50)
    np.testing.assert_allclose(np.abs(scores - scores.mean(axis=0)), np.abs(wanted), atol=1e-10)
    Z[:, 2:] = Z[:, :1]
    assert principal_map(Z, np.ones(6), 4).shape == (6, 2)  # two directions have all the variance
