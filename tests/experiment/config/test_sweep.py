"""Sweeps: grids vary what they name, and errors name the grid."""

import pytest

from cscluster.errors import ConfigError
from cscluster.experiment.config.load import parse
from cscluster.experiment.plan.trials import make_plan

TEXT = """\
name: small
datasets: [iris]
constraints: {kind: random_pairs, counts: [10, 20]}
algorithms:
  - kmeans
  - {name: pckmeans, params: {w: [3, 4], max_iter: 50}, select: oracle:acc}
  - {name: rca, label: R + k}
trials: 2
"""


def sweep_of(text, *grids):
    return parse(text, source="x.yaml", sweep=list(grids))


def test_only_what_is_varied_takes_part():
    experiment = sweep_of(TEXT, "pckmeans.w=1:100:x10")
    (entry,) = experiment.algorithms
    assert entry.params == {"w": [1, 10, 100], "max_iter": 50}
    assert entry.select == "none"
    assert experiment.name == "small-sweep"
    plan = list(make_plan(experiment))
    assert len(plan) == 3 * 2 * 2
    assert [trial.cell.grid for trial in plan[:3]] == [{"w": 1}, {"w": 10}, {"w": 100}]


def test_several_grids_of_an_algorithm_multiply():
    plan = make_plan(sweep_of(TEXT, "pckmeans.w=1,2", "pckmeans.max_iter=10,20,30", "kmeans.n_init=1"))
    assert len({(t.cell.label, str(t.cell.grid)) for t in plan}) == 2 * 3 + 1


def test_all_that_varies_is_chosen_by_one_rule():
    assert {
        entry.select for entry in sweep_of(TEXT, "pckmeans.w=1,2", "R + k.shrinkage=0.1,0.2").algorithms
    } == {"none"}
    chosen = sweep_of(TEXT, "pckmeans.w=7", "select=heldout", "R + k.shrinkage=0.1")
    assert {entry.select for entry in chosen.algorithms} == {"heldout"}


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ("pckmean.w=1", r"sweep pckmean\.w=1: .*'pckmean'.*'pckmeans'"),
        ("pckmeans.ww=1", r"sweep pckmeans\.ww=1: 'pckmeans'.*'ww'.*'w'"),
        ("pckmeans.w=1,-2", r"sweep pckmeans\.w=1,-2: 'w'.*'pckmeans'.*-2"),
        ("pckmeans.w=5:1:1", "'5:1:1'.*start.*end"),
        ("pckmeans.random_state=1", "'random_state'.*seed"),
        ("w=1", r"sweep w=1: 'w'.*kmeans\.w=1"),
        ("pckmeans.w", r"ALGORITHM\.PARAMETER=VALUES"),
    ],
)  # fmt: skip
def test_mistakes_in_an_option_name_it(grid, says):
    with pytest.raises(ConfigError, match=says):
        sweep_of(TEXT, grid)


@pytest.mark.parametrize(("rule", "says"), [("orakle", "none, heldout"), ("oracle:ac", "metric 'ac'")])
def test_a_wrong_choice_names_the_option(rule, says):
    with pytest.raises(ConfigError, match=f"^sweep select={rule}: .*{says}"):
        sweep_of(TEXT, "pckmeans.w=1", f"select={rule}")


def test_a_name_for_two_algorithms_is_refused():
    text = TEXT.replace("- kmeans\n", "- {name: rca, label: twin}\n")
    with pytest.raises(ConfigError, match=r"'rca'.*label"):
        sweep_of(text, "rca.shrinkage=0.1")
    assert sweep_of(text, "twin.shrinkage=0.1").algorithms[0].label == "twin"


@pytest.mark.parametrize("grids", [[], ["select=heldout"]])
def test_a_sweep_of_nothing_is_refused(grids):
    with pytest.raises(ConfigError, match="nothing varies"):
        sweep_of(TEXT, *grids)
