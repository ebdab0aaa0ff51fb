from cscluster.experiment.config.load import parse
from cscluster.papers.outlook import Costs, cost, outlook
from tests.store.values import record

EXPERIMENT = parse(
    """
name: ahead
datasets: [iris, wine, glass]
constraints: {kind: random_pairs, counts: [10, 20]}
algorithms: [{name: kmeans, label: A}, {name: pmmc, label: B, params: {lam: [0.1, 1, 10]}}]
trials: 3
repeats: 2
""",
    source="ahead.yaml",
)


def trial(number, dataset, label, cpu_seconds, **more):
    fields = {"dataset": dataset, "label": label, "cell": f"{label} on {dataset}", "point": 10, "trial": 0}
    return record(str(number), **{**fields, "cpu_seconds": cpu_seconds, **more})


def test_each_method_on_each_data_set_that_is_there_is_planned():
    found = outlook("p/ahead", EXPERIMENT, ["glass"], [], set(), [])
    assert found.planned == 2 * (2 * 3 * 2) * (1 + 3)
    assert (found.stored, found.seconds, found.unknown) == (0, {}, found.planned)


def test_what_is_left_costs_what_stored_trials_took():
    stored = [trial(0, "iris", "A", 1.0), trial(1, "iris", "A", 2.0, trial=1, point=20)]
    stored += [trial(2, "iris", "A", 6.0, trial=2, cell="of an earlier version")]
    quick = [trial(3, "iris", "B", 0.5), trial(4, "iris", "A", 100.0)]
    found = outlook("p/ahead", EXPERIMENT, ["glass", "wine"], stored, {"A on iris"}, quick)
    assert (found.planned, found.stored) == (48, 2)
    assert found.seconds == {("iris", "A"): 10 * 3.0, ("iris", "B"): 36 * 0.5}
    assert found.unknown == 0


def test_trials_that_are_not_planned_any_more_do_not_count():
    stored = [trial(0, "iris", "A", 1.0, trial=6), trial(1, "iris", "A", 1.0, point=30)]
    assert outlook("p/ahead", EXPERIMENT, [], stored, {"A on iris"}, []).stored == 0


def test_without_cpu_seconds_those_of_the_clock_count():
    old = record("0", seconds={"offline": 1.0, "fit": 2.0})
    del old["cpu_seconds"]
    assert cost(old) == 3.0
    assert cost(record("0", seconds={"fit": 2.0}, cpu_seconds=0.0)) == 0.0


def test_failed_trials_have_no_cost():
    assert Costs([record("0", dataset="iris", label="A", status="error")]).get(("iris", "A")) is None
