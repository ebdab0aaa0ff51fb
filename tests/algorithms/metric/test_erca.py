import numpy as np
import pytest
from scipy.linalg import sqrtm

from cscluster import ERCA, Constraints
from tests.algorithms.samples import squared_distances, with_balanced_pairs


def test_metric_is_the_product_of_the_paper():
    # Without shrinkage and on standardised features, A = S_w^{-1/2} S_b S_w^{-1/2}.
    X, _, links = with_balanced_pairs("iris", 30)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    L = ERCA(shrinkage=0).fit(X, constraints=links).components_
    R_w = X[links.must_links[:, 0]] - X[links.must_links[:, 1]]
    R_b = X[links.cannot_links[:, 0]] - X[links.cannot_links[:, 1]]
    values, vectors = np.linalg.eigh(R_w.T @ R_w / 60)
    whitening = vectors @ np.diag(values**-0.5) @ vectors.T
    np.testing.assert_allclose(L.T @ L, whitening @ (R_b.T @ R_b / 60) @ whitening, rtol=1e-8, atol=1e-10)


def test_published_is_the_map_of_baghshah2010():
    # y = W^T x with W = S_b^{1/2} S_w^{-1/2}, where 2 |P| S_w has a pseudo-inverse only: 3 links, 4 features.
    X, _, links = with_balanced_pairs("iris", 3)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = ERCA.published().fit(X, constraints=links)
    R_w = Z[links.must_links[:, 0]] - Z[links.must_links[:, 1]]
    R_b = Z[links.cannot_links[:, 0]] - Z[links.cannot_links[:, 1]]
    W = sqrtm(R_b.T @ R_b / 6).real @ np.linalg.pinv(sqrtm(R_w.T @ R_w / 6).real, rcond=1e-6)
    distances = ((Z @ W)[:, None] - (Z @ W)[None]) ** 2
    np.testing.assert_allclose(squared_distances(model, X), distances.sum(axis=2), rtol=1e-5, atol=1e-6)


def test_does_not_depend_on_units_or_origin():
    X, _, links = with_balanced_pairs("wine", 20)
    scaled = X * np.logspace(-2, 2, 13) - 3.0
    np.testing.assert_allclose(
        squared_distances(ERCA().fit(scaled, constraints=links), scaled),
        squared_distances(ERCA().fit(X, constraints=links), X),
        rtol=1e-6,
        atol=1e-9,
    )


def test_more_features_than_links_and_constant_features():
    X, _, links = with_balanced_pairs("optdigits_test", 20)
    L = ERCA().fit(X, constraints=links).components_
    assert np.isfinite(L).all()
    assert (L[:, X.std(axis=0) == 0] == 0).all()
    assert np.isfinite(ERCA(shrinkage=0).fit(X, constraints=links).components_).all()


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(UserWarning, match="ERCA.*no cannot-links"):
        model = ERCA().fit(X, constraints=Constraints([(0, 1)], n_samples=6))
    np.testing.assert_allclose(model.components_, np.diag(1 / X.std(axis=0)))
    with pytest.warns(UserWarning, match="ERCA.*no must-links.*covariance"):
        ERCA().fit(X, constraints=Constraints((), [(0, 1)], n_samples=6))
    with pytest.warns(UserWarning, match="ERCA.*no must-links.*'shrinkage' 0"):
        ERCA(shrinkage=0).fit(X, constraints=Constraints((), [(0, 1)], n_samples=6))
    X[1] = X[0]
    assert np.isfinite(
        ERCA().fit(X, constraints=Constraints([(0, 1)], [(2, 3)], n_samples=6)).components_
    ).all()
    with pytest.warns(UserWarning, match="ERCA.*no cannot-links.*differ"):
        ERCA().fit(X, constraints=Constraints([(2, 3)], [(0, 1)], n_samples=6))
