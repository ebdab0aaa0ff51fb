import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from cscluster.algorithms.ensemble._rows import ArrayRows, open_rows
from cscluster.errors import DataError

X = np.random.default_rng(0).integers(0, 255, size=(9000, 3)).astype(np.uint8)


@pytest.fixture(params=["npy", "parquet"])
def path(request, tmp_path):
    file = tmp_path / f"x.{request.param}"
    if request.param == "npy":
        np.save(file, X)
    else:
        pd.DataFrame(X, columns=list("abc")).to_parquet(file, row_group_size=2500)
    return file


def test_files_are_read_in_blocks(path):
    rows = open_rows(path)
    assert rows.shape == X.shape
    blocks = list(rows.blocks())
    assert len(blocks) > 2
    assert np.array_equal(np.concatenate(blocks), X)
    some = np.array([0, 17, 4095, 4096, 8999])
    assert np.array_equal(rows.take(some), X[some])
    assert rows.take(some).dtype == np.float64


def test_other_processes_get_the_name_of_a_file(path):
    rows = open_rows(path)
    message = pickle.dumps(rows)
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


def test_missing_values_are_found(tmp_path):
    holes = X.astype(float)
    holes[5000, 1] = np.nan
    np.save(tmp_path / "x.npy", holes)
    with pytest.raises(DataError, match="missing or infinite"):
        list(open_rows(tmp_path / "x.npy").blocks())


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="no data file"):
        open_rows(tmp_path / "none.npy")
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"only \.npy and \.parquet"):
        open_rows(tmp_path / "x.csv")
    with pytest.raises(DataError, match="table of numbers"):
        ArrayRows(np.array([["a"]]))
    with pytest.raises(DataError, match="table of numbers"):
        ArrayRows(np.zeros(3))
