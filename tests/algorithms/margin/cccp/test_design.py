import numpy as np
import pytest
from scipy import sparse

from cscluster.algorithms.margin.cccp.design import Design, Gram, add_row, row_scores


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
    add_row.py_func(design.rows, 4, V, a)
    expected = A.T @ Z + W + np.outer(a, Z[4])
    assert np.allclose(design.weights(V), expected)
    s = np.empty(3)
    for i in range(9):
        row_scores.py_func(design.rows, i, V, s)
        assert np.allclose(s, expected @ Z[i])


def test_rotation_keeps_inner_products_and_scores():
    X = np.random.default_rng(3).normal(size=(5, 40))
    design = Design.of(X, X.mean(axis=0), bias=False)
    Z = X - X.mean(axis=0)
    assert design.X.shape == (5, 5)
    assert np.allclose(design.X @ design.X.T, Z @ Z.T)
    W = np.random.default_rng(4).normal(size=(2, 5))
    assert np.allclose(design.scores(W), Z @ design.original(W).T)


@pytest.fixture
def few():
    """Return a few centred samples, and their design by inner products."""
    X = np.random.default_rng(5).normal(size=(7, 6))
    design = Design.of(X, X.mean(axis=0), bias=True).compact()
    assert isinstance(design, Gram)
    return np.hstack([X - X.mean(axis=0), np.ones((7, 1))]), design


def test_inner_products_stand_for_few_samples(few):
    Z, design = few
    A, w = np.random.default_rng(6).normal(size=(7, 3)), Z.T @ np.arange(7.0)
    V, expected = design.combine(A), A.T @ Z
    assert np.allclose(design.original(V), expected)
    assert np.allclose(design.scores(V), Z @ expected.T)
    assert design.square(V) == pytest.approx((expected**2).sum())
    assert np.allclose(design.inner(V, design.combine(np.arange(7.0)[:, None])[0]), expected @ w)
    assert np.allclose(design.sum, design.combine(np.ones((7, 1)))[0])
    assert np.allclose(design.squared_norms, (Z**2).sum(axis=1))
    assert np.allclose(design.products(np.array([0, 3]), np.array([5, 4])), [Z[0] @ Z[5], Z[3] @ Z[4]])
    assert not design.original(design.zero(3)).any()
    few_used = np.where(np.arange(7)[:, None] < 2, A, 0.0)
    assert np.allclose(design.scores(design.combine(few_used)), Z @ Z.T @ few_used)


def test_compiled_loops_keep_weights_and_scores_of_few_samples_together(few):
    Z, design = few
    A, a, s = np.random.default_rng(7).normal(size=(7, 3)), np.array([0.5, 0.0, -2.0]), np.empty(3)
    V = design.extended(A)
    add_row.py_func(design.rows, 4, V, a)
    expected = A.T @ Z + np.outer(a, Z[4])
    assert np.allclose(design.original(V), expected)
    for i in range(7):
        row_scores.py_func(design.rows, i, V, s)
        assert np.allclose(s, expected @ Z[i])


def test_some_of_few_samples_have_weights_for_all(few):
    Z, design = few
    index = np.array([1, 2, 5])
    near, A = design.rows_at(index), np.random.default_rng(8).normal(size=(3, 2))
    V = near.combine(A)
    assert np.allclose(near.scores(V), Z[index] @ Z[index].T @ A)
    W = near.original(V)
    assert np.allclose(design.original(W), A.T @ Z[index])
    assert np.allclose(design.scores(W), Z @ Z[index].T @ A)


def test_many_samples_and_sparse_ones_stay_as_they_are():
    X = np.random.default_rng(9).normal(size=(30, 6))
    for given in (X, sparse.csr_array(X[:5])):
        design = Design.of(given, X.mean(axis=0), bias=False)
        assert design.compact() is design
