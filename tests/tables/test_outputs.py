import numpy as np
import pytest

from cscluster.errors import StoreError
from cscluster.tables import outputs as files
from cscluster.tables.table import Table


def test_labels_by_name_or_number():
    labels = np.array([1, 0])
    assert files.labels_csv(Table("toy", np.eye(2)), labels) == "row,cluster\n0,1\n1,0\n"
    named = Table("toy", np.eye(2), ids=["x, y", "=HYPERLINK(1)"], id_column="who")
    assert files.labels_csv(named, labels) == 'who,cluster\n"x, y",1\n\'=HYPERLINK(1),0\n'


def test_a_file_is_replaced_in_one_step(tmp_path):
    path = tmp_path / "out.csv"
    files.put(path, b"old")
    files.put(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(StoreError, match="Cannot write"):
        files.put(tmp_path / "no" / "out.csv", b"")


def test_outputs_have_places_of_their_own(tmp_path):
    data = tmp_path / "data.csv"
    files.check([("--out", tmp_path / "labels.csv")], [data])
    for outputs, says in [
        ([("--out", data)], "is the file of an input"),
        ([("--out", tmp_path / "a"), ("--model", tmp_path / "a")], "is the file of --out"),
        ([("--out", tmp_path)], "is a directory"),
        ([("--out", tmp_path / "no" / "a.csv")], "there is no directory"),
    ]:
        with pytest.raises(StoreError, match=says):
            files.check(outputs, [data])


def test_a_name_too_long_for_a_file_is_refused_before_the_work_begins(tmp_path):
    with pytest.raises(StoreError, match="the name is too long for a file"):
        files.check([("labels", tmp_path / ("a" * 5000))], [])
