import csv
import io

import pytest

from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import spreadsheet
from tests.lines import assert_match
from tests.report.stored import entry, oracle, store, three_by_three, trial


def rows(*runs):
    return list(csv.DictReader(io.StringIO(spreadsheet.text(list(runs)), newline="")))


def test_one_line_for_each_cell(tmp_path):
    (row,) = rows(collect(oracle(tmp_path, label="A")))
    assert row == {
        "dataset": "iris", "label": "A", "oracle": "True", "params": "lam=2", "point": "10", "tier": "1",
        "metric": "acc", "mean": "0.2", "std": "0", "n": "2", "planned": "2", "missing": "0",
    }  # fmt: skip


@pytest.mark.parametrize("label", ["=1+1", "+1+1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "a\n=1"])
def test_formulas_are_made_harmless(tmp_path, label):
    (row,) = rows(collect(store(tmp_path, [entry("a", label=label)], [trial("a", 0.5, label=label)])))
    line = label.replace("\r", " ").replace("\n", " ")
    assert row["label"] == (line if line[0] == "a" else "'" + line)
    assert (row["dataset"], row["mean"], row["n"], row["planned"]) == ("iris", "0.5", "1", "2")


def test_several_runs_have_a_column_of_their_own(tmp_path):
    results = collect(store(tmp_path, [entry("a")], [trial("a", 0.5)]))
    assert [row["run"] for row in rows(results, results)] == ["run", "run"]
    assert next(iter(rows(results, results)[0])) == "run"
    assert "run" not in rows(results)[0]


def test_what_failed_is_empty(tmp_path):
    (row,) = rows(collect(store(tmp_path, [entry("a")], [trial("a", None)])))
    assert (row["mean"], row["std"], row["n"], row["missing"]) == ("", "", "0", "1")


def test_tables_as_they_are_shown(tmp_path):
    page = compose(collect(three_by_three(tmp_path)), "dataset")
    rows = list(csv.reader(io.StringIO(spreadsheet.tables([page]))))
    assert_match(rows[0], r"^ACC \(majority\) .*data set, .*\b20$")
    assert rows[1] == ["data set", "A", "B", "C"]
    assert [row[0] for row in rows[2:6]] == ["iris", "wine", "sonar", "mean rank"]
    assert [cell.startswith("> ") for cell in rows[2]] == [False, False, False, True]
