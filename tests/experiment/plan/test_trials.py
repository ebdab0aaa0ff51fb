"""Plans and keys: a key changes with the meaning of a trial and with nothing else."""

import json
from dataclasses import replace

import pytest

from cscluster import Guarded
from cscluster.algorithms import registry
from cscluster.errors import ConfigError
from cscluster.experiment.config.load import parse
from cscluster.experiment.engine import trial as trials
from cscluster.experiment.plan.trials import compare, make_plan, resolved_params
from cscluster.store.frame import COSTS, trials_frame, with_names
from tests.lines import assert_match

TEXT = """\
name: small
datasets: [iris, wine]
constraints: {kind: random_pairs, counts: [10, 20]}
algorithms:
  - kmeans
  - {name: kmeans, label: grid, params: {n_init: [1, 2], tol: [0.1]}}
trials: 3
seed: 5
"""


def plan_of(text=TEXT, **changes):
    for old, new in changes.get("swap", {}).items():
        assert old in text
        text = text.replace(old, new)
    return make_plan(parse(text, source="x.yaml"))


def keys(plan):
    return {key for trial in plan for key in trial.keys}


def test_the_plan_is_the_product_of_its_parts():
    plan = plan_of()
    assert len(list(plan)) == 2 * 2 * 3 * (1 + 2)
    assert keys(plan) == set(plan.plan.keys())
    assert len(keys(plan)) == 36
    assert {tuple(t.cell.grid.items()) for t in plan} == {
        (),
        (("n_init", 1), ("tol", 0.1)),
        (("n_init", 2), ("tol", 0.1)),
    }
    assert {t.cell.n_clusters for t in plan} == {3}


def test_a_trial_knows_its_repetition():
    plan = plan_of(swap={"trials: 3": "trials: 3\nrepeats: 2"})
    assert {(t.trial, t.repetition) for t in plan} == {(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)}


@pytest.mark.parametrize(
    "swap",
    [
        {"name: small": "name: other\ntitle: another title"},
        {"- kmeans\n": "- {name: kmeans, label: Lloyd, timeout: 5}\n"},
        {"[iris, wine]": "[wine, iris]"},
        {"counts: [10, 20]": "counts: [20, 10]"},
        {"- kmeans\n": "- {name: kmeans, params: {n_init: 10}}\n"},  # the default, spelled out
    ],
)
def test_cosmetic_changes_keep_the_keys(swap):
    assert keys(plan_of(swap=swap)) == keys(plan_of())


def test_what_means_the_same_under_two_labels_is_planned_twice():
    # 10 is the default of n_init: the plain k-means and a point of the grid are the same.
    twins = plan_of(swap={"n_init: [1, 2], tol: [0.1]": "n_init: [1, 10]"})
    assert len(keys(twins)) == len(list(twins)) == 36
    turned = TEXT.replace("  - kmeans\n", "").replace("trials", "  - kmeans\ntrials")
    assert keys(plan_of(turned, swap={"n_init: [1, 2], tol: [0.1]": "n_init: [10, 1]"})) == keys(twins)


@pytest.mark.parametrize(
    ("swap", "shared"),
    [
        ({"seed: 5": "seed: 6"}, 0),
        ({"trials: 3": "trials: 4"}, 36),
        ({"counts: [10, 20]": "counts: [10, 20, 30]"}, 36),
        ({"counts: [10, 20]": "counts: [10, 20], noise: 0.1"}, 0),
        ({"tol: [0.1]": "tol: [0.2]"}, 12),
        ({"seed: 5": "seed: 5\npreprocess: [center]"}, 0),
        ({"seed: 5": "seed: 5\nn_clusters: 4"}, 0),
    ],
)
def test_changes_of_meaning_change_the_keys_concerned(swap, shared):
    assert len(keys(plan_of(swap=swap)) & keys(plan_of())) == shared


def test_content_of_a_file_counts_and_its_place_does_not(tmp_path):
    def plan_for(folder, rows):
        folder.mkdir(exist_ok=True)
        (folder / "d.csv").write_text("a,b,class\n" + rows)
        text = TEXT.replace("[iris, wine]", f"[{{base: '{folder}/d.csv', target: class, name: d}}]")
        return keys(make_plan(parse(text.replace("[10, 20]", "[2, 3]"), source="x.yaml")))

    rows = "1,2,x\n2,3,y\n3,1,x\n9,9,z\n"
    assert plan_for(tmp_path / "a", rows) == plan_for(tmp_path / "b", rows)
    assert not plan_for(tmp_path / "a", rows) & plan_for(tmp_path / "b", rows.replace("9,9", "9,8"))


def stored_of(plan):
    """Run a plan; return what is stored then, and what its cells are."""
    cells = plan.entries()
    records = (record for trial in plan for record in trials.run(trial, "here"))
    return with_names(trials_frame(records), cells), cells


def with_metrics(plan, *metrics):
    return replace(plan, cells={hash_: replace(cell, metrics=metrics) for hash_, cell in plan.cells.items()})


def test_compare_says_what_is_stored_and_why_something_is_stale():
    plan = plan_of(swap={"trials: 3": "trials: 1"})
    stored, cells = stored_of(plan)
    same = compare(plan, stored, cells)
    assert (same.todo, len(same.stored), same.n_stale) == ([], 12, 0)

    more = compare(plan_of(swap={"trials: 3": "trials: 2"}), stored, cells)
    assert (len(more.todo), len(more.stored), more.n_stale) == (12, 12, 0)

    reseeded = compare(plan_of(swap={"trials: 3": "trials: 1", "seed: 5": "seed: 6"}), stored, cells)
    assert (len(reseeded.todo), len(reseeded.stored), reseeded.n_stale) == (12, 0, 12)
    assert_match(reseeded.reasons, r"^12 .*seed.*\b5\b.*\b6$")

    scoped = compare(with_metrics(plan, "acc@unconstrained"), stored, cells)
    assert_match(scoped.reasons, "^12 .*metric was added")
    assert (len(scoped.todo), len(scoped.stored), scoped.n_stale) == (12, 0, 0)  # all are part of the plan

    assert len(compare(with_metrics(plan, "acc", *COSTS), stored, cells).stored) == 12

    nothing = compare(plan, stored[:0], {})
    assert (len(nothing.todo), nothing.stored, nothing.reasons) == (12, set(), [])


def test_a_reason_is_given_where_the_difference_is_a_default_of_none():
    stored, cells = stored_of(plan_of(swap={"trials: 3": "trials: 1"}))
    other = plan_of(swap={"trials: 3": "trials: 1", "seed: 5": "seed: 6"})
    without = {
        hash_: entry.model_copy(update={"identity": {**new.identity, "clusterer": None}})
        for (hash_, entry), new in zip(cells.items(), other.entries().values(), strict=True)
    }
    assert_match(compare(other, stored, without).reasons, "^12 .*parameters")


def test_a_trial_of_which_one_tier_is_missing_is_to_be_run():
    tiers = {"kind: random_pairs, counts: [10, 20]": "kind: tiers, per_tier: [5], tiers: 3"}
    plan = plan_of(swap={**tiers, "trials: 3": "trials: 1"})
    stored, cells = stored_of(plan)
    found = compare(plan, stored.drop(index=4), cells)
    assert (len(found.todo), len(found.stored)) == (1, 17)
    assert stored["key"][4] in found.todo[0].keys


def test_a_failure_is_complete_whatever_is_asked():
    plan = plan_of(swap={"trials: 3": "trials: 1"})
    stored, cells = stored_of(plan)
    failed = stored.assign(status="error", recorded=[()] * len(stored))
    assert not compare(with_metrics(plan, "acc@unseen"), failed, cells).todo


def test_labels_that_change_places_are_not_stale():
    text = TEXT.replace("- kmeans\n", "- {name: kmeans, label: one}\n").replace("label: grid", "label: two")
    text = text.replace("n_init: [1, 2], tol: [0.1]", "n_init: 3").replace("trials: 3", "trials: 1")
    stored, cells = stored_of(plan_of(text))
    turned = text.replace("one", "other").replace("two", "one").replace("other", "two")
    assert compare(plan_of(turned), stored, cells).todo == []


def test_a_new_version_of_an_algorithm_makes_its_trials_stale(monkeypatch):
    from cscluster import KMeans

    plan = plan_of(swap={"trials: 3": "trials: 1"})
    stored, cells = stored_of(plan)
    monkeypatch.setattr(KMeans, "version", 99)
    found = compare(plan_of(swap={"trials: 3": "trials: 1"}), stored, cells)
    before = next(iter(cells.values())).identity["version"]
    assert_match(found.reasons, rf"^12 .*version of 'kmeans'.*\b{before}\b.*\b99$")


def test_a_guard_and_its_version_are_part_of_the_key(monkeypatch):
    def keys():
        text = TEXT.replace("- kmeans", "- pckmeans\n  - {name: pckmeans, guard: true}\n  - kmeans")
        return {trial.cell.label: trial.cell.hash for trial in plan_of(text)}

    before = keys()
    assert before["PCK-Means"] != before["PCK-Means (guarded)"]
    monkeypatch.setattr(Guarded, "version", 99)
    assert {label for label, key in keys().items() if key != before[label]} == {"PCK-Means (guarded)"}


def test_a_preset_is_the_values_that_it_stands_for():
    def keys_of(entry):
        return keys(plan_of(swap={"- kmeans\n": f"- {entry}\n"}))

    values = json.dumps(registry.find("pmmc").published())
    assert keys_of("{name: pmmc, preset: published}") == keys_of(f"{{name: pmmc, params: {values}}}")


def test_a_new_version_of_what_joins_a_metric_by_default_makes_its_trials_stale(monkeypatch):
    from cscluster import KMeans

    def hashes():
        text = TEXT.replace(
            "- kmeans", "- {name: rca, label: A}\n  - {name: rca, label: B, clusterer: pckmeans}"
        )
        return {cell.label: cell.hash for cell in plan_of(text).cells.values()}

    before = hashes()
    monkeypatch.setattr(KMeans, "version", 99)
    assert {label for label, key in hashes().items() if key == before[label]} == {"B"}


@pytest.mark.parametrize(
    ("swap", "says"),
    [
        ({"counts: [10, 20]": "counts: [99999]"}, "'iris'.*99999 constraints.*150 samples.*11175"),
        ({"seed: 5": "n_clusters: 151"}, "151 clusters.*'iris'.*150"),
        ({"[iris, wine]": "[usps]"}, "'usps'.*bundled"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned(swap, says, monkeypatch):
    monkeypatch.delenv("CSCLUSTER_DATA", raising=False)
    with pytest.raises(ConfigError, match=says):
        plan_of(swap=swap)


def test_sparse_data_stays_sparse_where_the_algorithm_allows(tmp_path):
    (tmp_path / "s.libsvm").write_text("".join(f"{i % 2} {i % 7 + 1}:1 {i + 8}:2\n" for i in range(12)))
    text = TEXT.replace("[iris, wine]", f"['{tmp_path}/s.libsvm']").replace("[10, 20]", "[3]")
    sparse_one = next(iter(make_plan(parse(text, source="x.yaml"))))
    assert sparse_one.cell.data.preprocess == ()
    dense_one = next(iter(make_plan(parse(text.replace("- kmeans\n", "- pckmeans\n"), source="x.yaml"))))
    assert "dense" in dense_one.cell.data.preprocess[0]
    for planned in (sparse_one, dense_one):
        assert [record["status"] for record in trials.run(planned, "here")] == ["ok"]


@pytest.mark.parametrize(
    "swap",
    [
        {"trials: 3": "trials: 10000000000"},
        {"trials: 3": "trials: 3\nrepeats: 10000000"},
        {"kind: random_pairs, counts: [10, 20]": "kind: tiers, per_tier: [0], tiers: 1000000000"},
        {"n_init: [1, 2], tol: [0.1]": f"n_init: {list(range(1, 4001))}, tol: {list(range(4000))}"},
    ],
    ids=["trials", "repeats", "tiers", "grid"],
)
def test_a_plan_that_no_memory_holds_is_refused(swap):
    with pytest.raises(ConfigError, match=r"trials.*10000000"):
        plan_of(swap=swap)


def test_a_list_of_noise_is_an_axis_whose_trials_are_those_of_each_value_alone():
    several = plan_of(swap={"counts: [10, 20]": "counts: [10, 20], noise: [0, 0.2]"})
    clean, noisy = plan_of(), plan_of(swap={"counts: [10, 20]": "counts: [10, 20], noise: 0.2"})
    assert keys(several) == keys(clean) | keys(noisy)
    assert {t.cell.grid["noise"] for t in several} == {0.0, 0.2}
    assert all("noise" not in t.cell.params for t in several)


def test_links_that_vary_are_no_choice():
    text = TEXT.replace("label: grid", "label: grid, select: oracle:ari").replace(
        "20]}", "20], noise: [0, 0.2]}"
    )
    with pytest.raises(ConfigError, match=r"'constraints'.*\(noise\).*'select'"):
        parse(text, source="x.yaml")
    twice = TEXT.replace("20]}", "20], noise: [0.2, 0.2]}")
    with pytest.raises(ConfigError, match=r"0\.2.*'noise'"):
        parse(twice, source="x.yaml")


def test_an_added_parameter_at_its_default_is_no_part_of_a_key():
    csp = registry.find("csp")
    assert "metric" not in resolved_params(csp, {})
    assert resolved_params(csp, {"metric": "precomputed"})["metric"] == "precomputed"
