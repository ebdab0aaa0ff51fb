"""A fit that would take too long or too much memory is refused at once, in one sentence."""

import time

import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import RCA, Constraints
from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.algorithms.cost import MAX_SECONDS, Cost, allowing, require_affordable
from cscluster.errors import DataError, ParameterError

MANY, NARROW = (100_000, 20, 1000), (100_000, 10, 1000)
WIDE, LINKED = (1500, 2000, 1000), (30_000, 10, 20_000)


def task(n, d, n_links):
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n)
    pairs = rng.integers(n, size=(n_links, 2))
    return rng.normal(size=(n, d)), Constraints.from_labels(pairs[pairs[:, 0] != pairs[:, 1]], y)


@pytest.mark.parametrize(
    ("name", "size", "needs", "instead"),
    [
        ("kernel_kmeans", MANY, r"74\.5 GB of memory", "use approx_kernel_kmeans"),
        ("normalized_cut", MANY, r"74\.5 GB of memory", "set n_landmarks for a Nyström approximation"),
        ("iter_svm", MANY, r"74\.5 GB of memory", "use iter_svr or iter_lssvm with n_landmarks"),
        ("iter_svr", MANY, r"74\.5 GB of memory", "set n_landmarks for Nyström features"),
        ("iter_lssvm", MANY, r"74\.5 GB of memory", "set n_landmarks for Nyström features"),
        ("kernel_beta", MANY, r"223\.5 GB of memory", "use rca or fewer samples"),
        ("csp", MANY, "about 16 min of one core", "use landmark_ensemble or pckmeans"),
        ("ccskl", MANY, "about 46 s of one core", "use landmark_ensemble or pckmeans"),
        ("trace_ratio", MANY, "about 34 s of one core", "use rca or xiang, which need no neighbours"),
        ("trace_ratio", NARROW, "about 70 s of one core", "use rca or xiang, which need no neighbours"),
        ("trace_ratio_nonlinear", MANY, "about 34 s of one core", "use rca or xiang"),
        ("trace_ratio_nonlinear", LINKED, "about 4 min of one core", "use rca or xiang"),
        ("llma", MANY, "about 70 s of one core", "use rca"),
        ("sdml", WIDE, "about 11 min of one core", "use rca or itml"),
        ("xing_printed", WIDE, "about 6[0-9] s of one core", "use rca, or leave shrinkage out"),
        ("lmnn_printed", WIDE, "about 3 min of one core", "use rca or itml"),
        ("mpckmeans_full", WIDE, "about 3 min of one core", r"use diagonal matrices \(mpckmeans\), or rca"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_too_large_is_told_at_once(monkeypatch, name, size, needs, instead):
    monkeypatch.setattr("cscluster.algorithms.cost.physical_memory", lambda: 24 * 2**30)
    X, links = task(*size)
    begin = time.process_time()
    with pytest.raises(DataError, match=f"would (need|take) {needs} .*; {instead}"):
        build(name, {}, 10, 0).fit(X, links)
    assert time.process_time() - begin < 2


def test_fewer_partitions_and_samples_that_are_not_in_memory_are_not_refused(tmp_path):
    X, links = task(50_000, 2, 10)
    many, few = (build("scsc", {"n_partitions": count}, 2, 0) for count in (500, 2))
    with pytest.raises(DataError, match=r"would take about 40 s .*, or fewer partitions"):
        many.fit(X, links)
    assert len(few.fit(X, links).labels_) == len(X)
    np.save(tmp_path / "X.npy", X)
    rows, _ = many._open(np.load(tmp_path / "X.npy", mmap_mode="r"), links)
    assert rows.shape == X.shape


def test_what_is_allowed(monkeypatch):
    monkeypatch.setattr("cscluster.algorithms.cost.physical_memory", lambda: 2**30)
    require_affordable("It", None, 10, 2, 3, 2)
    require_affordable("It", Cost("wait", seconds=29, bytes=2**29), 10, 2, 3, 2)
    with pytest.raises(
        DataError, match=r"^It would need 0\.6 GB of memory for 10 samples of 2 features with 3 links"
    ):
        require_affordable("It", Cost("wait", bytes=0.6 * 2**30), 10, 2, 3, 2)
    with pytest.raises(
        DataError, match=r"^It would take about 31 s .* more than the 30 s allowed .*; wait, or"
    ):
        require_affordable("It", Cost("wait", seconds=31), 10, 2, 3, 2)
    large = 10**6, 10, 3, 10  # 20 times k-means are 140 s
    with allowing(None):
        require_affordable("It", Cost("wait", seconds=139), *large)
        with pytest.raises(
            DataError, match=r"the 2 min allowed \(20 times k-means, or 30 s\); wait, or allow"
        ):
            require_affordable("It", Cost("wait", seconds=141), *large)
    with allowing(50):
        require_affordable("It", Cost("wait", seconds=31), 10, 2, 3, 2)
        with pytest.raises(
            DataError,
            match=r"the 50 s allowed \(the timeout of the experiment\); wait, or set a longer timeout",
        ):
            require_affordable("It", Cost("wait", seconds=51), *large)
    monkeypatch.setenv(MAX_SECONDS, "100")
    require_affordable("It", Cost("wait", seconds=31), 10, 2, 3, 2)
    with (
        allowing(50),
        pytest.raises(DataError, match=r"the 100 s allowed \(CSCLUSTER_MAX_SECONDS\); wait, or allow"),
    ):
        require_affordable("It", Cost("wait", seconds=101), *large)
    monkeypatch.setenv(MAX_SECONDS, "a lot")
    with pytest.raises(
        ParameterError, match="CSCLUSTER_MAX_SECONDS must be a number of seconds, got 'a lot'"
    ):
        require_affordable("It", Cost("wait", seconds=31), 10, 2, 3, 2)


def test_no_declared_cost_refuses_ordinary_data():
    X, links = task(2000, 30, 500)
    for entry in registry.BUILT_IN:
        estimator = build(entry.name, {}, 10, 0)
        part = estimator.metric if entry.is_metric else estimator
        cost = part._cost(*X.shape, links)
        assert cost is None or cost.seconds < 10, entry.name


def test_a_kernel_of_a_margin_method_is_refused_by_its_memory():
    pmmc = build("pmmc", {"kernel": "gaussian"}, 2, 0)
    with pytest.raises(DataError, match=r"894\.1 GB of memory.*use the linear kernel"):
        pmmc.require_affordable(200_000, 10, Constraints.empty(200_000))
    build("pmmc", {}, 2, 0).require_affordable(200_000, 10, Constraints.empty(200_000))


def test_sparse_samples_that_are_too_large_in_full_are_refused():
    links = Constraints([(0, 1)], [(0, 2)], n_samples=10**6)
    with pytest.raises(DataError, match=r"RCA would need 7450\.6 GB of memory.*use pmmc"):
        RCA().fit(csr_array((10**6, 10**6)), links)
