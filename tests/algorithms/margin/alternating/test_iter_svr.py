import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVR

from cscluster import IterSVR, load_dataset
from cscluster.algorithms.margin.alternating._primal_svr import primal_svr
from cscluster.algorithms.margin.alternating.iter_svr import feature_svr_learner, svr_learner
from cscluster.linalg.kernels import Kernel, Nystroem
from cscluster.metrics.scores import score


def svr_objective(w, residuals, C, epsilon):
    return w @ w / 2 + C * np.maximum(np.abs(residuals) - epsilon, 0).sum()


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.5])
def test_newton_solves_the_primal(C, epsilon):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(200, 5))
    y = np.sign(F[:, 0] + rng.normal(size=200))
    w, b = primal_svr(F, y, C, epsilon)
    libsvm = SVR(kernel="linear", C=C, epsilon=epsilon, tol=1e-6).fit(F, y)
    best = svr_objective(libsvm.coef_[0], F @ libsvm.coef_[0] + libsvm.intercept_ - y, C, epsilon)
    value = svr_objective(w, F @ w + b - y, C, epsilon)
    assert best <= value * (1 + 1e-6)
    assert value <= best + C * len(y) * 0.01 / 2  # what rounding the corners may cost
    assert value <= 1.005 * best


def test_a_warm_start_ends_at_the_same_point():
    rng = np.random.default_rng(1)
    F = rng.normal(size=(300, 8))
    y = np.sign(F[:, 0] + rng.normal(size=300))
    w, _ = primal_svr(F, y, 10.0, 0.05)
    y[::20] *= -1
    cold, b_cold = primal_svr(F, y, 10.0, 0.05)
    warm, b_warm = primal_svr(F, y, 10.0, 0.05, w)
    np.testing.assert_allclose(warm, cold, atol=2e-3)
    assert b_warm == pytest.approx(b_cold, abs=2e-3)


def test_features_of_all_samples_give_the_exact_scores():
    X = load_dataset("optdigits_2_7").X.astype(float)
    kernel = Kernel.of("gaussian", X, 2.0, "median")
    y = np.where(np.arange(len(X)) % 3 == 0, 1.0, -1.0)[:, None]
    exact = svr_learner(kernel, X, 1.0, 0.05).train(y, None)
    features = Nystroem.fit(kernel, X, len(X), np.random.default_rng(0))
    approximate = feature_svr_learner(features, X, 1.0, 0.05).train(y, None)
    assert approximate.objective[0] == pytest.approx(exact.objective[0], rel=0.01)
    np.testing.assert_allclose(np.ptp(approximate.scores - exact.scores), 0, atol=0.05)


def test_nystroem_agrees_with_the_exact_kernel():
    data = load_dataset("optdigits_2_7")
    exact = IterSVR(sigma=16, balance=0.03, random_state=0).fit(data.X)
    rough = IterSVR(sigma=16, balance=0.03, random_state=0, n_landmarks=100).fit(data.X)
    assert score("error", data.y, exact.labels_) < 0.01
    assert score("ari", exact.labels_, rough.labels_) > 0.97
    assert np.array_equal(rough.predict(data.X), rough.labels_)


def test_sparse_samples_give_the_same_labels():
    X = load_dataset("optdigits_2_7").X.astype(float)
    dense = IterSVR(sigma=16, random_state=0, n_landmarks=50).fit(X)
    csr = IterSVR(sigma=16, random_state=0, n_landmarks=50).fit(sparse.csr_array(X))
    assert score("ari", dense.labels_, csr.labels_) == 1
    assert np.array_equal(csr.predict(sparse.csr_array(X)), csr.labels_)


def test_a_wide_epsilon_takes_the_gain_away():
    """Fig. 5 of zhang2009: with epsilon = 0.9 the right elbow of the loss no longer acts."""
    data = load_dataset("optdigits_3_9")
    shared = {"kernel": "linear", "C": 0.001, "init": "normalized_cut", "init_sigma": 1.4, "balance": 0.03}
    error = [
        score("error", data.y, IterSVR(epsilon=e, random_state=0, **shared).fit(data.X).labels_)
        for e in (0.0, 0.9)
    ]
    assert error[0] < 0.05 < error[1]


def test_starts_from_kmeans_with_random_or_far_seeds():
    X = np.r_[np.zeros((40, 2)), np.full((40, 2), 5.0)] + np.random.default_rng(0).normal(size=(80, 2))
    for init in ("kmeans", "random_kmeans", "far_kmeans"):
        labels = IterSVR(init=init, n_starts=1, balance=0.03, random_state=0).fit(X).labels_
        assert abs(labels[:40].mean() - labels[40:].mean()) == 1.0, init
