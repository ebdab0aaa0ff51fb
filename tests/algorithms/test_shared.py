"""Shared work: computed once, and nobody can tell."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse

from cscluster import KMeans
from cscluster.algorithms import shared
from cscluster.algorithms.shared import clock, is_shared, of_samples, once, sharing, sharing_parts

X = np.arange(6.0).reshape(3, 2)


@pytest.fixture(autouse=True)
def nothing_shared_before():
    shared.forget()
    yield
    shared.forget()


class Work:
    """Computes 1, 2, 3, ..., each in five seconds of a clock of its own."""

    def __init__(self, monkeypatch):
        self.values, self.now = itertools.count(1), 0.0
        for name in ("perf_counter", "process_time"):
            monkeypatch.setattr(shared.time, name, lambda: self.now)

    def __call__(self):
        self.now += 5.0
        return next(self.values)


@pytest.fixture
def compute(monkeypatch):
    return Work(monkeypatch)


def test_outside_of_sharing_everything_is_computed(compute):
    assert [once(X, ("a",), 0, compute) for _ in range(2)] == [1, 2]


@pytest.mark.parametrize("samples", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
def test_inside_it_is_computed_once_for_each_key_and_seed(samples, compute):
    with sharing(samples):
        assert [once(samples, ("a",), 0, compute) for _ in range(2)] == [1, 1]
        assert once(samples, ("b",), 0, compute) == 2
        assert once(samples, ("a",), 1, compute) == 3
        assert [once(samples, ("a",), None, compute) for _ in range(2)] == [4, 5]
    with sharing(samples):
        assert once(samples, ("a",), 0, compute) == 1


def test_other_samples_share_nothing(compute):
    with sharing(X):
        assert [once(other, ("a",), 0, compute) for other in (X, X.copy(), X[:2], X.T)] == [1, 2, 3, 4]
    with sharing(X.copy()):
        assert once(X, ("a",), 0, compute) == 5


def test_what_follows_from_the_samples_alone_outlives_many_other_results(compute):
    assert [of_samples(X, ("a",), compute) for _ in range(2)] == [1, 2]
    with sharing(X):
        assert of_samples(X, ("a",), compute) == 3
        for key in range(100):
            once(X, (key,), 0, lambda: None)
        assert of_samples(X, ("a",), compute) == 3
        assert of_samples(X, ("b",), compute) == 4
        assert of_samples(X.copy(), ("a",), compute) == 5


def test_samples_are_shared_inside_of_sharing_only():
    assert not is_shared(X)
    with sharing(X):
        assert is_shared(X)
        assert not is_shared(X.copy())
        assert not is_shared("samples.npy")


def test_only_the_latest_results_are_kept(compute):
    with sharing(X):
        for key in range(20):
            once(X, (key,), 0, compute)
        assert once(X, (19,), 0, compute) == 20
        assert once(X, (0,), 0, compute) == 21


def test_every_fit_gives_the_warnings_of_its_work(compute):
    def careful():
        warnings.warn("careful", UserWarning, stacklevel=1)
        return compute()

    for value in (1, 2):
        with sharing(X), pytest.warns(UserWarning, match="careful") as caught:
            assert once(X, ("a",), 0, careful) == value
        assert [warning.filename for warning in caught] == [__file__]


def test_each_fit_counts_shared_work_in_full_and_once(compute):
    for _ in range(3):
        begin = compute.now
        with sharing(X) as work:
            on_clock = clock()
            for _ in range(2):
                once(X, ("outer",), 0, lambda: once(X, ("inner",), 0, compute))
            assert clock() - on_clock == 5.0
        assert compute.now - begin + work.seconds == 5.0
        assert compute.now - begin + work.cpu_seconds == 5.0
    assert compute.now == 5.0


def test_a_failure_is_not_kept():
    with sharing(X):
        with pytest.raises(ZeroDivisionError):
            once(X, ("a",), 0, lambda: 1 // 0)
        assert once(X, ("a",), 0, lambda: 7) == 7


def test_kmeans_of_the_same_samples_runs_once():
    data = np.random.default_rng(0).normal(size=(30, 2))
    with sharing(data):
        first, again = (KMeans(n_clusters=3, random_state=0).fit(data) for _ in range(2))
        other = KMeans(n_clusters=3, n_init=1, random_state=0).fit(data)
    alone = KMeans(n_clusters=3, random_state=0).fit(data)
    assert first._model is again._model
    assert first._model is not other._model
    assert np.array_equal(alone.labels_, again.labels_)


def test_the_parts_of_a_fit_share_their_work_and_leave_nothing_behind(compute):
    with sharing_parts(X):
        assert [once(X, ("a",), 0, compute) for _ in range(2)] == [1, 1]
        with sharing_parts(X):
            assert once(X, ("a",), 0, compute) == 1
        with sharing_parts(X[:2]):
            assert once(X, ("a",), 0, compute) == 2
    with sharing_parts(X):
        assert once(X, ("a",), 0, compute) == 3
    with sharing(X):
        with sharing_parts(X):
            assert once(X, ("a",), 0, compute) == 4
        assert once(X, ("a",), 0, compute) == 4


def test_the_parts_of_a_fit_count_what_they_share_once(compute):
    with sharing(X):
        once(X, ("a",), 0, compute)
    with sharing(X) as work:
        for _ in range(3):
            with sharing_parts(X):
                once(X, ("a",), 0, compute)
        assert work.seconds == 5.0
    with sharing_parts(X) as work:
        once(X, ("b",), 0, compute)
        once(X, ("b",), 0, compute)
        assert (work.seconds, compute.now) == (0.0, 10.0)
