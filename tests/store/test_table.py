import math

from cscluster.store.table import COSTS, RecordTable
from tests.store.values import record


def rows(table):
    """Return the rows of a table, in their order, as they can be put together from its groups."""
    found = {}
    for group in table.groups:
        width = len(group.metrics) + len(COSTS)
        for number, row in enumerate(group.rows):
            point, tier, trial = group.places[4 * number + 1 : 4 * number + 4]
            scores = group.scores[number * width : (number + 1) * width]
            found[row] = {
                "key": table.keys[row],
                "status": group.status,
                "label": group.label,
                "params": group.params,
                "place": (point, tier, trial),
                "scores": dict(zip([*group.metrics, *COSTS], scores, strict=True)),
                "error": table.errors.get(row),
            }
    return [found[row] for row in sorted(found)]


def test_a_table_holds_what_the_records_say():
    failed = {"status": "error", "metrics": {}, "seconds": {}, "cpu_seconds": None, "iterations": None}
    table = RecordTable(
        [
            record("a", label="A", params={"w": 1}, point=10, tier=2, trial=3, iterations=7,
                   metrics={"acc": 0.5, "nmi": 0.25}, seconds={"offline": 1.0, "fit": 2.0, "update": 4.0},
                   cpu_seconds=6.5),
            record("b", label="B"),
            record("c", label="A", params={"w": 1}, metrics={"acc": 1.0, "nmi": 0.0}, point=20),
            record("d", label="B", error={"type": "ValueError", "message": "broke"}, **failed),
        ]
    )  # fmt: skip
    first, second, third, fourth = rows(table)
    costs = {"seconds": 7.0, "fit_seconds": 6.0, "cpu_seconds": 6.5, "iterations": 7.0}
    assert first["scores"] == {"acc": 0.5, "nmi": 0.25, **costs}
    assert (first["place"], third["place"]) == ((10, 2, 3), (20, 1, 0))
    assert [row["label"] for row in (first, second, third, fourth)] == ["A", "B", "A", "B"]
    assert [row["key"] for row in (first, second, third, fourth)] == ["a", "b", "c", "d"]
    assert fourth["status"] == "error"
    assert fourth["error"] == {"type": "ValueError", "message": "broke"}
    assert all(math.isnan(value) for value in fourth["scores"].values())
    assert len(table) == 4
    assert len(table.groups) == 3


def test_none_is_not_a_number_and_not_a_missing_metric():
    (group,) = RecordTable([record("a", metrics={"acc": None})]).groups
    assert group.metrics == ("acc",)
    assert math.isnan(group.scores[0])


def test_parameters_that_take_turns_stay_apart():
    values = [1, 2, 1, 2, 1]
    table = RecordTable(record(str(number), params={"w": w}) for number, w in enumerate(values))
    assert [row["params"]["w"] for row in rows(table)] == values
    assert [table.keys_of(group) for group in table.groups] == [["0", "2", "4"], ["1", "3"]]


def test_a_part_keeps_its_keys():
    table = RecordTable([record("a"), record("b", status="timeout"), record("c")])
    part = table.where(lambda group: group.status != "ok")
    assert list(part.all_keys()) == ["b"]
    assert len(part) == 1
