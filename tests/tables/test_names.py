"""Names of clusters."""

import numpy as np
import pytest

from cscluster.data.dataset import Dataset
from cscluster.errors import DataError
from cscluster.tables.names import cluster_names, names_csv, read_names
from cscluster.tables.outputs import labels_csv


def test_a_name_goes_to_the_cluster_with_most_of_its_rows_and_no_cluster_has_two():
    labels = np.array([0, 0, 0, 1, 1, 2])
    names = {0: "gold", 1: "gold", 3: "gold", 2: "tin", 4: "lead"}
    assert cluster_names(names, labels, 3) == ["gold", "lead", "2"]
    assert cluster_names({}, labels, 3) == ["0", "1", "2"]
    assert cluster_names({0: "gold", 1: "tin"}, np.array([-1, 0]), 1) == ["tin"]


def test_rows_without_a_cluster_have_no_name():
    table = Dataset("t", np.eye(2))
    assert labels_csv(table, np.array([-1, 0]), names=["tin"]) == "row,cluster\n0,-1\n1,tin\n"


def test_names_come_back_from_their_file(tmp_path):
    table = Dataset("t", np.eye(3), ids=["a,b", "=c", "d"], id_column="id")
    names = {0: 'the "first"', 1: "=2", 2: "Zürich, west"}
    path = tmp_path / "names.csv"
    path.write_text(names_csv(names, table))
    assert read_names(path, table) == names


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"names\.csv.*'row,name'"),
        ("row,title\n", r"names\.csv.*'row,name'"),
        ("row,name\n0,x\n9,y\n", r"names\.csv:3: "),
        ("row,name\n0\n", r"names\.csv:2: "),
    ],
)
def test_mistakes_are_named(tmp_path, text, sentence):
    path = tmp_path / "names.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=sentence):
        read_names(path, Dataset("t", np.eye(3)))
