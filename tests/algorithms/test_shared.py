"""Shared work: computed once, and nobody can tell."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse

from cscluster import KMeans
from cscluster.algorithms import shared
from cscluster.algorithms.shared import clock, cpu_clock, is_shared, of_samples, once, sharing, sharing_parts

X = np.arange(6.0).reshape(3, 2)


@pytest.fixture(autouse=True)
def nothing_shared_before(monkeypatch):
    monkeypatch.setattr(shared, "_borrowed", 0.0)
    monkeypatch.setattr(shared, "_borrowed_cpu", 0.0)
    shared.forget()
    yield
    shared.forget()


def counted():
    """Return a function that returns 1, 2, 3, ..."""
    return itertools.count(1).__next__


def test_outside_of_sharing_everything_is_computed():
    compute = counted()
    assert [once(X, ("a",), 0, compute) for _ in range(2)] == [1, 2]


@pytest.mark.parametrize("samples", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
def test_inside_it_is_computed_once_for_each_key_and_seed(samples):
    compute = counted()
    with sharing(samples):
        assert [once(samples, ("a",), 0, compute) for _ in range(2)] == [1, 1]
        assert once(samples, ("b",), 0, compute) == 2
        assert once(samples, ("a",), 1, compute) == 3
        assert [once(samples, ("a",), None, compute) for _ in range(2)] == [4, 5]
    with sharing(samples):
        assert once(samples, ("a",), 0, compute) == 1


def test_other_samples_share_nothing():
    compute = counted()
    with sharing(X):
        assert [once(other, ("a",), 0, compute) for other in (X, X.copy(), X[:2], X.T)] == [1, 2, 3, 4]
    with sharing(X.copy()):
        assert once(X, ("a",), 0, compute) == 5


def test_what_follows_from_the_samples_alone_outlives_many_other_results():
    compute = counted()
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


def test_only_the_latest_results_are_kept():
    compute = counted()
    with sharing(X):
        for key in range(20):
            once(X, (key,), 0, compute)
        assert once(X, (19,), 0, compute) == 20
        assert once(X, (0,), 0, compute) == 21


def test_warnings_are_given_again():
    def compute():
        warnings.warn("careful", UserWarning, stacklevel=1)

    with sharing(X):
        for _ in range(2):
            with pytest.warns(UserWarning, match="careful"):
                once(X, ("a",), 0, compute)


@pytest.mark.parametrize(("of_system", "clock"), [("perf_counter", clock), ("process_time", cpu_clock)])
def test_a_clock_counts_shared_work_each_time(monkeypatch, of_system, clock):
    now = 0.0
    monkeypatch.setattr(shared.time, of_system, lambda: now)

    def compute():
        nonlocal now
        now += 5.0

    with sharing(X):
        for _ in range(3):
            before = clock()
            once(X, ("outer",), 0, lambda: once(X, ("inner",), 0, compute))
            assert clock() - before == pytest.approx(5.0)  # what was borrowed before leaves the last digit
    assert now == 5.0


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


def test_the_parts_of_a_fit_share_their_work_and_leave_nothing_behind():
    compute = counted()
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


def test_the_clock_counts_what_the_parts_of_a_fit_share_once(monkeypatch):
    now = itertools.count()
    monkeypatch.setattr(shared.time, "perf_counter", lambda: 0.0)
    with sharing(X):
        once(X, ("a",), 0, lambda: monkeypatch.setattr(shared.time, "perf_counter", lambda: 5.0))
        begin = clock()
        with sharing_parts(X):
            for _ in range(3):
                once(X, ("a",), 0, lambda: next(now))
        assert clock() - begin == 5.0
        once(X, ("a",), 0, lambda: next(now))
        assert clock() - begin == 10.0
    with sharing_parts(X):
        begin = clock()
        for _ in range(2):
            once(X, ("b",), 0, lambda: monkeypatch.setattr(shared.time, "perf_counter", lambda: 8.0))
        assert clock() - begin == 3.0
    assert next(now) == 0
