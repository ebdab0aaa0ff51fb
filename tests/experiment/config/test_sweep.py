"""Sweeps: the block and the options mean the same, and errors name their place."""

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
BLOCK = "sweep: {pckmeans.w: 1:100:x10, R + k.shrinkage: [0.1, 0.2]}\n"


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


def test_the_block_in_the_file_and_the_options_mean_the_same():
    block = sweep_of(TEXT + BLOCK)
    options = sweep_of(TEXT, "pckmeans.w=1,10,100", "R + k.shrinkage=0.1,0.2")
    assert block.algorithms == options.algorithms
    assert (block.name, block.title) == (options.name, options.title)
    widened = sweep_of(TEXT + BLOCK, "pckmeans.w=7", "select=heldout")
    assert widened.algorithms[0].params["w"] == [7]
    assert {entry.select for entry in widened.algorithms} == {"heldout"}
    assert sweep_of(TEXT + BLOCK.replace("}", ", select: oracle:nmi}")).algorithms[0].select == "oracle:nmi"


def test_a_plain_run_does_not_notice_the_block():
    with_block, without = parse(TEXT + BLOCK, source="x.yaml"), parse(TEXT, source="x.yaml")
    assert with_block.algorithms == without.algorithms


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ("pckmean.w=1", "sweep pckmean.w=1: there is no item 'pckmean'; did you mean 'pckmeans'?"),
        ("pckmeans.ww=1", "sweep pckmeans.ww=1: 'pckmeans' has no parameter 'ww'; did you mean 'w'?"),
        ("pckmeans.w=1,-2", "sweep pckmeans.w=1,-2: 'w' of 'pckmeans' must be a number >= 0 or 'auto', got -2"),
        ("pckmeans.w=5:1:1", "'5:1:1' does not lead from its start to its end"),
        ("pckmeans.random_state=1", "is set by the experiment's seed"),
        ("w=1", "sweep w=1: 'w' needs its algorithm: write kmeans.w=1"),
        ("pckmeans.w", "write it as ALGORITHM.PARAMETER=VALUES"),
    ],
)  # fmt: skip
def test_mistakes_in_an_option_name_it(grid, says):
    with pytest.raises(ConfigError) as caught:
        sweep_of(TEXT, grid)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("rule", "says"), [("orakle", "must be none, heldout or"), ("oracle:ac", "no metric 'ac'")]
)
def test_a_wrong_choice_names_the_option(rule, says):
    with pytest.raises(ConfigError, match=f"^sweep select={rule}: .*{says}"):
        sweep_of(TEXT, "pckmeans.w=1", f"select={rule}")


@pytest.mark.parametrize(
    ("block", "place"),
    [("pckmean.w: 1", "10:3"), ("pckmeans.w: [1, -2]", "10:3"), ("kmeans.n_init: 10:50:0", "10:3"), ("selct: none", "10:3")],
)  # fmt: skip
def test_a_mistake_in_the_block_has_a_line_and_a_column(block, place):
    with pytest.raises(ConfigError, match=f"^x.yaml:{place}: "):
        sweep_of(f"{TEXT}sweep:\n  {block}\n")


def test_a_name_for_two_algorithms_is_refused():
    text = TEXT.replace("- kmeans\n", "- {name: rca, label: twin}\n")
    with pytest.raises(ConfigError, match=r"'rca' means several algorithms\. Give each a label"):
        sweep_of(text, "rca.shrinkage=0.1")
    assert sweep_of(text, "twin.shrinkage=0.1").algorithms[0].label == "twin"


def test_a_sweep_of_nothing_is_refused():
    for text in (TEXT, TEXT + "sweep: {select: heldout}\n"):
        with pytest.raises(ConfigError, match=r"nothing varies\. Name a grid"):
            sweep_of(text)


def test_ranges_need_no_quotes_in_yaml():
    # YAML 1.1 takes 10:50:10 for a number to the base 60.
    (entry,) = sweep_of(TEXT + "sweep: {kmeans.n_init: 10:50:10}\n").algorithms
    assert entry.params == {"n_init": [10, 20, 30, 40, 50]}
