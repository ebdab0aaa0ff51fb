"""What a person sees of a row."""

import numpy as np
import pytest
from PIL import Image
from scipy import sparse

from cscluster.data.dataset import Dataset
from cscluster.data.load import read_table
from cscluster.data.table import Columns
from cscluster.errors import DataError
from cscluster.labelling.items import MAX_CELLS, Items, Pictures, find_pictures, png


def test_a_file_is_shown_with_all_columns_but_names_and_classes(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("id,height,remark,town,kind\nA,1,likes tea,X,p\nB,3,likes rain,X,q\nC,,,X,p\n")
    table = read_table(str(path), Columns(target="kind"))
    items = Items(table, str(path), {"kind"})
    assert [(cell.name, cell.value, cell.place) for cell in items.cells(0)] == [
        ("height", "1", 0.0),
        ("remark", "likes tea", None),
        ("town", "X", None),
    ]
    assert items.cells(1)[0].place == 1.0
    assert [cell.value for cell in items.cells(2)] == ["", "", "X"]


def test_arrays_have_numbers_for_columns_and_wide_ones_are_cut():
    items = Items(Dataset("wide", np.arange(200.0).reshape(2, 100)), "wide", set())
    assert len(items.cells(0)) == MAX_CELLS
    assert items.n_hidden == 60
    assert items.cells(1)[2].name == "column 2"


def test_sparse_rows_show_their_largest_entries():
    rows = sparse.csr_array([[0, 2, 0, -5.0], [1, 0, 0, 0]])
    items = Items(Dataset("words", rows), "words", set())
    assert [(cell.name, cell.value) for cell in items.cells(0)] == [("column 3", "-5"), ("column 1", "2")]


def test_pictures(tmp_path):
    pixels = Pictures(np.array([[0, 8, 16, 4, 0, 16]]), (2, 3)).pixels(0)
    assert pixels.tolist() == [[0, 128, 255], [64, 0, 255]]
    (tmp_path / "grey.png").write_bytes(png(pixels))
    assert np.asarray(Image.open(tmp_path / "grey.png")).tolist() == pixels.tolist()


def test_shapes():
    table = Dataset("t", np.eye(6), image=(3, 2))
    assert find_pictures("auto", table, "t", set()).shape == (3, 2)
    assert find_pictures("2x3", table, "t", set()).shape == (2, 3)
    assert find_pictures("auto", Dataset("t", np.eye(6)), "t", set()) is None
    with pytest.raises(DataError, match=r"HEIGHTxWIDTH.*auto.*'big'"):
        find_pictures("big", table, "t", set())
    with pytest.raises(DataError, match=r"4x4.*\b16\b.*'t'.*\b6\b"):
        find_pictures("4x4", table, "t", set())


def test_a_pixel_that_never_changes_is_part_of_the_picture(tmp_path):
    path = tmp_path / "dots.csv"
    path.write_text("id,kind,p0,p1,p2,p3\nA,x,0,5,0,5\nB,y,0,0,5,5\nC,y,0,5,5,5\n")
    table = read_table(str(path), Columns(target="kind"))
    assert table.features == ["p1", "p2"]
    pictures = find_pictures("2x2", table, str(path), {"kind"})
    assert pictures.pixels(1).tolist() == [[0, 0], [255, 255]]
