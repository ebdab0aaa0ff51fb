import numpy as np
import pytest

from cscluster.algorithms.ensemble._labels import (
    allocate,
    embed,
    largest_score,
    normalized,
    round_votes,
)


@pytest.mark.parametrize("n_clusters", [2, 10, 40, 300])
@pytest.mark.parametrize("weights", ["random", "equal", "sparse"])
def test_rounding_takes_the_largest_vote(n_clusters, weights):
    rng = np.random.default_rng(n_clusters)
    m, n = 60, 600
    L = rng.integers(0, n_clusters, size=(m, n)).astype(np.min_scalar_type(n_clusters))
    gamma = {
        "random": rng.dirichlet(np.ones(m)),
        "equal": np.full(m, 1 / m),
        "sparse": np.where(np.arange(m) % 5, 0, 5 / m),
    }[weights]
    votes = np.zeros((n, n_clusters))
    for row, weight in zip(L, gamma, strict=True):
        votes[np.arange(n), row] += weight
    assert np.array_equal(round_votes(L, gamma, n_clusters), votes.argmax(axis=1))


def test_rows_of_weight_zero_are_not_read():
    L = np.array([[0, 1, 1], [9, 9, 9]], dtype=np.uint8)
    assert round_votes(L, np.array([1.0, 0.0]), 2).tolist() == [0, 1, 1]


@pytest.mark.parametrize(("n_clusters", "dtype"), [(2, "u1"), (255, "u1"), (256, "u2"), (70_000, "u4")])
def test_labels_never_overflow(n_clusters, dtype):
    L = allocate(1, 2, n_clusters)
    assert L.dtype == dtype
    L[:] = n_clusters - 1
    assert (n_clusters - 1 == L).all()


def test_memory_mapped_labels(tmp_path):
    L = allocate(3, 50, 4, tmp_path / "labels.npy")
    L[:] = np.random.default_rng(0).integers(0, 4, size=L.shape)
    L.flush()
    again = np.load(tmp_path / "labels.npy", mmap_mode="r")
    gamma = np.full(3, 1 / 3)
    assert np.array_equal(round_votes(again, gamma, 4), round_votes(np.array(L), gamma, 4))


@pytest.mark.parametrize("unit", [True, False])
def test_embedding_and_scores_agree_with_the_plain_sums(unit):
    rng = np.random.default_rng(1)
    L = rng.integers(0, 5, size=(7, 20_000)).astype(np.uint8)
    tables = rng.standard_normal((7, 5, 6)).astype(np.float32)
    E = sum(tables[k][L[k]] for k in range(7))
    assert embed(L, tables) == pytest.approx(E, abs=1e-5)
    some = np.array([3, 17, 4])
    assert embed(L[:, some], tables) == pytest.approx(E[some], abs=1e-5)
    W, offset = rng.standard_normal((6, 4)).astype(np.float32), rng.standard_normal(4).astype(np.float32)
    scores = (E / np.linalg.norm(E, axis=1, keepdims=True) if unit else E) @ W + offset
    found = scores[np.arange(len(E)), largest_score(L, tables, W, offset, unit=unit)]
    assert found == pytest.approx(scores.max(axis=1), abs=1e-4)


def test_rows_of_zeros_stay_zero():
    assert normalized(np.zeros((2, 3), dtype=np.float32)).tolist() == np.zeros((2, 3)).tolist()
