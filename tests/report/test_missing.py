"""Runs of which trials are missing: no grid point is selected without all its trials, and every format says so."""

import csv
import io
import json
import re

import pytest

from cscluster.report.aggregate import at_last_point, collect, join, restrict
from cscluster.report.check import drift, parse_tolerances, read_reference
from cscluster.report.compose import compose
from cscluster.report.formats import latex, markdown, spreadsheet, structured, terminal
from cscluster.report.html import page
from cscluster.report.where import where
from tests.report.stored import entry, store, trial

SCORES = {1: (0.5, 0.6), 2: (0.9, 0.9)}  # lam: accuracy in two trials; 2 is better in both


def run(path, select, lost, label=""):
    """Store a run of A with a grid, without the trials (lam, trial) of `lost`, and a complete run of B."""
    records = [
        trial("a", value, trial=t, grid={"lam": lam}, **({"label": label} if label else {}))
        for lam, values in SCORES.items()
        for t, value in enumerate(values)
        if (lam, t) not in lost
    ]
    for record in records:
        record["metrics"]["heldout_links"] = record["metrics"]["acc"]
    records += [trial("b", 0.7, trial=t) for t in (0, 1)]
    grids = {"a": [{"lam": lam} for lam in SCORES]} if any(r["algorithm"] == "a" for r in records) else {}
    return store(path, [entry("a", label=label, select=select), entry("b")], records, grids=grids)


def means(results):
    return dict(zip(results.cells["label"], results.cells["mean"], strict=True))


def test_an_oracle_selects_among_complete_grid_points_only(tmp_path):
    assert means(collect(run(tmp_path / "whole", "oracle:acc", []))) == {"A": 0.9, "B": 0.7}
    for number, lost in enumerate(([(2, 0)], [(2, 1)])):
        results = collect(run(tmp_path / str(number), "oracle:acc", lost))
        assert means(results) == pytest.approx({"A": 0.55, "B": 0.7})
        assert results.cells["params"].tolist() == ["lam=1", ""]
        assert results.cells["n"].tolist() == [2, 2]
        assert results.missing.to_dict("records") == [
            {"dataset": "iris", "label": "A", "count": 1, "planned": 4}
        ]


def test_heldout_constraints_select_where_a_trial_is_stored_at_all_grid_points(tmp_path):
    assert means(collect(run(tmp_path / "whole", "heldout", []))) == {"A": 0.9, "B": 0.7}
    results = collect(run(tmp_path / "part", "heldout", [(2, 0)]))
    (a,) = results.cells[results.cells["label"] == "A"].to_dict("records")
    assert (a["mean"], a["n"], a["planned"], a["params"]) == (0.9, 1, 2, "lam=2")  # of trial 1 only
    assert results.missing["count"].tolist() == [1]


@pytest.mark.parametrize(
    ("select", "lost"),
    [("oracle:acc", [(1, 0), (2, 1)]), ("heldout", [(1, 0), (2, 1)]), ("heldout", [(1, 0), (1, 1)])],
)
def test_nothing_is_selected_where_nothing_is_complete(tmp_path, select, lost):
    results = collect(run(tmp_path, select, lost))
    assert means(results) == {"B": 0.7}
    assert results.labels == ["A", "B"]
    assert results.missing["count"].tolist() == [2]


def test_a_grid_point_of_which_nothing_is_stored_is_missing(tmp_path):
    results = collect(run(tmp_path, "oracle:acc", [(2, 0), (2, 1)]))
    assert means(results) == pytest.approx({"A": 0.55, "B": 0.7})
    assert results.cells["oracle"].tolist() == [True, False]  # there was a choice
    assert results.missing["count"].tolist() == [2]


def test_without_selection_a_grid_point_has_what_is_stored(tmp_path):
    results = collect(run(tmp_path, "none", [(2, 0)]))
    assert dict(zip(results.cells["label"], results.cells["n"], strict=True)) == {
        "A (lam=1)": 2,
        "A (lam=2)": 1,
        "B": 2,
    }
    assert results.missing["label"].tolist() == ["A"]


def test_each_point_and_tier_selects_for_itself(tmp_path):
    records = [
        trial("a", value, trial=t, point=point, tier=tier, grid={"lam": lam})
        for lam, values in SCORES.items()
        for t, value in enumerate(values)
        for point in (10, 20)
        for tier in (1, 2)
        if (lam, t, point) != (2, 1, 20)
    ]
    results = collect(store(tmp_path, [entry("a", select="oracle:acc")], records))
    places = results.cells.set_index(["point", "tier"])
    assert places["params"].to_dict() == {
        (10, 1): "lam=2",
        (10, 2): "lam=2",
        (20, 1): "lam=1",
        (20, 2): "lam=1",
    }
    assert (results.missing["count"].tolist(), results.missing["planned"].tolist()) == ([2], [16])


def plain(text):
    """Return the words of a format without its markup and line breaks."""
    return " ".join(re.sub(r"<[^>]*>|\\", "", text).split())


FORMATS = {
    "terminal": lambda results, run: terminal.text([compose(results)]),
    "markdown": lambda results, run: markdown.text([compose(results)]),
    "latex": lambda results, run: latex.text([compose(results)]),
    "html": lambda results, run: page([results], [run]),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("select", ["oracle:acc", "heldout"])
@pytest.mark.parametrize(("lost", "count"), [([(2, 0)], 1), ([(1, 0), (2, 1)], 2)])
def test_what_is_missing_is_said_below_tables(tmp_path, kind, select, lost, count):
    directory = run(tmp_path, select, lost)
    text = plain(FORMATS[kind](collect(directory), directory))
    assert re.search(rf"incomplete: {count}\b.*A on iris {count} of 4", text)
    whole = run(tmp_path / "whole", select, [])
    assert "incomplete" not in plain(FORMATS[kind](collect(whole), whole))


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_missing_is_said_where_no_table_is_left(tmp_path, kind):
    records = [trial("a", 0.5, grid={"lam": lam}) for lam in (1, 2)]
    directory = store(tmp_path, [entry("a", select="oracle:acc")], records)
    text = plain(FORMATS[kind](collect(directory), directory))
    assert "incomplete: 2 planned trials not stored" in text
    assert "stored yet" not in text
    assert "incomplete" in plain(terminal.text([compose(collect(directory), "dataset")]))


@pytest.mark.parametrize("select", ["oracle:acc", "heldout"])
def test_what_is_missing_is_a_list_in_json(tmp_path, select):
    (told,) = json.loads(structured.text([collect(run(tmp_path, select, [(2, 0)]))]))["runs"]
    assert told["missing"] == [{"dataset": "iris", "label": "A", "count": 1, "planned": 4}]
    (told,) = json.loads(structured.text([collect(run(tmp_path / "whole", select, []))]))["runs"]
    assert told["missing"] == []


def rows(results):
    return list(csv.DictReader(io.StringIO(spreadsheet.text([results]), newline="")))


@pytest.mark.parametrize("select", ["oracle:acc", "heldout", "none"])
def test_what_is_missing_is_a_column_in_csv(tmp_path, select):
    for row in rows(collect(run(tmp_path, select, [(2, 0)]))):
        assert row["missing"] == ("0" if row["label"] == "B" else "1")


def test_a_method_without_results_has_a_line_in_csv(tmp_path):
    results = collect(run(tmp_path / "run", "oracle:acc", [(1, 0), (2, 1)]))
    b, a = rows(results)
    assert (b["label"], b["point"], b["mean"], b["missing"]) == ("B", "10", "0.7", "0")
    assert (a["label"], a["point"], a["mean"], a["n"], a["missing"]) == ("A", "", "", "0", "2")
    (tmp_path / "reference.csv").write_text(spreadsheet.text([results]))
    table, checked = drift(results, read_reference(tmp_path / "reference.csv"), parse_tolerances([]))
    assert (len(table), checked) == (0, 1)


def test_what_is_missing_follows_conditions_and_joins(tmp_path):
    results = collect(run(tmp_path, "oracle:acc", [(2, 0)]))
    assert where(results, ["label=B"]).missing.empty
    assert len(where(results, ["label=A"]).missing) == len(at_last_point(results).missing) == 1
    other = collect(store(tmp_path / "other", [entry("c")], [trial("c", 0.5, dataset="wine")]))
    assert join([results, other]).missing[["label", "count"]].to_numpy().tolist() == [["A", 1], ["C", 1]]


def test_what_has_no_trial_at_all_stays_missing(tmp_path):
    records = [trial("b", 0.7, trial=t, dataset=data) for t in (0, 1) for data in ("iris", "wine")]
    records.append(trial("a", 0.5, dataset="wine", point=99))  # of another plan
    results = collect(store(tmp_path, [entry("a"), entry("b")], records, points=[10]))
    assert results.labels == ["B"]
    assert results.missing.to_dict("records") == [{"dataset": "wine", "label": "A", "count": 2, "planned": 2}]
    assert restrict(results, results.trials["dataset"] == "wine").missing["label"].tolist() == ["A"]


def test_a_shard_without_trials_is_reported(tmp_path):
    directory = store(tmp_path, [entry("a"), entry("b")], [trial("a", 0.5), trial("b", 0.5)], trials=1)
    for shard in ((1, 2), (2, 2), (3, 3)):
        plan = directory.definition.plan.model_dump() | {"shard": shard}
        with directory.writing() as writer:
            content = directory.definition.model_dump() | {"plan": plan}
            writer.put_definition(type(directory.definition).model_validate(content))
        results = collect(directory)
        assert results.missing.empty
        assert results.labels == {(1, 2): ["A"], (2, 2): ["B"], (3, 3): []}[shard]
        assert compose(results).blocks
