import numpy as np
import pytest

from cscluster import ITML, Constraints
from cscluster.algorithms.metric.itml import bregman_projections, distance_bounds
from cscluster.errors import ParameterError
from tests.algorithms.samples import with_random_pairs

from . import reference


def differences(X, links):
    pairs = np.concatenate([links.must_links, links.cannot_links])
    delta = np.where(np.arange(len(pairs)) < len(links.must_links), 1, -1)
    return X[pairs[:, 0]] - X[pairs[:, 1]], delta


def test_agrees_with_metric_learn():
    V, delta = differences(reference.X, reference.LINKS)
    bounds = np.where(delta > 0, *reference.ITML_BOUNDS)
    A, *_ = bregman_projections(V, delta, bounds, 1.0, 1e-12, 10_000)
    np.testing.assert_allclose(A, reference.ITML, atol=1e-9)


@pytest.mark.parametrize("gamma", [0.1, 1.0, 20.0])
def test_optimality_certificate(gamma):
    X, _, links = with_random_pairs("iris", 40)
    V, delta = differences(X, links)
    bounds = np.where(delta > 0, 0.5, 4.0)
    A, lam, _, converged = bregman_projections(V, delta, bounds, gamma, 1e-12, 100_000)
    assert converged
    assert (lam >= 0).all()
    np.testing.assert_allclose(np.linalg.inv(A), np.eye(4) + (V.T * (delta * lam)) @ V, rtol=1e-6, atol=1e-8)
    xi = 1 / (1 / bounds - delta * lam / gamma)
    p = np.einsum("ij,ij->i", V @ A, V)
    assert (delta * (p - xi) <= 1e-6 * xi).all()
    np.testing.assert_allclose(lam * (p - xi), 0, atol=1e-6)


def test_fewer_links_than_features_are_solved_in_their_span():
    X, _, links = with_random_pairs("sonar", 20)
    model = ITML(prior="identity", gamma=1.0, tol=1e-10).fit(X, constraints=links)
    V, delta = differences(X, links)
    low, high = distance_bounds(X, links, 0.05)
    A, *_ = bregman_projections(V, delta, np.where(delta > 0, low, high), 1.0, 1e-10, 1000)
    np.testing.assert_allclose(model.components_.T @ model.components_, A, atol=1e-6)


@pytest.mark.parametrize("prior", ["range", "variance"])
def test_prior_from_the_features_makes_units_irrelevant(prior):
    X, _, links = with_random_pairs("wine", 40)
    scale = np.logspace(-2, 2, 13)
    A, B = (ITML(prior=prior).fit(Y, constraints=links).transform(Y) for Y in (X, X * scale))
    np.testing.assert_allclose(A - A[0], B - B[0], atol=1e-6)


def test_priors_differ_by_the_scale_of_the_features_only():
    X, _, links = with_random_pairs("iris", 40)
    A = ITML(prior="range").fit(X, constraints=links).transform(X)
    B = ITML(prior="identity").fit(X / np.ptp(X, axis=0), constraints=links).transform(X / np.ptp(X, axis=0))
    np.testing.assert_allclose(A, B, atol=1e-10)


def test_moves_links_towards_their_bounds():
    X, _, links = with_random_pairs("wine", 100)
    Z = ITML().fit(X, constraints=links).transform(X)
    S = X / X.std(axis=0)

    def spread(Y, pairs):
        return np.median(((Y[pairs[:, 0]] - Y[pairs[:, 1]]) ** 2).sum(axis=1))

    before = spread(S, links.cannot_links) / spread(S, links.must_links)
    assert spread(Z, links.cannot_links) / spread(Z, links.must_links) > 2 * before


@pytest.mark.parametrize("kind", ["must", "cannot"])
def test_one_kind_of_link_is_enough(kind):
    X, _, links = with_random_pairs("iris", 40)
    chosen = {f"{kind}_links": getattr(links, f"{kind}_links")}
    model = ITML().fit(X, constraints=Constraints(n_samples=150, **chosen))
    assert np.isfinite(model.components_).all()
    assert model.multipliers_.any()


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(UserWarning, match="ITML.*no constraints"):
        model = ITML(prior="variance").fit(X)
    np.testing.assert_allclose(model.components_, np.diag(1 / X.std(axis=0)))
    X[1] = X[0]
    with pytest.warns(UserWarning, match="ITML.*no constraints"):
        model = ITML().fit(X, constraints=Constraints([(0, 1)], n_samples=6))
    assert model.multipliers_.tolist() == [0]
    model = ITML().fit(X, constraints=Constraints([(0, 1), (2, 3)], [(4, 5)], n_samples=6))
    assert model.multipliers_[0] == 0
    with pytest.warns(UserWarning, match=r"ITML.*not converge.*\b1\b"):
        ITML(max_iter=1, tol=0.0).fit(X, constraints=Constraints([(2, 3)], [(4, 5)], n_samples=6))
    with pytest.raises(ParameterError, match=r"'prior'.*ITML.*'scale'.*'none'"):
        ITML(prior="none").fit(X, constraints=Constraints([(2, 3)], n_samples=6))


def test_says_when_the_metric_is_the_prior():
    X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [0.0, 5.0], [5.0, 0.0]])
    links = Constraints([(0, 1)], [(0, 2)], n_samples=5)
    with pytest.warns(UserWarning, match="bounds.*ITML.*prior"):
        L = ITML(prior="range", quantile=0.2).fit(X, constraints=links).components_
    np.testing.assert_allclose(L, np.eye(2) / 5, atol=1e-12)


def test_constant_features_get_no_weight():
    X, _, links = with_random_pairs("optdigits_test", 50)
    L = ITML().fit(X, constraints=links).components_
    assert np.isfinite(L).all()
    assert (L[:, X.std(axis=0) == 0] == 0).all()
