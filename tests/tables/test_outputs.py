import numpy as np
import pytest

from cscluster.data.dataset import Dataset
from cscluster.data.load import read_table
from cscluster.data.table import Columns
from cscluster.errors import StoreError
from cscluster.tables import outputs as files
from cscluster.tables.table import read_cells


def test_labels_by_name_or_number():
    labels = np.array([1, 0])
    assert files.labels_csv(Dataset("toy", np.eye(2)), labels) == "row,cluster\n0,1\n1,0\n"
    sure = files.labels_csv(Dataset("toy", np.eye(2)), labels, confidence=np.array([1, 2 / 3]))
    assert sure == "row,cluster,confidence\n0,1,1.000\n1,0,0.667\n"
    named = Dataset("toy", np.eye(2), ids=["x, y", "=HYPERLINK(1)"], id_column="who")
    assert files.labels_csv(named, labels) == 'who,cluster\n"x, y",1\n\'=HYPERLINK(1),0\n'


def test_the_users_table_is_repeated(tmp_path):
    path = tmp_path / "toy.csv"
    path.write_text("id;size;cluster\n007;1,50;x\n008;;=A1\n009;2,5;y\n")
    table = read_table(str(path), Columns())
    written = files.labels_csv(table, np.array([1, 0, 0]), read_cells(str(path)))
    assert written == 'id,size,cluster,cluster_found\n007,"1,50",x,1\n008,,\'=A1,0\n009,"2,5",y,0\n'


def test_outputs_have_places_of_their_own(tmp_path):
    data = tmp_path / "data.csv"
    files.check([("--out", tmp_path / "labels.csv")], [data])
    for outputs, says in [
        ([("--out", data)], r"--out.*data\.csv.*input"),
        ([("--out", tmp_path / "a"), ("--model", tmp_path / "a")], "--model.*--out"),
        ([("--out", tmp_path)], "--out.* a directory"),
        ([("--out", tmp_path / "no" / "a.csv")], "--out.*no directory"),
    ]:
        with pytest.raises(StoreError, match=says):
            files.check(outputs, [data])
