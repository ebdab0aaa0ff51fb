import builtins
import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from cscluster import MMC
from cscluster.algorithms.margin.sdp.mmc_sdp import lower_bound
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.kernels import Kernel


def clouds(n=6, gap=5.0):
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(n, 2)), rng.normal(gap, 1, size=(n, 2))])


def svm_value(K, y, C):
    """Value of the SVM without bias for labels y, through its dual."""
    Q = K * np.outer(y, y)
    best = minimize(
        lambda a: a @ Q @ a - 2 * a.sum(),
        np.zeros(len(y)),
        jac=lambda a: 2 * Q @ a - 2,
        bounds=[(0, C)] * len(y),
        method="L-BFGS-B",
    )
    return -best.fun


def test_value_is_certified_and_bounds_every_labelling():
    pytest.importorskip("cvxpy")
    X = clouds()
    K = Kernel.of("gaussian", X, 1.0, "median")(X)
    model = MMC(C=10.0, balance=0.1, tol=1e-6).fit(X)
    value = model.objective_[0]
    assert model.converged_
    assert abs(model.gap_) < 1e-3 * value
    labellings = [2.0 * np.array(y) - 1 for y in itertools.product((0, 1), repeat=12) if 5 <= sum(y) <= 7]
    rng = np.random.default_rng(0)
    some = [labellings[i] for i in rng.choice(len(labellings), 30, replace=False)]
    truth = np.repeat([-1.0, 1.0], 6)
    assert all(svm_value(K, y, 10.0) >= value * (1 - 1e-4) for y in [truth, *some])
    assert np.array_equal(model.labels_ == model.labels_[0], truth == truth[0])


def test_the_lower_bound_needs_no_optimal_multipliers():
    pytest.importorskip("cvxpy")
    X = clouds()
    K = Kernel.of("gaussian", X, 1.0, "median")(X)
    value = MMC(C=10.0, balance=0.1, tol=1e-6).fit(X).objective_[0]
    rng = np.random.default_rng(0)
    for _ in range(10):
        y = np.sign(rng.normal(size=12))
        bound = lower_bound(K, np.outer(y, y), rng.uniform(0, 3, 12), rng.normal(size=12), 2 * 0.1 * 12)
        assert bound <= value * (1 + 1e-4)


def test_says_what_is_wrong(monkeypatch):
    with pytest.raises(DataError, match=r"MMC.*\b2\b.*150.*151.*GMMC.*IterSVR"):
        MMC().fit(np.arange(151.0)[:, None])
    original = builtins.__import__

    def without_cvxpy(name, *args, **kwargs):
        if name == "cvxpy":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_cvxpy)
    with pytest.raises(ParameterError, match=r"MMC.*cvxpy.*'cscluster\[sdp\]'"):
        MMC().fit(np.arange(4.0)[:, None])
