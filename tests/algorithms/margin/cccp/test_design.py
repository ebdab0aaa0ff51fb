import numpy as np
import pytest
from scipy import sparse

from cscluster.algorithms.margin.cccp.design import Design, add_row, row_scores


@pytest.fixture(params=["dense", "sparse"])
def both(request):
    """Return raw samples and their design; the bias column is included."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 6)) * (rng.random((9, 6)) < 0.5)
    mean = X.mean(axis=0)
    given = sparse.csr_array(X) if request.param == "sparse" else X
    return np.hstack([X - mean, np.ones((9, 1))]), Design.of(given, mean, bias=True)


def test_scores_and_combinations_are_those_of_the_centred_samples(both):
    Z, design = both
    rng = np.random.default_rng(1)
    W, A = rng.normal(size=(3, 7)), rng.normal(size=(9, 3))
    assert np.allclose(design.scores(W), Z @ W.T)
    assert np.allclose(design.combine(A), A.T @ Z)
    assert np.allclose(design.squared_norms, (Z**2).sum(axis=1))
    assert np.allclose(design.products(np.array([0, 3]), np.array([5, 4])), [Z[0] @ Z[5], Z[3] @ Z[4]])


def test_extended_coordinates_stand_for_the_same_weights(both):
    Z, design = both
    rng = np.random.default_rng(2)
    A, W = rng.normal(size=(9, 3)), rng.normal(size=(3, 7))
    V = design.extended(A)
    assert np.allclose(design.weights(V), A.T @ Z)
    assert np.allclose(design.weights(design.extend(W)), W)
    V += design.extend(W)
    a = np.array([0.5, 0.0, -2.0])
    add_row(design.rows, 4, V, a)
    expected = A.T @ Z + W + np.outer(a, Z[4])
    assert np.allclose(design.weights(V), expected)
    s = np.empty(3)
    for i in range(9):
        row_scores(design.rows, i, V, s)
        assert np.allclose(s, expected @ Z[i])


def test_rotation_keeps_inner_products_and_scores():
    X = np.random.default_rng(3).normal(size=(5, 40))
    design = Design.of(X, X.mean(axis=0), bias=False)
    Z = X - X.mean(axis=0)
    assert design.X.shape == (5, 5)
    assert np.allclose(design.X @ design.X.T, Z @ Z.T)
    W = np.random.default_rng(4).normal(size=(2, 5))
    assert np.allclose(design.scores(W), Z @ design.original(W).T)
