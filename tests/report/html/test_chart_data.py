import numpy as np
import pytest

from cscluster.report.aggregate import collect
from cscluster.report.html.chart_data import box, chart_data, columns, parameter_grids

from .runs import entry, store, trial


def test_a_box_is_tukeys():
    # Worked out by hand: quartiles 2, 3, 4; the reach is 1.5 * 2, so 20 is outside.
    assert box(np.array([1.0, 2.0, 3.0, 4.0, 20.0])) == [1.0, 2.0, 3.0, 4.0, 4.0]
    assert box(np.array([0.5])) == [0.5] * 5


def test_cells_are_named_by_numbers(tmp_path):
    values = {
        ("iris", "a"): [0.2, 0.4],
        ("iris", "b"): [0.6, None],
        ("wine", "a"): [0.1, 0.3],
        ("wine", "b"): [None, None],
    }
    records = [
        trial(name, value, trial=t, dataset=data)
        for (data, name), some in values.items()
        for t, value in enumerate(some)
    ]
    data = chart_data(
        collect(store(tmp_path, [entry("a"), entry("b")], records, metrics=["error", "acc"])), True
    )
    assert data["metrics"] == [
        {"name": "error", "lower": True},
        {"name": "ACC (majority)", "lower": False},
    ]
    found = {tuple(cell["at"]): cell for cell in data["cells"]}
    assert len(found) == 8
    cell = found[1, 0, 0, 0]
    assert cell["mean"] == pytest.approx(0.3)
    assert (cell["n"], cell["trials"]) == (2, [0.2, 0.4])
    assert found[1, 0, 1, 0]["trials"] == [0.6]
    assert found[1, 1, 1, 0]["n"] == 0
    assert "box" not in found[1, 1, 1, 0]


def test_without_trials_there_are_boxes_still(tmp_path):
    results = collect(
        store(tmp_path, [entry("a")], [trial("a", v, trial=t) for t, v in enumerate((0.1, 0.3))])
    )
    (cell,) = chart_data(results, with_trials=False)["cells"]
    assert cell["box"] == pytest.approx([0.1, 0.15, 0.2, 0.25, 0.3])
    assert "trials" not in cell


def test_columns_are_in_increasing_order(tmp_path):
    records = [trial("a", 0.5, point=point, tier=tier) for point in (100, 20) for tier in (1, 2)]
    results = collect(store(tmp_path, [entry("a")], records, kind="tiers"))
    assert columns(results) == [(20, 1), (20, 2), (100, 1), (100, 2)]
    assert [c["text"] for c in chart_data(results, True)["columns"]][:2] == ["20, tier 1", "20, tier 2"]


def test_rows_of_a_grid_are_one_family(tmp_path):
    records = [trial("a", 0.5, grid={"lam": lam, "s": s}) for lam in (1, 10) for s in ("x", None)]
    records += [trial("b", 0.5)]
    results = collect(store(tmp_path, [entry("a"), entry("b")], records))
    (grid,) = parameter_grids(results)
    assert (grid["name"], grid["params"]) == ("A", ["lam", "s"])
    assert grid["rows"][1] == {"label": 1, "values": {"lam": 1, "s": None}}


def test_a_chosen_point_of_a_grid_is_no_family(tmp_path):
    records = [trial("a", 0.1 * lam, grid={"lam": lam}) for lam in (1, 2)]
    assert parameter_grids(collect(store(tmp_path, [entry("a", select="oracle:acc")], records))) == []
