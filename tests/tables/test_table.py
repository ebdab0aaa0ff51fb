import pandas as pd
import pytest

from cscluster import Constraints, cluster
from cscluster.data.table import Columns, from_pandas
from cscluster.errors import ConstraintError
from cscluster.tables.table import read_named

FRAME = pd.DataFrame(
    {
        "customer": [f"C-{i}" for i in range(8)],
        "number": [100, 105, 103, 101, 107, 104, 102, 106],
        "mail": [f"m{i}" for i in range(8)],
        "x": [0.5, 0.1, 0.2, 5.0, 5.1, 5.2, 0.3, 5.3],
    }
)


def read(columns):
    return from_pandas(FRAME, columns)


@pytest.mark.parametrize(
    ("links", "column"),
    [
        ([("C-1", "C-2", "must"), ("C-3", "C-4", "cannot")], "customer"),
        ([(105, 103, "same"), (100, 101, "different")], "number"),
        (pd.DataFrame({"link": [1, -1], "b": ["m2", "m3"], "a": ["m1", "m1"]}), "mail"),
        ([("C-1", "C-2", "must"), ("C-3", "C-0", "must"), ("C-9", "C-1", "must")], "customer"),  # but for one
        ([(0, 1, "must"), (2, 7, "cannot")], None),
        ([("p", "q", "must")], None),
        (None, None),
    ],
)
def test_the_column_whose_values_constraints_name_names_the_rows(links, column):
    table = read_named(read, Columns(), links)
    assert table.id_column == column
    assert (column is not None) == any("names the rows" in note for note in table.notes)
    assert read_named(read, Columns(id="mail"), links).id_column == "mail"


def test_two_such_columns_are_a_question():
    twice = FRAME.assign(mail=FRAME["customer"])
    with pytest.raises(ConstraintError, match=r"'customer'.*'mail'"):
        read_named(lambda columns: from_pandas(twice, columns), Columns(), [("C-1", "C-2", "must")])


def test_cluster_takes_names_of_a_data_frame_as_a_file_has_them(tmp_path):
    FRAME.to_csv(tmp_path / "table.csv", index=False)
    links = pd.DataFrame({"a": ["C-1", "C-1"], "b": ["C-2", "C-3"], "link": ["yes", "no"]})
    links.to_csv(tmp_path / "links.csv", index=False)
    expected = Constraints([(1, 2)], [(1, 3)], n_samples=8)
    for table, given in ((FRAME, links), (tmp_path / "table.csv", tmp_path / "links.csv")):
        assert cluster(table, given, n_clusters=2, ignore=["mail"]).constraints == expected
