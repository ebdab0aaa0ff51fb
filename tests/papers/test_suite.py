"""What is stored of an experiment of a paper, and what is left to run."""

import pytest
from pandas.testing import assert_frame_equal

from cscluster import KMeans
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import run_job
from cscluster.experiment.plan.trials import make_plan
from cscluster.papers import benchmark, reproduce
from cscluster.papers.suite import (
    StoredTrials,
    SuiteItem,
    complete_repetitions,
    in_complete_repetitions,
    is_current,
    outdated,
)
from cscluster.store.directory import RunDirectory

TEXT = """
name: fig1
datasets: [{name: few, base: iris, per_class: 10}, {name: more, base: iris, per_class: 12}]
constraints: {kind: random_pairs, counts: [5, 10]}
algorithms:
  - {name: kmeans, label: A}
  - {name: kmeans, label: B, params: {n_init: [1, 2]}, select: "oracle:acc"}
trials: 2
repeats: 2
metrics: [acc]
"""


@pytest.fixture
def item(tmp_path):
    (tmp_path / "fig1.yaml").write_text(TEXT)
    return SuiteItem(
        "p/fig1",
        str(tmp_path / "fig1.yaml"),
        [],
        RunDirectory(tmp_path / "papers" / "fig1"),
        RunDirectory(tmp_path / "reference" / "fig1"),
    )


@pytest.fixture
def stored(item):
    run_job(item.prepare(retry_failed=False), Pool(1))
    return item.stored()


def fresh(item, **changes):
    """Return the same experiment in another process, which has read nothing yet."""
    fields = {name: getattr(item, name) for name in item.__dataclass_fields__}
    return SuiteItem(**{**fields, "local": RunDirectory(item.local.path), **changes})


def test_nothing_is_stored_at_first(item):
    assert item.stored() is None
    left = item.remaining()
    assert (left.planned, left.stored, left.seconds) == (2 * 2 * 4 * 3, 0, 0)


def test_what_is_left_costs_what_stored_trials_took(item):
    run_job(fresh(item, repetitions=1).prepare(retry_failed=False), Pool(1))
    left = item.remaining()
    assert (left.planned, left.stored) == (48, 24)
    seconds = item.stored().trials.groupby(["dataset", "label"])["m:cpu_seconds"].mean()
    n_left = {("few", "A"): 4, ("few", "B"): 8, ("more", "A"): 4, ("more", "B"): 8}
    assert left.seconds == pytest.approx(sum(n * seconds[slot] for slot, n in n_left.items()))


def test_what_is_left_is_planned_once(item, stored, monkeypatch):
    plans = []
    monkeypatch.setattr(
        "cscluster.papers.suite.make_plan", lambda each: plans.append(each) or make_plan(each)
    )
    assert item.remaining().stored == 48
    assert len(plans) == 1


def test_archived_trials_are_not_run_again(item, stored, tmp_path):
    item.archive(["acc"])
    elsewhere = fresh(item, local=RunDirectory(tmp_path / "elsewhere" / "fig1"))
    found = elsewhere.stored()
    columns = [
        "key",
        "dataset",
        "label",
        "grid",
        "point",
        "trial",
        "repetition",
        "status",
        "m:acc",
        "m:iterations",
    ]
    assert_frame_equal(found.trials[columns], stored.trials[columns], check_dtype=False, atol=1e-6)
    assert elsewhere.prepare(retry_failed=False).difference.todo == []
    assert elsewhere.remaining().stored == 48


def test_data_that_are_gone_stay_in_the_archive(item, stored, tmp_path):
    item.archive(["acc"])
    here = fresh(item, local=RunDirectory(tmp_path / "elsewhere" / "fig1"))
    object.__setattr__(here, "missing", ["few"])
    run_job(here.prepare(retry_failed=False), Pool(1))
    again = here.stored()
    assert again.trials["dataset"].value_counts().to_dict() == {"few": 24, "more": 24}
    assert again.definition.plan.cells == stored.definition.plan.cells


def test_a_repetition_counts_for_the_methods_that_have_run_all_of_it(stored):
    definition, trials = stored
    whole = in_complete_repetitions(stored)
    assert len(whole) == len(trials)
    assert complete_repetitions(stored) == {"A": {0, 1}, "B": {0, 1}}
    lost = trials.index[
        (trials["label"] == "B") & (trials["dataset"] == "few") & (trials["repetition"] == 1)
    ][0]
    cut = StoredTrials(definition, trials.drop(index=lost))
    left = in_complete_repetitions(cut)
    assert left.groupby(["label", "dataset"])["repetition"].nunique().to_dict() == {
        ("A", "few"): 2, ("A", "more"): 2, ("B", "few"): 1, ("B", "more"): 2,
    }  # fmt: skip
    assert complete_repetitions(cut) == {"A": {0, 1}, "B": {0}}
    of_a_point = trials["grid"] != trials.loc[lost, "grid"]
    assert set(in_complete_repetitions(StoredTrials(definition, trials[of_a_point]))["label"]) == {"A"}
    unplanned = StoredTrials(definition, trials.replace({"label": {"B": "C"}}))
    assert set(in_complete_repetitions(unplanned)["label"]) == {"A"}


def test_trials_of_earlier_versions_and_defaults_are_counted(stored, monkeypatch):
    cell = stored.definition.cells[stored.definition.plan.cells[0]]
    assert is_current(cell)
    for changed in (
        {"version": -1},
        {"algorithm": "a_method_that_is_gone"},
        {"params": {"n_init": 77}},
        {"clusterer": ["pckmeans", {}], "clusterer_version": -1},
    ):
        assert not is_current(cell.model_copy(update={"identity": {**cell.identity, **changed}}))
    assert not outdated(stored)
    monkeypatch.setattr(KMeans, "version", 99)
    assert outdated(stored) == {"A": 16, "B": 32}


def test_where_results_are(tmp_path):
    quick = reproduce.choose("zeng2012/figs4_8_small", "quick", tmp_path).experiments()[0]
    assert quick.local.path == tmp_path / "papers-quick" / "zeng2012" / "figs4_8_small"
    assert quick.reference is None
    full = benchmark.choose("links", "full", tmp_path).experiments()[0]
    assert full.local.path == tmp_path / "benchmark" / "links"
    assert full.reference.path == tmp_path / "reference" / "trials" / "benchmark" / "links"
    assert quick.stored() is full.stored() is None
