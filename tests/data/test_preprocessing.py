from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from cscluster.data.dataset import Dataset
from cscluster.data.preprocessing import STEPS, apply, parse
from cscluster.errors import DataError

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (30, 5)) * np.array([1, 2, 3, 4, 0.5])
U = RNG.integers(0, 4, (7, 5)) * np.array([1, 2, 3, 4, 0.5])
DATA = Dataset("toy", X, np.arange(30) % 2, ["p", "q"], X_unseen=U, y_unseen=np.arange(7) % 2)
SPARSE = replace(DATA, X=sparse.csr_array(X), X_unseen=sparse.csr_array(U))


def done(steps, data=DATA):
    """The samples and the unseen ones after some steps, as dense arrays."""
    result = apply(steps, data)
    return [Z.toarray() if sparse.issparse(Z) else Z for Z in (result.X, result.X_unseen)]


def kernel(A, B, sigma):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2) / sigma**2)


def test_no_steps_make_floats_of_the_samples():
    data = replace(DATA, X=X.astype(np.uint8), X_unseen=None)
    result = apply([], data)
    assert result.X.dtype == np.float64
    assert result.X_unseen is None
    assert result.y is data.y


def test_without_steps_samples_too_large_for_floats_keep_their_type():
    large = replace(
        DATA, X=np.broadcast_to(np.uint8(7), (2**21, 1024)), y=None, classes=[], X_unseen=None, y_unseen=None
    )  # one byte, seen as 2 GB of small integers
    assert apply([], large).X is large.X


def test_center():
    Z, V = done(["center"])
    assert np.allclose(Z, X - X.mean(axis=0))
    assert np.allclose(V, U - X.mean(axis=0))


def test_standardize():
    Z, V = done(["standardize"])
    assert np.allclose(Z, (X - X.mean(axis=0)) / X.std(axis=0))
    assert np.allclose(V, (U - X.mean(axis=0)) / X.std(axis=0))
    Z, V = done(["standardize"], SPARSE)
    assert np.allclose(Z, X / X.std(axis=0))
    assert np.allclose(V, U / X.std(axis=0))


def test_scale01():
    Z, V = done(["scale01"])
    assert np.allclose((Z.min(axis=0), Z.max(axis=0)), ([0] * 5, [1] * 5))
    assert np.allclose(V, (U - X.min(axis=0)) / np.ptp(X, axis=0))
    Z, V = done(["scale01"], SPARSE)
    assert np.allclose(Z, X / X.max(axis=0))
    assert np.allclose(V, U / X.max(axis=0))


@pytest.mark.parametrize("data", [DATA, SPARSE], ids=["dense", "sparse"])
def test_l2(data):
    for Z, before in zip(done(["l2"], data), (X, U), strict=True):
        length = np.linalg.norm(before, axis=1, keepdims=True)
        assert np.allclose(Z, before / np.where(length > 0, length, 1))


def test_pca_maps_unseen_samples_by_the_same_components():
    Z, V = done([{"pca": {"n": 2}}])
    axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:2]
    signs = np.sign((Z * ((X - X.mean(axis=0)) @ axes.T)).sum(axis=0))
    assert np.allclose(Z, (X - X.mean(axis=0)) @ axes.T * signs)
    assert np.allclose(V, (U - X.mean(axis=0)) @ axes.T * signs)
    assert done([{"pca": {"n": 99}}])[0].shape == (30, 5)


def test_kernel_pca_keeps_the_distances_of_the_kernels_space():
    sigma = 2.5
    Z, V = done([{"kernel_pca": {"sigma": sigma}}])
    squared = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    assert np.allclose(squared, 2 - 2 * kernel(X, X, sigma), atol=1e-8)
    # Inner products of unseen with seen samples, centred as the seen ones are.
    K, k = kernel(X, X, sigma), kernel(U, X, sigma)
    centred = k - k.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()
    assert np.allclose(V @ Z.T, centred, atol=1e-8)
    assert done([{"kernel_pca": {"n": 3}}])[0].shape == (30, 3)


def test_linear_kernel_pca_is_pca():
    linear, plain = done([{"kernel_pca": {"n": 2}}])[0], done([{"pca": {"n": 2}}])[0]
    assert np.allclose(np.abs(linear), np.abs(plain))


@pytest.mark.parametrize("data", [DATA, SPARSE], ids=["dense", "sparse"])
def test_tfidf_leaves_dense_data_dense_and_sparse_data_sparse(data):
    expected = TfidfTransformer().fit(X)
    Z, V = done(["tfidf"], data)
    assert np.allclose(Z, expected.transform(X).toarray())
    assert np.allclose(V, expected.transform(U).toarray())
    assert sparse.issparse(apply(["tfidf"], data).X) == sparse.issparse(data.X)


@pytest.mark.parametrize("step", ["standardize", "scale01", "l2", "tfidf"])
def test_sparse_data_stays_sparse(step):
    result = apply([step], SPARSE)
    for Z in (result.X, result.X_unseen):
        assert isinstance(Z, sparse.csr_array)
        assert Z.dtype == np.float64


@pytest.mark.parametrize("step", ["center", {"pca": {"n": 2}}, "kernel_pca"])
def test_sparse_data_is_made_dense_only_on_demand(step):
    with pytest.raises(DataError, match=r"sparse.*'toy'.*'dense'"):
        apply([step], SPARSE)
    assert np.allclose(np.abs(done(["dense", step], SPARSE)[0]), np.abs(done([step])[0]))
    assert not sparse.issparse(apply(["dense", step], SPARSE).X)


def test_names_of_columns_last_as_long_as_the_columns():
    data = replace(DATA, features=list("abcde"), image=(1, 5))
    kept, mixed = apply(["standardize"], data), apply([{"pca": {"n": 2}}], data)
    assert (kept.features, kept.image) == (list("abcde"), (1, 5))
    assert (mixed.features, mixed.image) == ([], None)


def test_steps_follow_one_another():
    assert np.allclose(done(["standardize", "l2"])[0], done(["l2"], apply(["standardize"], DATA))[0])


def test_constant_columns_do_no_harm():
    data = replace(DATA, X=np.ones((30, 5)))
    for step in ("center", "standardize", "scale01", "l2"):
        assert np.isfinite(np.concatenate(done([step], data))).all()


def test_canonical_form():
    assert parse(["center", {"pca": {"n": 2}}, {"l2": {}}, {"kernel_pca": {"n": None, "sigma": 2.0}}]) == [
        ("center", {}),
        ("pca", {"n": 2}),
        ("l2", {}),
        ("kernel_pca", {"sigma": 2.0}),
    ]
    asked = {"center", "standardize", "scale01", "l2", "pca", "kernel_pca", "tfidf"}
    assert asked <= set(STEPS)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ("centre", "step 'centre'.*'center'"),
        ("pca", "'pca'.*n: .*required"),
        ({"pca": {"n": 0}}, r"'pca'.*n: .*greater.*\b1\b"),
        ({"pca": {"n": "2"}}, "'pca'.*n: .*integer"),
        ({"pca": {"n": 2, "m": 3}}, "'pca'.*m: .*extra"),
        ({"pca": 2}, "'pca'.*dictionary"),
        ({"kernel_pca": {"sigma": -1.0}}, "'kernel_pca'.*sigma: .*greater"),
        ({}, r"\{name: \{parameter: value\}\}.* \{\}\."),
        ({"l2": {}, "center": {}}, "{name: {parameter: value}}.*'l2'"),
        (3, r"{name: {parameter: value}}.*\b3\b"),
    ],
)
def test_says_what_is_wrong_with_a_step(step, message):
    with pytest.raises(DataError, match=message):
        parse([step])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_too_large_for_a_step_are_told():
    large = replace(DATA, X=np.where(np.arange(30)[:, None] == 3, 1e308, -1e308) * np.ones((1, 5)))
    with pytest.raises(DataError, match=r"'standardize'.*'toy'.*infinite"):
        apply(["standardize"], large)
