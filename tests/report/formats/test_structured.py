import json

import pytest

from cscluster.report.aggregate import collect
from cscluster.report.formats import structured
from tests.report.stored import FIVE, entry, oracle, store, three_by_three, trial


def read(*folders):
    def never(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(structured.text([collect(folder) for folder in folders]), parse_constant=never)["runs"]


def test_shape(tmp_path):
    (run,) = read(three_by_three(tmp_path, datasets=FIVE))
    assert (run["name"], run["title"], run["planned"], run["axis"]) == ("run", "A title", 8, "point")
    assert (run["datasets"], run["labels"], run["metrics"]) == (
        list(FIVE),
        ["A", "B", "C"],
        ["acc"],
    )
    assert len(run["cells"]) == 5 * 3 * 2
    assert {cell["label"] for cell in run["cells"] if cell["best"]} == {"C"}
    (found,) = run["statistics"]
    assert found["sentence"].startswith("C has the highest ACC (majority)")
    assert [place["ordering"] for place in found["datasets"]] == ["A < B < C"] * 5
    assert [(p["a"], p["b"], p["winner"]) for p in found["datasets"][0]["pairs"]] == [
        ("A", "B", "B"),
        ("A", "C", "C"),
        ("B", "C", "C"),
    ]
    assert found["friedman"]["mean_ranks"] == {"A": 3, "B": 2, "C": 1}
    assert found["friedman"]["nemenyi"]["A"]["C"] == pytest.approx(found["friedman"]["nemenyi"]["C"]["A"])


def test_what_is_no_number_is_null(tmp_path):
    records = [trial("a", 0.5, trial=t) for t in (0, 1)] + [trial("b", 0.7, trial=t) for t in (0, 1)]
    records += [trial("c", None, trial=t) for t in (0, 1)]
    (run,) = read(store(tmp_path, [entry(n) for n in "abc"], records))
    assert [cell["mean"] for cell in run["cells"]] == [0.5, 0.7, None]
    (pair,) = run["statistics"][0]["datasets"][0]["pairs"]
    assert pair["cohen_dz"] is None
    assert run["statistics"][0]["friedman"] is None
    assert run["failures"] == [
        {"dataset": "iris", "label": "C", "status": "error", "message": "ValueError: it broke", "count": 2}
    ]


def test_oracles_are_marked(tmp_path):
    (run,) = read(oracle(tmp_path, label="A"))
    assert [cell["oracle"] for cell in run["cells"]] == [True]
    assert run["statistics"][0]["datasets"][0]["ordering"] == "A *"


def test_several_runs_and_none(tmp_path):
    empty = store(tmp_path / "empty", [entry("a")], [])
    assert [len(run["cells"]) for run in read(oracle(tmp_path / "run"), empty)] == [1, 0]
