import numpy as np
import pytest

from cscluster.linalg.psd import (
    inverse_sqrt,
    nearest_psd,
    top_eigenpairs,
)


def random_psd(d, rank, seed=0):
    R = np.random.default_rng(seed).normal(size=(rank, d))
    return R.T @ R


def test_inverse_sqrt_is_the_root_of_the_pseudo_inverse():
    A = random_psd(6, 4)
    B, rank = inverse_sqrt(A)
    assert rank == 4
    np.testing.assert_allclose(B @ B, np.linalg.pinv(A, hermitian=True), atol=1e-8)


def test_nearest_psd_lifts_small_eigenvalues_to_the_floor():
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    A = (vectors * [-1.0, 0.2, 2.0]) @ vectors.T
    np.testing.assert_allclose(nearest_psd(A), (vectors * [0.0, 0.2, 2.0]) @ vectors.T, atol=1e-12)
    np.testing.assert_allclose(nearest_psd(A, 0.5), (vectors * [0.5, 0.5, 2.0]) @ vectors.T, atol=1e-12)


@pytest.mark.parametrize("r", [1, 3, 15, 30])
def test_top_eigenpairs(r):
    A = random_psd(30, 40) - 20 * np.eye(30)
    values, W = top_eigenpairs(A, r)
    np.testing.assert_allclose(W.T @ W, np.eye(r), atol=1e-10)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(A)[::-1][:r], atol=1e-9)
    np.testing.assert_allclose(W.T @ A @ W, np.diag(values), atol=1e-9)
