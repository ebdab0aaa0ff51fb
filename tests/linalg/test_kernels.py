import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist

from cscluster.errors import DataError
from cscluster.linalg import kernels
from cscluster.linalg.kernels import Kernel, Nystroem, gaussian_weights, median_distance


@pytest.fixture(name="X")
def samples():
    return np.random.default_rng(0).normal(size=(60, 5))


def test_gaussian_divides_by_sigma_squared(X):
    K = Kernel("gaussian", 2.0)(X, X[:7])
    np.testing.assert_allclose(K, np.exp(-(cdist(X, X[:7]) ** 2) / 4.0), atol=1e-14)


def test_linear_is_the_inner_product(X):
    np.testing.assert_allclose(Kernel("linear")(X, X[:7]), X @ X[:7].T, atol=1e-14)


@pytest.mark.parametrize("name", ["gaussian", "linear"])
def test_sparse_samples_and_blocks_agree(X, name, monkeypatch):
    kernel = Kernel(name, 1.5)
    K = kernel(X)
    monkeypatch.setattr(kernels, "_BLOCK_BYTES", 1000)
    np.testing.assert_allclose(kernel(X), K, atol=1e-14)
    np.testing.assert_allclose(kernel(sparse.csr_array(X)), K, atol=1e-14)


def test_sigma_may_count_median_distances(X):
    assert median_distance(X) == pytest.approx(np.median(pdist(X)))
    assert Kernel.of("gaussian", X, 3.0, "median").sigma == pytest.approx(3 * np.median(pdist(X)))
    assert Kernel.of("gaussian", X, 3.0, "data").sigma == 3.0
    with pytest.raises(DataError, match=r"median distance.*sigma_unit.*'data'"):
        Kernel.of("gaussian", np.ones((4, 2)), 1.0, "median")


def test_median_of_a_large_set_is_close_to_the_whole():
    X = np.random.default_rng(1).normal(size=(3000, 3))
    assert median_distance(X) == pytest.approx(np.median(pdist(X)), rel=0.02)


@pytest.mark.parametrize("name", ["gaussian", "linear"])
def test_nystroem_is_exact_on_all_landmarks_and_close_below(X, name):
    kernel = Kernel(name, 3.0)
    rng = np.random.default_rng(2)
    full = Nystroem.fit(kernel, X, 1000, rng)(X)
    np.testing.assert_allclose(full @ full.T, kernel(X), atol=1e-7)
    some = Nystroem.fit(kernel, X, 30, rng)
    assert np.linalg.norm(some(X) @ some(X).T - kernel(X)) < 0.05 * np.linalg.norm(kernel(X))
    Z = some.landmarks
    np.testing.assert_allclose(some(Z) @ some(Z).T, kernel(Z), atol=1e-7)


def test_small_integers_do_not_overflow():
    X = np.random.default_rng(0).integers(0, 255, size=(20, 6)).astype(np.uint8)
    assert median_distance(X) == pytest.approx(np.sqrt(np.median(pdist(X) ** 2)))
    np.testing.assert_allclose(Kernel("linear")(X), X.astype(float) @ X.T.astype(float))


def test_weights_of_neighbours_fall_with_their_distance_and_are_one_where_all_coincide():
    squared = np.array([0.0, 1.0, 4.0])
    assert gaussian_weights(squared, 2.0) == pytest.approx([1.0, np.exp(-0.5), np.exp(-2.0)])
    assert gaussian_weights(np.zeros(3), 0.0).tolist() == [1.0, 1.0, 1.0]
