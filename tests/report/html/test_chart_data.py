import numpy as np
import pytest

from cscluster.report.aggregate import collect
from cscluster.report.html.chart_data import box, chart_data, columns

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
    data = chart_data(collect(store(tmp_path, [entry("a"), entry("b")], records, metrics=["error", "acc"])))
    assert data["metrics"] == [
        {"name": "error", "lower": True},
        {"name": "ACC (majority)", "lower": False},
    ]
    found = {tuple(cell["at"]): cell for cell in data["cells"]}
    assert len(found) == 8
    cell = found[1, 0, 0, 0]
    assert cell["mean"] == pytest.approx(0.3)
    assert cell["n"] == 2
    assert cell["box"] == pytest.approx([0.2, 0.25, 0.3, 0.35, 0.4])
    assert found[1, 1, 1, 0]["n"] == 0
    assert found[1, 1, 1, 0]["box"] is None


def test_columns_are_in_increasing_order(tmp_path):
    records = [trial("a", 0.5, point=point, tier=tier) for point in (100, 20) for tier in (1, 2)]
    results = collect(store(tmp_path, [entry("a")], records, kind="tiers"))
    assert columns(results) == [(20, 1), (20, 2), (100, 1), (100, 2)]
    assert [c["text"] for c in chart_data(results)["columns"]][:2] == ["20, tier 1", "20, tier 2"]
