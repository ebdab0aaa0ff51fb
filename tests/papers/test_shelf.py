"""Where runs lie, and which of their draws count."""

from cscluster import KMeans, PCKMeans
from cscluster.experiment.config.schema import Experiment
from cscluster.papers.shelf import Shelf, in_complete_draws, of_earlier_versions
from tests.report.stored import trial

EXPERIMENT = Experiment.model_validate(
    {
        "name": "cut",
        "datasets": ["iris", "wine"],
        "constraints": {"kind": "random_pairs", "counts": [10, 20]},
        "algorithms": [
            {"name": "kmeans", "label": "A"},
            {"name": "pckmeans", "label": "B", "params": {"w": [1, 2]}},
        ],
        "trials": 2,
        "repeats": 2,
    }
)


def records(label, dataset, draws, grid=({},)):
    return [
        trial("a", 0.5, label=label, dataset=dataset, trial=2 * draw + repeat, point=point, grid=params)
        for draw in draws
        for point in (10, 20)
        for repeat in (0, 1)
        for params in grid
    ]


def test_a_draw_counts_for_the_methods_that_have_run_all_of_it():
    of_a, of_b = records("A", "iris", [0, 1]), records("B", "iris", [0, 1], [{"w": 1}, {"w": 2}])
    everything = of_a + of_b
    assert in_complete_draws(EXPERIMENT, everything) == everything
    first = [record for record in of_b if record["trial"] < 2]
    assert in_complete_draws(EXPERIMENT, of_a + of_b[:-1]) == of_a + first
    elsewhere = records("A", "wine", [0])[:-1]
    assert in_complete_draws(EXPERIMENT, of_a + elsewhere) == of_a, "another data set is another matter"


def test_a_point_of_a_grid_that_was_not_run_leaves_no_draw_complete():
    assert in_complete_draws(EXPERIMENT, records("B", "iris", [0, 1], [{"w": 1}])) == []


def test_methods_that_are_not_planned_any_more_do_not_count():
    assert in_complete_draws(EXPERIMENT, records("C", "iris", [0])) == []


class Cells:
    """A result directory of which only the meaning of its cells is asked for."""

    def __init__(self, **cells):
        self._cells = cells

    def cells(self):
        return self._cells


def test_trials_of_earlier_versions_are_counted():
    now = {"algorithm": "kmeans", "version": KMeans.version, "clusterer": None, "clusterer_version": None}
    joined = {"clusterer": ["pckmeans", {}], "clusterer_version": PCKMeans.version - 1}
    folder = Cells(
        a=now,
        b={**now, "version": KMeans.version - 1},
        c={**now, **joined},
        d={**now, "algorithm": "a_method_that_is_gone"},
    )
    found = of_earlier_versions(folder, [trial("x", 0.5, label=cell.upper(), cell=cell) for cell in "aabbcd"])
    assert found == {"B": 2, "C": 1, "D": 1}


def test_places(tmp_path):
    paper = Shelf(tmp_path, "papers", "p2020", "quick")
    assert paper.run("fig1").path == tmp_path / "papers-quick" / "p2020" / "fig1"
    assert paper.summary == tmp_path / "reference" / "quick_p2020.csv"
    assert paper.restore("fig1") == 0
    benchmark = Shelf(tmp_path, "benchmark", "benchmark", "full")
    assert benchmark.run("links").path == tmp_path / "benchmark" / "links"
    assert benchmark.summary == tmp_path / "reference" / "benchmark.csv"
    assert benchmark.records("links") == []
