"""Speed of the metric learners, as ratios of two times of the same run."""

import importlib.util
from collections.abc import Callable
from time import perf_counter

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from cscluster import ITML, KMeans, TraceRatio, load_dataset
from cscluster.experiment.config.schedules import BalancedPairs, RandomPairs
from cscluster.linalg.lle import reconstruction_weights

pytestmark = pytest.mark.slow


def seconds(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the best of a few times."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return min(times)


def standardized(name):
    data = load_dataset(name)
    s = data.X.std(axis=0)
    return (data.X - data.X.mean(axis=0)) / np.where(s > 0, s, 1), data.y


def test_linear_trace_ratio_at_784_features():
    X, y = standardized("mnist_6789")
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)  # no constant pixels: all 784 count
    links = BalancedPairs(counts=[30]).episode(30, y, 0, "mnist_6789", 0).tiers[0]
    A = X.T @ X
    whole = seconds(lambda: TraceRatio().fit(X, constraints=links))
    eigen = seconds(lambda: np.linalg.eigh(A))
    weights = seconds(lambda: reconstruction_weights(X, 10))
    print(
        f"\ntrace_ratio linear, d = 784, n = 2000: {whole / eigen:.1f} eigendecompositions "
        f"({weights / eigen:.1f} of them for the neighbours' weights)"
    )


def test_nonlinear_trace_ratio_at_2000_samples():
    X, y = standardized("mnist_6789")
    links = BalancedPairs(counts=[30]).episode(30, y, 0, "mnist_6789", 0).tiers[0]
    m = len(np.unique(links.must_links))
    fit = seconds(lambda: TraceRatio(map="nonlinear").fit(X, constraints=links))
    start = seconds(lambda: KMeans(n_clusters=4, n_init=1, random_state=0).fit(X))
    print(f"\ntrace_ratio nonlinear, n = 2000, m = {m}: {fit / start:.1f} fits of k-means (one start)")


METRIC_LEARN_ITML = 17.6
"""Time of metric-learn's ITML on the 1000 pairs below, in fits of scikit-learn's k-means on one thread.

Measured with metric-learn 0.7.0, scikit-learn 1.5.2, numpy 2.2.6 and Python 3.11 (17.2, 17.6 and 18.2 in
three runs): that release does not work with newer versions of scikit-learn.
"""


def test_itml_at_1000_pairs():
    data = load_dataset("optdigits_test")
    links = RandomPairs(counts=[1000]).episode(1000, data.y, 0, "optdigits_test", 0).tiers[0]
    rounds = ITML().fit(data.X, constraints=links).n_iter_
    with threadpool_limits(1):
        fit = seconds(lambda: ITML().fit(data.X, constraints=links), repeats=5)
        unit = seconds(lambda: KMeans(n_clusters=10, n_init=1, random_state=0).fit(data.X), repeats=10)
        theirs, how = METRIC_LEARN_ITML * unit, "as stored"
        if importlib.util.find_spec("metric_learn"):
            theirs, how = seconds(lambda: fit_metric_learn(data.X, links)), "measured"
    print(
        f"\nitml, 1000 pairs of optdigits: {fit:.3f} s for {rounds} rounds, {fit / unit:.1f} fits of k-means, "
        f"{fit / theirs:.2f} of metric-learn's time ({how})"
    )


def fit_metric_learn(X, links):
    """Fit metric-learn's ITML to the same links."""
    import metric_learn

    pairs = np.concatenate([links.must_links, links.cannot_links])
    labels = np.where(np.arange(len(pairs)) < len(links.must_links), 1, -1)
    metric_learn.ITML(preprocessor=X).fit(pairs, labels)


@pytest.mark.parametrize("d", [5, 50])
def test_neighbour_weights_of_100_000_samples(d):
    X = np.random.default_rng(0).normal(size=(100_000, d))
    taken = seconds(lambda: reconstruction_weights(X, 10), repeats=1)
    start = seconds(lambda: KMeans(n_clusters=4, n_init=1, random_state=0).fit(X))
    print(f"\nlocally linear weights, n = 100 000, d = {d}, k = 10: {taken / start:.1f} fits of k-means")
