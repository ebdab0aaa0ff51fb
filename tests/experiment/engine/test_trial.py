"""One trial: fair draws, honest scores, failures as records."""

import re
from pathlib import Path

import numpy as np
import pytest
import sklearn.cluster

from cscluster import KMeans, seeds
from cscluster.algorithms import shared
from cscluster.algorithms.margin.cccp.starts import ConstraintProjections
from cscluster.data import prepared
from cscluster.experiment.config.load import parse
from cscluster.experiment.engine import trial as trials
from cscluster.experiment.plan.trials import make_plan
from cscluster.metrics import scores as metrics

TOYS = Path(__file__).parents[2] / "toys.py"


def plan_of(algorithm, schedule="{kind: random_pairs, counts: [30]}", dataset="iris", more=""):
    text = f"name: t\ndatasets: [{dataset}]\nconstraints: {schedule}\nalgorithms: [{algorithm}]\ntrials: 2\n{more}"
    return list(make_plan(parse(text, source="x.yaml")))


def run(planned):
    return list(trials.run(planned, "here"))


def test_a_trial_scores_what_the_algorithm_found():
    planned = plan_of("kmeans", more="seed: 3")[1]
    (record,) = run(planned)
    data = prepared.load(planned.cell.data)
    model = KMeans(n_clusters=3, random_state=seeds.integer(3, "iris", "algorithm", 1)).fit(data.X)
    expected = metrics.scores(data.y, model.labels_)
    assert {name: record["metrics"][name] for name in expected} == expected
    assert record["status"] == "ok"
    assert (record["trial"], record["point"], record["tier"]) == (1, 30, 1)
    assert record["iterations"] == model.n_iter_


def test_a_trial_scores_noise_too():
    first, *_ = plan_of("hdbscan")
    (record,) = run(first)
    assert 0 < record["metrics"]["noise"] < 1
    assert 0 < record["metrics"]["ari"] < 1


def test_links_by_name_are_those_by_row_number(tmp_path):
    rows = "".join(f"s{i},{i % 2 * 9 + i},{i % 2}\n" for i in range(8))
    (tmp_path / "d.csv").write_text("who,a,class\n" + rows)
    found = []
    for name, recipe, (a, b) in [
        ("names", "{base: d.csv, target: class, id: who}", ("s6", "s1")),
        ("rows", "{base: e.csv, target: class}", ("6", "1")),
    ]:
        (tmp_path / "e.csv").write_text("a,class\n" + re.sub(r"(?m)^\w+,", "", rows))
        (tmp_path / f"{name}.csv").write_text(f"a,b,link\n{a},{b},cannot\n")
        recipe = recipe.replace("base: ", f"name: d, base: {tmp_path}/")
        planned = plan_of("pckmeans", f"{{kind: file, path: {tmp_path}/{name}.csv}}", recipe)
        found.append([record["metrics"] for trial in planned for record in run(trial)])
    assert found[0] == found[1]
    assert found[0][0]["satisfied"] is not None


def without_times(record):
    return {name: value for name, value in record.items() if name not in ("seconds", "cpu_seconds")}


def test_cpu_seconds_are_those_of_the_fit(monkeypatch):
    (planned, _) = plan_of("kmeans")
    now = 0.0
    monkeypatch.setattr(shared.time, "process_time", lambda: now)
    monkeypatch.setattr(shared, "_of_process", shared.SharedWork(samples=None))  # nothing of earlier tests

    def fit(*args):
        nonlocal now
        now += 2.5
        return real(*args)

    real = sklearn.cluster.KMeans.fit
    monkeypatch.setattr(sklearn.cluster.KMeans, "fit", fit)
    assert [record["cpu_seconds"] for record in run(planned)] == [2.5]
    assert [record["cpu_seconds"] for record in run(planned)] == [2.5]
    assert now == 2.5


def test_scopes():
    more = "metrics: [acc, acc@unconstrained, acc@unseen, acc@heldout]"
    (first, _) = plan_of("kmeans", dataset="pendigit389", more=more)
    (record,) = run(first)
    data = prepared.load(first.cell.data)
    model = trials.build(first.cell, seeds.integer(0, "pendigit389", "algorithm", 0)).fit(data.X)
    links = first.cell.schedule.episode(30, data.y, 0, "pendigit389", 0).tiers[0]
    free = np.setdiff1d(np.arange(data.n_samples), links.touched)
    assert record["metrics"]["acc@unconstrained"] == metrics.score("acc", data.y[free], model.labels_[free])
    assert record["metrics"]["acc@unseen"] == metrics.score(
        "acc", data.y_unseen, model.predict(data.X_unseen)
    )
    assert record["metrics"]["acc@heldout"] is None
    assert record["seconds"]["predict"] > 0


def test_folds_score_the_held_out_fold():
    planned = plan_of(
        "kmeans", "{kind: folds, counts: [30], folds: 5}", more="metrics: [pairwise_f@heldout]"
    )[0]
    (record,) = run(planned)
    data = prepared.load(planned.cell.data)
    episode = planned.cell.schedule.episode(30, data.y, 0, "iris", 0)
    labels = trials.build(planned.cell, seeds.integer(0, "iris", "algorithm", 0)).fit(data.X).labels_
    rows = episode.heldout
    assert record["metrics"]["pairwise_f@heldout"] == metrics.score("pairwise_f", data.y[rows], labels[rows])


def test_tiers_give_a_record_each_and_rivals_are_refitted_on_all_links():
    planned = plan_of("pckmeans", "{kind: tiers, per_tier: [10], tiers: 3}")[0]
    found = run(planned)
    assert [record["tier"] for record in found] == [1, 2, 3]
    assert [record["key"] for record in found] == list(planned.keys)
    data = prepared.load(planned.cell.data)
    tiers = planned.cell.schedule.episode(10, data.y, 0, "iris", 0).tiers
    model = trials.build(planned.cell, seeds.integer(0, "iris", "algorithm", 0))
    last = model.fit(data.X, constraints=tiers[0] | tiers[1] | tiers[2])
    assert found[2]["metrics"]["acc"] == metrics.score("acc", data.y, last.labels_)


def test_repeats_share_their_links():
    plan = plan_of("pckmeans", more="repeats: 2")
    draws = []
    for planned in plan:
        data = prepared.load(planned.cell.data)
        draw = planned.trial // planned.cell.repeats
        draws.append(planned.cell.schedule.episode(30, data.y, 0, "iris", draw).tiers[0])
    assert draws[0] == draws[1]
    assert draws[2] == draws[3]
    assert draws[0] != draws[2]


@pytest.mark.parametrize("timeout", ["", "timeout: 100"])
def test_repeats_share_their_metric_and_its_warnings(timeout):
    plan = plan_of(
        "{name: itml, params: {max_iter: 1}, clusterer: {name: kmeans}}", more=f"repeats: 2\n{timeout}"
    )
    assert [planned.trial for planned in plan] == [0, 1, 2, 3]
    in_order = [run(planned)[0] for planned in plan]
    alone = [run(planned)[0] for planned in reversed(plan)][::-1]
    assert [without_times(record) for record in in_order] == [without_times(record) for record in alone]
    assert all(record["warnings"] for record in in_order)
    data = prepared.load(plan[3].cell.data)
    links = plan[3].cell.schedule.episode(30, data.y, 0, "iris", 1).tiers[0]
    metric = trials.build(plan[3].cell, seeds.integer(0, "iris", "algorithm", 1)).metric
    with pytest.warns(UserWarning, match="did not converge"):
        metric.fit(data.X, constraints=links)
    clusterer = trials.build(plan[3].cell, seeds.integer(0, "iris", "algorithm", 3)).clusterer
    labels = clusterer.fit(metric.transform(data.X)).labels_
    assert in_order[3]["metrics"]["acc"] == metrics.score("acc", data.y, labels)


@pytest.mark.parametrize("limit", ["", "timeout: 100"])
def test_each_record_is_what_it_would_be_alone(limit):
    algorithms = (
        "kmeans, cpmmc, pckmeans, {name: pmmc, params: {lam: [0.1, 1]}}, "
        "{name: cpcmmc, params: {lam: [0.1, 1]}}"
    )
    plan = plan_of(algorithms, "{kind: random_pairs, counts: [10, 30]}", more=limit)
    plan = [planned for planned in plan if planned.trial == 0]
    shared.forget()
    together = [run(planned)[0] for planned in plan]
    alone = []
    for planned in plan:
        shared.forget()
        alone += run(planned)
    assert {record["status"] for record in alone} == {"ok"}
    assert [without_times(record) for record in together] == [without_times(record) for record in alone]


def test_cells_of_a_draw_share_their_work(monkeypatch):
    drawn, fitted = [], []
    draw, fit = ConstraintProjections.__init__, sklearn.cluster.KMeans.fit
    monkeypatch.setattr(ConstraintProjections, "__init__", lambda *args: drawn.append(args) or draw(*args))
    monkeypatch.setattr(sklearn.cluster.KMeans, "fit", lambda *args: fitted.append(args) or fit(*args))
    algorithms = (
        "kmeans, cpmmc, {name: pmmc, params: {lam: [0.1, 1, 10]}}, {name: cpcmmc, params: {lam: [0.1, 1]}}"
    )
    plan = plan_of(algorithms, "{kind: random_pairs, counts: [10, 30]}")
    plan = [planned for planned in plan if planned.trial == 0]
    for planned in plan:
        trials.warm_up(planned.cell)
    shared.forget()
    drawn.clear()
    fitted.clear()
    for planned in plan:
        run(planned)
    assert len(drawn) == 2  # one for each count of links
    assert len(fitted) == 2 + 2 * 4  # plain k-means of ten starts and of two, and k-means in four projections


def test_a_guarded_method_is_compared_with_kmeans():
    plan = plan_of("pckmeans, {name: pckmeans, guard: true}", "{kind: random_pairs, counts: [5, 40]}")
    plain, guarded = plan[0].cell, plan[1].cell
    assert guarded.label == "PCK-Means (guarded)"
    assert guarded.hash != plain.hash
    few, many = (run(planned)[0] for planned in plan if planned.cell is guarded and planned.trial == 0)
    assert (few["status"], many["status"]) == ("ok", "ok")
    data = trials.warm_up(guarded)
    links = trials.episode(guarded, data, 5, 0).tiers[0]
    model = trials.build(guarded, seeds.integer(0, "iris", "algorithm", 0)).fit(data.X, constraints=links)
    assert model.uses_baseline_
    assert few["metrics"]["acc"] == metrics.score("acc", data.y, model.labels_)


def test_metric_learners_are_joined_with_a_clusterer():
    planned = plan_of("{name: rca, clusterer: {name: kmeans, params: {n_init: 3}}}")[0]
    model = trials.build(planned.cell, 7)
    assert model.clusterer.n_init == 3
    assert model.clusterer.random_state == 7
    assert planned.cell.label == "RCA + k-means"
    assert run(planned)[0]["status"] == "ok"


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("raise", ("RuntimeError", "out of luck")),
        ("shape", ("ValueError", "labels_ has shape (3,), expected (150,)")),
        ("nan", ("ValueError", "labels_ holds values that are not integers")),
        ("none", ("AttributeError", "'Broken' object has no attribute 'labels_'")),
    ],
)
def test_failures_are_records(how, says):
    (record,) = run(plan_of(f"{{name: '{TOYS}:Broken', params: {{how: {how}}}}}")[0])
    assert record["status"] == "error"
    assert (record["error"]["type"], record["error"]["message"]) == says
    assert record["metrics"] == {}


def test_warnings_are_part_of_the_record():
    (record,) = run(plan_of(f"'{TOYS}:Chatty'")[0])
    assert record["warnings"] == ["UserWarning: the data look odd"]


def test_held_out_links_choose_parameters_without_labels():
    plan = plan_of("{name: pckmeans, params: {w: [0.001, 1]}, select: heldout}")
    found = [run(planned)[0]["metrics"]["heldout_links"] for planned in plan]
    assert all(0 <= value <= 1 for value in found)


def test_a_longer_episode_is_not_taken_for_a_shorter_one():
    for n_tiers in (2, 4):
        schedule = f"{{kind: tiers, per_tier: [20], tiers: {n_tiers}}}"
        records = run(plan_of("kmeans", schedule)[0])
        assert [record["status"] for record in records] == ["ok"] * n_tiers


class SmallModel:
    fits = 0

    def fit(self, X, constraints):
        SmallModel.fits += 1
        assert not X.flags.writeable
        assert len(constraints.must_links)
        assert len(constraints.cannot_links)
        raise RuntimeError("shows again in the trial")


def test_compiled_algorithms_are_fitted_once_before_the_clock_starts(monkeypatch):
    monkeypatch.setattr(trials, "_compiled", set())
    monkeypatch.setattr(trials, "build", lambda cell, random_state: SmallModel())
    for algorithm in ("pckmeans", "pckmeans", "kmeans"):
        trials.warm_up(plan_of(algorithm)[0].cell)
    assert SmallModel.fits == 1
