from types import SimpleNamespace

import numpy as np
import pytest

from cscluster import IterLSSVM, IterSVR, load_dataset
from cscluster.algorithms.margin.alternating import iter_lssvm
from cscluster.algorithms.margin.alternating.iter_lssvm import feature_lssvm_learner, lssvm_learner
from cscluster.errors import DataError
from cscluster.linalg.kernels import Kernel, Nystroem
from cscluster.metrics.scores import contingency


@pytest.fixture(name="X")
def samples():
    return np.random.default_rng(0).normal(size=(40, 3))


@pytest.fixture(name="Y")
def labels():
    return np.random.default_rng(1).choice([-1.0, 1.0], size=(40, 3))


def test_solves_the_linear_system_of_the_ls_svm(X, Y):
    kernel, C = Kernel("gaussian", 2.0), 5.0
    K = kernel(X)
    trained = lssvm_learner(kernel, X, C).train(Y, None)
    bordered = np.block([[np.zeros((1, 1)), np.ones((1, 40))], [np.ones((40, 1)), K + np.eye(40) / C]])
    solution = np.linalg.solve(bordered, np.vstack([np.zeros(3), Y]))
    np.testing.assert_allclose(trained.coefficients, solution[1:], atol=1e-9)
    np.testing.assert_allclose(trained.scores, K @ solution[1:], atol=1e-9)
    residuals = Y - K @ solution[1:] - solution[0]
    primal = np.einsum("ij,ik,kj->j", solution[1:], K, solution[1:]) + C * (residuals**2).sum(axis=0)
    np.testing.assert_allclose(trained.objective, primal)


def test_features_of_all_samples_give_the_exact_machine(X, Y):
    kernel, C = Kernel("gaussian", 2.0), 5.0
    features = Nystroem.fit(kernel, X, 40, np.random.default_rng(0))
    exact = lssvm_learner(kernel, X, C).train(Y, None)
    explicit = feature_lssvm_learner(features, X, C).train(Y, None)
    np.testing.assert_allclose(explicit.scores, exact.scores, atol=1e-7)
    np.testing.assert_allclose(explicit.objective, exact.objective)


def test_restarts_and_iterations_share_one_factorisation(monkeypatch):
    calls = []
    original = iter_lssvm.cho_factor
    monkeypatch.setattr(iter_lssvm, "cho_factor", lambda *a, **k: calls.append(1) or original(*a, **k))
    model = IterLSSVM(sigma=32, init="random", n_init=10, random_state=0)
    model.fit(load_dataset("optdigits_2_7").X)
    assert len(calls) == 1
    assert model.n_iter_ > 1


@pytest.mark.parametrize("method", [IterLSSVM, IterSVR])
def test_adult_runs_where_the_kernel_matrix_would_not_fit(method, monkeypatch):
    monkeypatch.setattr("cscluster.arrays.psutil.virtual_memory", lambda: SimpleNamespace(available=2**30))
    data = load_dataset("adult_a9a")
    with pytest.raises(DataError, match=r"32561 x 32561.*7\.9 GB.*n_landmarks"):
        method().fit(data.X)
    model = method(sigma=16, n_landmarks=50, balance=0.03, n_starts=1, random_state=0).fit(data.X)
    assert model.converged_
    share = contingency(data.y, model.labels_) / np.bincount(data.y)[:, None]
    assert max(np.trace(share), np.trace(share[:, ::-1])) / 2 > 0.7  # k-means: 0.73
