import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import make_blobs

from cscluster import load_dataset
from cscluster.algorithms.ensemble._labels import allocate
from cscluster.algorithms.ensemble._partitions import (
    GraphPartition,
    KernelPartition,
    build,
    nearest_landmarks,
)
from cscluster.algorithms.ensemble._rows import ArrayRows
from cscluster.metrics.scores import score

X, Y = make_blobs(400, n_features=6, centers=4, cluster_std=0.5, random_state=0)


def built(rows=None, n_jobs=None, kind="graph", clusters=(4, 4), m=5, n_features=4):
    L = allocate(m, len(X), clusters[1])
    rows = ArrayRows(X) if rows is None else rows
    return build(rows, L, kind, n_features, clusters, X, np.random.SeedSequence(3).spawn(m), n_jobs)


@pytest.mark.parametrize("learner", [KernelPartition, GraphPartition])
def test_a_partition_finds_clear_clusters_and_places_new_samples(learner):
    partition = learner.fit(X[:300], 4, np.random.default_rng(0))
    assert score("ari", Y[300:], partition(X[300:])) > 0.95


@pytest.mark.parametrize("learner", [KernelPartition, GraphPartition])
def test_fewer_samples_than_landmarks_or_clusters(learner):
    labels = learner.fit(X[:3], 5, np.random.default_rng(0))(X)
    assert labels.min() >= 0
    assert labels.max() < 3


def test_a_kernel_partition_is_k_means_on_its_features():
    digits = load_dataset("optdigits").X.astype(float)
    partition = KernelPartition.fit(digits[:1000], 10, np.random.default_rng(0))
    assert np.array_equal(partition(digits), partition.model.predict(partition.features(digits)))


def test_graph_partition_of_repeated_samples():
    partition = GraphPartition.fit(np.repeat(X[:2], 30, axis=0), 2, np.random.default_rng(0))
    assert len(np.unique(partition(X[:2]))) == 2


def test_nearest_landmarks_agree_with_sorting():
    near, distances = nearest_landmarks(X, X[:50], 5)
    D = ((X[:, None] - X[None, :50]) ** 2).sum(axis=2)
    assert distances == pytest.approx(np.sort(D, axis=1)[:, :5], abs=1e-9)
    assert np.take_along_axis(D, near, axis=1) == pytest.approx(distances, abs=1e-9)


def test_parallel_jobs_give_the_same_partitions():
    assert np.array_equal(built(), built(n_jobs=2))


def test_a_dask_cluster_gives_the_same_partitions(tmp_path):
    distributed = pytest.importorskip("distributed")
    np.save(tmp_path / "x.npy", X)
    mapped, expected = np.load(tmp_path / "x.npy", mmap_mode="r"), built()
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        parallel_config(backend="dask", client=client, pure=False),
    ):
        assert np.array_equal(built(ArrayRows(X)), expected)
        assert np.array_equal(built(ArrayRows(mapped)), expected)


def test_number_of_clusters_is_drawn_from_the_range():
    counts = [len(np.unique(row)) for row in built(clusters=(2, 8), m=12)]
    assert len(set(counts)) > 2
    assert max(counts) <= 8


def test_partitions_differ_and_use_the_features_they_draw():
    digits = load_dataset("optdigits_test")
    L = allocate(4, digits.n_samples, 10)
    seeds = np.random.SeedSequence(0).spawn(4)
    build(ArrayRows(digits.X), L, "kernel", 4, (10, 10), digits.X, seeds, None)
    assert all(score("nmi", L[0], row) < 0.8 for row in L[1:])
