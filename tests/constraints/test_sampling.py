import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster.constraints import sampling


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 40])
def test_pairs_come_in_random_order_each_once(n):
    blocks = list(sampling.pair_blocks(n, np.random.default_rng(0)))
    found = [tuple(pair) for block in blocks for pair in block.tolist()]
    assert sorted(found) == [(i, j) for i in range(n) for j in range(i + 1, n)]


def test_pairs_of_many_samples_are_drawn_without_listing_all(monkeypatch):
    n = 100_000
    pairs = sampling.random_pairs(n, 20_000, np.random.default_rng(0))
    assert ((pairs[:, 0] >= 0) & (pairs[:, 0] < pairs[:, 1]) & (pairs[:, 1] < n)).all()
    assert len(np.unique(pairs, axis=0)) == 20_000
    # Uniform pairs: the mean of the larger number is 2n/3, of the smaller n/3.
    assert pairs.mean(axis=0) == pytest.approx([n / 3, 2 * n / 3], rel=0.02)
    monkeypatch.setattr(sampling, "_FEW_PAIRS", 0)
    assert len(np.unique(sampling.random_pairs(12, 66, np.random.default_rng(0)), axis=0)) == 66


@given(st.integers(0, 2**53 // 2 - 1))
def test_numbers_of_pairs_are_turned_into_pairs(code):
    i, j = sampling._unrank(np.array([code]))[0].tolist()
    assert 0 <= i < j
    assert j * (j - 1) // 2 + i == code
