import numpy as np
import pytest
from joblib import parallel_config
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import make_blobs

from cscluster import load_dataset
from cscluster.algorithms.ensemble._labels import allocate
from cscluster.algorithms.ensemble._partitions import (
    LEARNERS,
    GraphPartition,
    KernelPartition,
    View,
    build,
    nearest_landmarks,
)
from cscluster.algorithms.ensemble._rows import ArrayRows
from cscluster.linalg.kernels import Kernel, Nystroem, median_distance
from cscluster.metrics.scores import score

X, Y = make_blobs(400, n_features=6, centers=4, cluster_std=0.5, random_state=0)


def built(rows=None, n_jobs=None, kind="graph", clusters=(4, 4), m=5, n_features=4):
    L = allocate(m, len(X), clusters[1])
    rows = ArrayRows(X) if rows is None else rows
    return build(rows, L, (kind, n_features, clusters), X, np.random.SeedSequence(3).spawn(m), n_jobs)


@pytest.mark.parametrize("learner", [KernelPartition, GraphPartition])
def test_a_partition_finds_clear_clusters_and_places_new_samples(learner):
    partition = learner.fit(X[:300], 4, np.random.default_rng(0))
    assert score("ari", Y[300:], partition(X[300:])) > 0.95


@pytest.mark.parametrize("learner", [KernelPartition, GraphPartition])
def test_fewer_samples_than_landmarks_or_clusters(learner):
    labels = learner.fit(X[:3], 5, np.random.default_rng(0))(X)
    assert labels.min() >= 0
    assert labels.max() < 3


@pytest.mark.parametrize("learner", [KernelPartition, GraphPartition])
def test_a_partition_places_the_samples_that_it_was_learned_from_where_k_means_did(learner):
    digits = load_dataset("optdigits").X.astype(np.float32)[:3000]
    partition = learner.fit(digits, 10, np.random.default_rng(0))
    assert np.mean(partition(digits) != partition.labels) < 0.001  # sums in single precision decide near ties


def test_a_kernel_partition_takes_the_nearest_centre_in_the_space_of_its_features():
    """Its arrays are those of the definition, worked out here in double precision."""
    digits = load_dataset("optdigits").X.astype(float)
    learned, others = digits[:1000], digits[1000:]
    partition = KernelPartition.fit(learned, 10, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    width = median_distance(learned[rng.choice(1000, 500, replace=False)])
    phi = Nystroem.fit(Kernel("gaussian", width), learned, 200, rng)
    centres = np.stack([phi(learned)[partition.labels == c].mean(axis=0) for c in range(10)])
    expected = cdist(phi(others), centres).argmin(axis=1)
    assert np.mean(partition(others) != expected) < 0.01  # k-means ends when centres hardly move


def test_blocks_give_the_labels_that_all_rows_at_once_give():
    many = np.tile(X, (12, 1))  # 4800 rows: two blocks of the rows, and parts of these
    sample, seeds = X[::2], np.random.SeedSequence(3).spawn(3)
    for kind in LEARNERS:
        L = build(ArrayRows(many), allocate(3, len(many), 4), (kind, 4, (4, 4)), sample, seeds, None)
        few = build(ArrayRows(X), allocate(3, len(X), 4), (kind, 4, (4, 4)), sample, seeds, None)
        assert np.array_equal(L, np.tile(few, 12))


@pytest.mark.parametrize("kind", LEARNERS)
def test_partitions_made_together_are_those_made_one_by_one(kind):
    seeds = np.random.SeedSequence(3).spawn(5)
    alone = [
        build(ArrayRows(X), allocate(1, len(X), 4), (kind, 4, (4, 4)), X, [seed], None)[0] for seed in seeds
    ]
    assert np.array_equal(built(kind=kind), alone)


@pytest.mark.parametrize("kind", LEARNERS)
def test_a_far_origin_and_other_units_change_nothing(kind):
    """A power of two keeps all digits of the samples, and the origin is a number of few digits."""
    near = np.round(X, 3)
    far = 2.0**70 * (near + 2**20)
    L, moved = (
        build(
            ArrayRows(Z),
            allocate(5, len(X), 4),
            (kind, 4, (4, 4)),
            Z[::2],
            np.random.SeedSequence(3).spawn(5),
            None,
        )
        for Z in (near, far)
    )
    assert np.mean(moved != L) < 0.001


def test_a_view_of_wide_samples_keeps_the_distances_in_each_subset_of_features():
    """Samples that vary in 20 directions are seen by these alone, without a loss."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 20)) @ rng.normal(size=(20, 150)) + 7
    view = View.of(Z, np.full(150, 2.0), 120)
    S = np.sort(rng.choice(150, 120, replace=False))
    seen = view.of_features(S)(view(Z))
    assert seen.shape == (300, 20)
    assert pdist(seen) == pytest.approx(pdist(Z[:, S] / 2), rel=1e-4)


def test_wide_samples_that_are_all_alike():
    same = np.ones((30, 120))
    for kind in LEARNERS:
        L = build(
            ArrayRows(same),
            allocate(2, 30, 3),
            (kind, 110, (3, 3)),
            same,
            np.random.SeedSequence(0).spawn(2),
            None,
        )
        assert L.max() < 3


def test_graph_partition_of_repeated_samples():
    partition = GraphPartition.fit(np.repeat(X[:2], 30, axis=0), 2, np.random.default_rng(0))
    assert len(np.unique(partition(X[:2]))) == 2


def test_nearest_landmarks_agree_with_sorting():
    Z = X - X.mean(axis=0)
    near, distances = nearest_landmarks(Z, Z[:50], 5)
    D = ((Z[:, None] - Z[None, :50]) ** 2).sum(axis=2)
    assert distances == pytest.approx(np.sort(D, axis=1)[:, :5], rel=1e-5)  # single precision chooses
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
    build(ArrayRows(digits.X), L, ("kernel", 4, (10, 10)), digits.X, seeds, None)
    assert all(score("nmi", L[0], row) < 0.8 for row in L[1:])
