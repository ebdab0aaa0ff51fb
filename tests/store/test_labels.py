"""Labels as short strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster.errors import StoreError
from cscluster.store.labels import pack, unpack

INTEGERS = st.one_of(st.integers(-1, 9), st.integers(0, 70_000), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(INTEGERS, max_size=50))
def test_what_is_packed_comes_back(labels):
    assert unpack(pack(np.array(labels, dtype=np.int64)), len(labels)).tolist() == labels


def test_labels_of_few_clusters_take_little_space():
    labels = np.random.default_rng(0).integers(0, 10, 10_000)
    assert len(pack(labels)) < 10_000  # less than their digits


@pytest.mark.parametrize("text", ["", "O:eJw=", "|u1:no", "|u1:!!!!", "<i8:eJxjAAAAAQAB", f"|u1:{'A' * 99}"])
def test_damaged_labels_are_refused(text):
    with pytest.raises(StoreError):
        unpack(text, 3)


def test_labels_of_other_data_are_refused():
    bomb = pack(np.zeros(10**6, dtype=np.int64))
    for n_samples in (3, 10**6 + 1):
        with pytest.raises(StoreError, match=f"{n_samples} samples"):
            unpack(bomb, n_samples)
