"""Speed of the iterative margin methods, as ratios of times measured in one run."""

from time import perf_counter

import numpy as np
import pytest
from scipy.linalg import cho_factor
from sklearn.svm import SVR

from cscluster import IterLSSVM, IterSVR, load_dataset
from cscluster.data.recipe import Recipe
from cscluster.linalg.kernels import Kernel


def seconds(action, repeats=1):
    """Return the shortest time of a few repeats."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return min(times)


@pytest.mark.slow
def test_iter_svr_on_satellite_against_twelve_plain_fits():
    X = load_dataset("satellite_12").X.astype(float)
    model = IterSVR(sigma=32, balance=0.15, random_state=0)
    whole = seconds(lambda: model.fit(X), repeats=3)
    K = Kernel.of("gaussian", X, 32, "median")(X)
    y = 2.0 * model.labels_ - 1
    one = seconds(lambda: SVR(kernel="precomputed", C=500, epsilon=0.05).fit(K, y), repeats=3)
    print(f"\niter_svr, satellite: {whole:.2f} s = {whole / one:.1f} SVR fits (target: below 12)")


@pytest.mark.slow
def test_iter_lssvm_on_ringnorm_against_cholesky():
    X = load_dataset(Recipe(generator="ringnorm", size=7000)).X

    def factorise():
        M = Kernel.of("gaussian", X, 4, "median")(X)
        M[np.diag_indices(len(M))] += 0.01
        start = perf_counter()
        cho_factor(M.T, lower=True, overwrite_a=True, check_finite=False)
        return perf_counter() - start

    cholesky = min(factorise() for _ in range(2))
    once = seconds(lambda: IterLSSVM(sigma=4, balance=0.03, n_starts=1, random_state=0).fit(X), repeats=2)
    ten = seconds(
        lambda: IterLSSVM(sigma=4, balance=0.03, n_starts=1, n_init=10, random_state=0).fit(X), repeats=2
    )
    print(f"\niter_lssvm, ringnorm 7000: {once:.2f} s = {once / cholesky:.2f} Cholesky (target: at most 3)")
    print(f"iter_lssvm, ten restarts: {ten:.2f} s = {ten / once:.2f} times one (target: below 2)")


@pytest.mark.slow
@pytest.mark.parametrize("method", [IterLSSVM, IterSVR])
def test_large_data_by_nystroem_features(method):
    X = load_dataset("adult_a9a").X
    time = seconds(lambda: method(sigma=16, balance=0.03, n_landmarks=200, random_state=0).fit(X))
    print(f"\n{method.__name__}, adult 32561 x 123, 200 landmarks: {time:.1f} s")
