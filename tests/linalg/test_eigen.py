"""Leading eigenvectors by Lanczos' method and by LAPACK."""

import numpy as np
import pytest
from scipy import sparse

from cscluster.linalg import eigen
from cscluster.linalg.eigen import leading_eigenvectors


def path(n, dtype=np.float64):
    """Return a path, whose largest eigenvalues are cos(pi / (n + 1)), cos(2 pi / (n + 1)), ..."""
    half = np.full(n - 1, 0.5, dtype=dtype)
    return np.diag(half, 1) + np.diag(half, -1)


@pytest.mark.parametrize("lapack", [0, 40])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_both_ways_find_the_largest_first(lapack, form):
    A = path(40)
    s, V = leading_eigenvectors(form(A), 3, np.random.default_rng(0), lapack=lapack)
    np.testing.assert_allclose(s, np.cos(np.arange(1, 4) * np.pi / 41), atol=1e-10)
    np.testing.assert_allclose(A @ V, V * s, atol=1e-8)
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-8)


def test_eigenvalues_too_close_for_single_precision_are_found_all_the_same():
    n = 1500
    A = path(n, np.float32)
    s, V = leading_eigenvectors(A, 3, np.random.default_rng(0), lapack=500, restarts=500)
    np.testing.assert_allclose(s, np.cos(np.arange(1, 4) * np.pi / (n + 1)), atol=1e-6)
    np.testing.assert_allclose(A @ V, V * s, atol=1e-5)


@pytest.mark.skipif(not eigen._TAKES_RNG, reason="SciPy draws the vectors itself")
def test_a_matrix_of_low_rank_has_the_same_vectors_each_time():
    A = np.diag(np.repeat([1.0, 0.0], [5, 55]))
    first, second = (leading_eigenvectors(A, 12, np.random.default_rng(1), lapack=10)[1] for _ in range(2))
    assert np.array_equal(first, second)
