import pickle
import sys

import numpy as np
import pytest

from cscluster.algorithms.ensemble._rows import ArrayRows
from cscluster.errors import DataError

X = np.random.default_rng(0).integers(0, 255, size=(9000, 3)).astype(np.uint8)


@pytest.fixture
def mapped(tmp_path):
    np.save(tmp_path / "x.npy", X)
    return ArrayRows(np.load(tmp_path / "x.npy", mmap_mode="r"))


def test_mapped_arrays_are_read_in_blocks(mapped):
    assert mapped.shape == X.shape
    blocks = list(mapped.blocks())
    assert len(blocks) > 2
    assert np.array_equal(np.concatenate(blocks), X)
    some = np.array([0, 17, 4095, 4096, 8999])
    assert np.array_equal(mapped.take(some), X[some])
    assert mapped.take(some).dtype == np.float64


def test_other_processes_get_the_name_of_a_file(mapped):
    message = pickle.dumps(mapped)
    assert len(message) < 1000
    assert np.array_equal(pickle.loads(message).take(np.array([7, 8999])), X[[7, 8999]])


@pytest.mark.parametrize("order", ["C", "F"])
def test_mapped_arrays_keep_order_and_parts_of_them_their_values(tmp_path, order):
    np.save(tmp_path / "x.npy", np.asarray(X, order=order))
    whole = np.load(tmp_path / "x.npy", mmap_mode="r")
    for part in (whole, whole[10:20], whole[:, 1:]):
        again = pickle.loads(pickle.dumps(ArrayRows(part)))
        assert np.array_equal(np.concatenate(list(again.blocks())), part)


def test_all_samples_of_an_array_are_not_copied():
    whole = X.astype(float)
    assert ArrayRows(whole).take(np.arange(len(X))) is whole


def test_arrays_tell_their_size():
    assert sys.getsizeof(ArrayRows(X)) > X.nbytes


def test_missing_values_are_found():
    holes = X.astype(float)
    holes[5000, 1] = np.nan
    with pytest.raises(DataError, match="missing or infinite"):
        list(ArrayRows(holes).blocks())


@pytest.mark.parametrize("other", [np.array([["a"]]), np.zeros(3)])
def test_only_tables_of_numbers_are_read(other):
    with pytest.raises(DataError, match=rf"{other.dtype}.*\({other.shape[0]},"):
        ArrayRows(other)
