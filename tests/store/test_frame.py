"""Records as a data frame."""

import json
import math

from pandas.testing import assert_frame_equal

from cscluster.store.definition import CellEntry
from cscluster.store.frame import COSTS, joined, planned_rows, trials_frame, with_names
from tests.store.values import CELL, key, record

CELLS = {
    "h": CellEntry.model_validate(CELL),
    "g": CellEntry.model_validate({**CELL, "label": "G", "params": {"b": 2, "a": 1}, "grid": {"b": 2}}),
}
FAILED = {"status": "error", "metrics": {}, "seconds": {}, "cpu_seconds": None, "iterations": None}


def frame_of(records, cells):
    return with_names(trials_frame(records), cells)


def test_a_row_for_each_record():
    frame = frame_of([record(0), record(2, cell="g", metrics={"acc": 0.25, "nmi": None})], CELLS)
    assert frame["key"].tolist() == [key(0), key(2, cell="g")]
    assert frame["label"].tolist() == ["k-means", "G"]
    assert frame["dataset"].tolist() == ["d", "d"]
    assert frame["params"].tolist() == ["{}", '{"a": 1, "b": 2}']
    assert [json.loads(grid) for grid in frame["grid"]] == [{}, {"b": 2}]
    assert frame["trial"].tolist() == frame["repetition"].tolist() == [0, 2]
    assert frame["m:acc"].tolist() == [0.5, 0.25]
    assert frame["m:nmi"].isna().all()
    assert frame["recorded"].tolist() == [("acc",), ("acc", "nmi")]
    assert frame["message"].tolist() == ["", ""]


def test_costs_are_metrics():
    seconds = {"offline": 1.0, "fit": 0.5, "update": 0.25, "predict": 4.0}
    (row,) = frame_of([record(seconds=seconds, iterations=7)], CELLS).to_dict("records")
    assert [row[f"m:{name}"] for name in COSTS] == [5.75, 0.75, 0.1, 7]


def test_failures_between_results():
    error = {"type": "ValueError", "message": "it broke", "place": "mine.py:3"}
    records = [
        record(0, error=error, **FAILED),
        record(1),
        record(2, error={"type": "E", "message": ""}, **FAILED),
    ]
    frame = frame_of(records, CELLS)
    assert frame["message"].tolist() == ["ValueError: it broke (mine.py:3)", "", "E: "]
    assert [math.isnan(value) for value in frame["m:acc"]] == [True, False, True]
    assert [math.isnan(value) for value in frame["m:seconds"]] == [True, False, True]
    assert frame["recorded"].tolist() == [(), ("acc",), ()]


def test_of_two_records_with_one_key_the_later_counts():
    records = [record(0, metrics={"acc": 0.1}), record(1), record(0, metrics={"acc": 0.9, "nmi": 1.0})]
    frame = frame_of(records, CELLS)
    assert dict(zip(frame["trial"], frame["m:acc"], strict=True)) == {1: 0.5, 0: 0.9}


def test_names_come_from_the_cells_and_unknown_cells_are_left_out():
    frame = frame_of([record(0), record(1, cell="gone"), record(2)], CELLS)
    assert frame["trial"].tolist() == [0, 2]
    renamed = with_names(frame, {"h": CELLS["h"].model_copy(update={"label": "Lloyd"})})
    assert renamed["label"].tolist() == ["Lloyd", "Lloyd"]
    assert renamed.drop(columns="label").equals(frame.drop(columns="label"))
    assert with_names(frame, {}).empty


def test_later_records_join_earlier_ones_as_if_all_had_been_read_at_once():
    early = [record(0), record(1, cell="g", metrics={"acc": 0.1})]
    late = [
        record(2, metrics={"acc": 0.3, "nmi": 0.4}),
        record(0, error={"type": "E", "message": ""}, **FAILED),
    ]
    renamed = {**CELLS, "g": CELLS["g"].model_copy(update={"label": "H"})}
    frame = joined(frame_of(early, CELLS), late, renamed)
    assert_frame_equal(frame, frame_of([*early, *late], renamed), check_like=True, check_dtype=False)
    assert_frame_equal(joined(frame_of(early, CELLS), [], renamed), frame_of(early, renamed))
    assert_frame_equal(joined(frame_of([], CELLS), late, CELLS), frame_of(late, CELLS), check_dtype=False)


def test_no_records():
    frame = frame_of([], CELLS)
    assert frame.empty
    assert {"key", "label", "status", "recorded", "environment"} <= set(frame)
    assert planned_rows(frame, [key(0)]).empty
    assert [str(frame_of([], CELLS)[f"m:{name}"].dtype) for name in COSTS] == ["float64"] * len(COSTS)


def test_the_rows_of_a_plan_are_in_its_order():
    frame = frame_of([record(t) for t in (2, 5, 0, 1)], CELLS)
    assert planned_rows(frame, [key(t) for t in (0, 1, 2, 3)])["trial"].tolist() == [0, 1, 2]
