import numpy as np
import pytest

from cscluster import load_dataset
from cscluster.errors import ParameterError
from cscluster.linalg.lle import reconstruction_scatter, reconstruction_weights


def test_weights_sum_to_one_over_the_nearest_neighbours():
    X = load_dataset("iris").X
    S = reconstruction_weights(X, 5)
    np.testing.assert_allclose(S.sum(axis=1), 1.0)
    assert (S.diagonal() == 0).all()
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    for i in range(0, 150, 10):
        farthest = squared[i, S.indices[S.indptr[i] : S.indptr[i + 1]]].max()
        assert (squared[i] < farthest - 1e-12).sum() < 5


def test_weights_are_optimal():
    # k < d and no ridge: the error cannot be lowered by moving weight between two neighbours.
    X = np.random.default_rng(0).normal(size=(40, 6))
    S = reconstruction_weights(X, 4, ridge=0.0)
    R = X - S @ X
    for i in range(40):
        neighbours = S.indices[4 * i : 4 * i + 4]
        gradient = X[neighbours] @ R[i]
        np.testing.assert_allclose(gradient, gradient[0], atol=1e-9)


def test_flat_samples_are_rebuilt_and_duplicates_do_no_harm():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 5))
    S = reconstruction_weights(X, 6, ridge=1e-9)
    np.testing.assert_allclose(S @ X, X, atol=1e-5)
    S = reconstruction_weights(np.zeros((5, 2)), 3)
    np.testing.assert_allclose(S.data, 1 / 3)


def test_batches_agree_with_one_solve(monkeypatch):
    X = load_dataset("iris").X
    whole = reconstruction_weights(X, 7)
    monkeypatch.setattr("cscluster.linalg.lle._BATCH_NUMBERS", 500)
    np.testing.assert_allclose(reconstruction_weights(X, 7).toarray(), whole.toarray())


def test_scatter_is_the_quadratic_form_of_e():
    X = np.random.default_rng(1).normal(size=(30, 4))
    S = reconstruction_weights(X, 5)
    E = (np.eye(30) - S).T @ (np.eye(30) - S)
    np.testing.assert_allclose(reconstruction_scatter(X, S), X.T @ E @ X)


def test_too_many_neighbours():
    with pytest.raises(ParameterError, match=r"'n_neighbors'.*\b5 samples.*\b5\b"):
        reconstruction_weights(np.eye(5), 5)
