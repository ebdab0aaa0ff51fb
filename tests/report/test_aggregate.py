import statistics

import pytest

from cscluster.errors import ConfigError
from cscluster.report import write
from cscluster.report.aggregate import at_last_point, collect, join, recorded, restrict
from cscluster.store.frame import COSTS
from tests.report.stored import entry, store, trial


def cell(results, label, point=10, metric="acc", tier=1):
    cells = results.cells
    found = cells[
        (cells["label"] == label)
        & (cells["point"] == point)
        & (cells["metric"] == metric)
        & (cells["tier"] == tier)
    ]
    assert len(found) == 1
    return found.iloc[0]


def test_mean_standard_deviation_and_count(tmp_path):
    records = [trial("a", value, trial=t) for t, value in enumerate([0.5, 0.7, 0.9])]
    results = collect(store(tmp_path, [entry("a")], records, trials=3))
    found = cell(results, "A")
    assert found["mean"] == pytest.approx(0.7)
    assert found["std"] == pytest.approx(statistics.stdev([0.5, 0.7, 0.9]))
    assert (found["n"], found["planned"]) == (3, 3)
    assert not found["oracle"]
    assert (results.title, results.name, results.axis, results.schedule) == (
        "A title",
        "run",
        "point",
        "random_pairs",
    )
    assert results.failures.empty


def test_order_is_that_of_the_experiment(tmp_path):
    records = [trial(name, 0.5, dataset=data) for data in ("wine", "iris") for name in ("b", "a")]
    results = collect(store(tmp_path, [entry("b"), entry("a")], records))
    assert results.datasets == ["wine", "iris"]
    assert results.labels == ["B", "A"]


def test_failed_trials_are_counted_not_averaged(tmp_path):
    records = [trial("a", 0.5, trial=0), trial("a", None, trial=1), trial("a", None, trial=2)]
    results = collect(store(tmp_path, [entry("a")], records, trials=3))
    found = cell(results, "A")
    assert (found["mean"], found["n"], found["planned"]) == (0.5, 1, 3)
    failures = results.failures.to_dict("records")
    assert failures == [
        {"dataset": "iris", "label": "A", "status": "error", "message": "ValueError: it broke", "count": 2}
    ]


def test_trials_that_are_not_stored_yet_are_missing_from_the_count(tmp_path):
    results = collect(store(tmp_path, [entry("a")], [trial("a", 0.5)], trials=20))
    assert (cell(results, "A")["n"], cell(results, "A")["planned"]) == (1, 20)


def test_points_are_integers_though_trials_are_missing(tmp_path):
    results = collect(store(tmp_path, [entry("a")], [trial("a", 0.5, point=20)], trials=2))
    assert str(results.trials["point"].max()) == "20"
    assert results.cells[["point", "tier"]].to_numpy().dtype.kind == "i"


def test_seconds_and_iterations_are_metrics_too(tmp_path):
    folder = store(tmp_path, [entry("a")], [trial("a", 0.5)], metrics=["acc"])
    results = collect(folder, ["seconds", "cpu_seconds", "iterations"])
    assert cell(results, "A", metric="seconds")["mean"] == 1.5
    assert cell(results, "A", metric="cpu_seconds")["mean"] == 1.25
    assert cell(results, "A", metric="iterations")["mean"] == 6


GRID = [
    # lam, point, values of the two trials, agreement with held-out links
    (1, 10, (0.6, 0.6), (0.9, 0.1)),
    (2, 10, (0.9, 0.5), (0.5, 0.5)),
    (1, 20, (0.8, 0.8), (0.9, 0.9)),
    (2, 20, (0.7, 0.7), (0.2, 0.2)),
]


def grid_records():
    records = []
    for lam, point, values, links in GRID:
        for number, (value, link) in enumerate(zip(values, links, strict=True)):
            record = trial("a", value, trial=number, grid={"lam": lam}, point=point)
            record["metrics"]["heldout_links"] = link
            records.append(record)
    return records


def test_select_none_gives_each_grid_point_a_row(tmp_path):
    results = collect(store(tmp_path, [entry("a", select="none")], grid_records()))
    assert results.labels == ["A (lam=1)", "A (lam=2)"]
    assert cell(results, "A (lam=1)")["mean"] == pytest.approx(0.6)
    assert cell(results, "A (lam=2)")["mean"] == pytest.approx(0.7)
    assert not results.cells["oracle"].any()


def test_select_oracle_takes_the_best_mean_at_each_point_and_is_marked(tmp_path):
    results = collect(store(tmp_path, [entry("a", select="oracle:acc")], grid_records()))
    assert results.labels == ["A"]
    assert cell(results, "A", 10)["mean"] == pytest.approx(0.7)
    assert cell(results, "A", 10)["params"] == "lam=2"
    assert cell(results, "A", 20)["mean"] == pytest.approx(0.8)
    assert cell(results, "A", 20)["params"] == "lam=1"
    assert results.cells["oracle"].all()


def test_select_oracle_by_a_metric_whose_small_values_are_good(tmp_path):
    results = collect(store(tmp_path, [entry("a", select="oracle:error")], grid_records()))
    assert cell(results, "A", 10)["params"] == "lam=2"
    assert cell(results, "A", 20)["params"] == "lam=1"


def test_select_heldout_chooses_in_each_trial_by_agreement_with_links(tmp_path):
    results = collect(store(tmp_path, [entry("a", select="heldout")], grid_records()))
    # Trial 0 takes lam=1 (0.9 > 0.5), trial 1 takes lam=2 (0.1 < 0.5).
    assert cell(results, "A", 10)["mean"] == pytest.approx((0.6 + 0.5) / 2)
    assert cell(results, "A", 10)["params"] == "lam=1 | lam=2"
    assert cell(results, "A", 10)["n"] == 2
    assert not results.cells["oracle"].any()


@pytest.mark.parametrize("select", ["oracle:acc", "heldout", "none"])
def test_a_grid_of_which_all_trials_failed(tmp_path, select):
    records = [trial("a", None, trial=t, grid={"lam": lam}) for lam in (1, 2) for t in (0, 1)]
    results = collect(store(tmp_path, [entry("a", select=select)], records))
    assert results.failures["count"].sum() == 4
    assert (results.cells["n"] == 0).all()
    assert len(results.cells) == (2 if select == "none" else 1)


def test_a_failed_grid_point_is_not_chosen(tmp_path):
    records = [trial("a", None, trial=t, grid={"lam": 1}) for t in (0, 1)]
    records += [trial("a", 0.1, trial=t, grid={"lam": 2}) for t in (0, 1)]
    results = collect(store(tmp_path, [entry("a", select="oracle:acc")], records))
    assert cell(results, "A")["params"] == "lam=2"
    assert cell(results, "A")["n"] == 2


def test_one_grid_point_is_no_choice(tmp_path):
    records = [trial("a", 0.5, trial=t, grid={"lam": 1}) for t in (0, 1)]
    results = collect(store(tmp_path, [entry("a", select="oracle:acc")], records))
    assert not results.cells["oracle"].any()


def test_one_algorithm_in_two_entries(tmp_path):
    records = [trial("a", 0.3, label="tuned"), trial("a", 0.6), trial("a", 0.9, label="A + other")]
    for algorithms in (
        [entry("a", label="tuned"), entry("a"), entry("a", label="A + other")],
        [entry("a"), entry("a", label="A + other"), entry("a", label="tuned")],
    ):
        results = collect(store(tmp_path / algorithms[0]["label"], algorithms, records))
        means = {label: cell(results, label)["mean"] for label in results.labels}
        assert means == {"tuned": 0.3, "A": 0.6, "A + other": 0.9}
        assert results.labels == [e["label"] or "A" for e in algorithms]


def test_tiers_are_an_axis(tmp_path):
    records = [trial("a", 0.1 * tier, tier=tier) for tier in (1, 2, 3)]
    results = collect(store(tmp_path, [entry("a")], records, kind="tiers"))
    assert results.axis == "tier"
    assert [cell(results, "A", tier=t)["mean"] for t in (1, 2, 3)] == pytest.approx([0.1, 0.2, 0.3])


def test_a_run_without_results(tmp_path):
    results = collect(store(tmp_path, [entry("a")], []))
    assert results.cells.empty
    assert results.failures.empty
    assert results.labels == results.datasets == []


def test_a_metric_that_was_not_recorded_is_empty(tmp_path):
    results = collect(store(tmp_path, [entry("a")], [trial("a", 0.5)]), ["nmi"])
    assert cell(results, "A", metric="nmi")["n"] == 0


def test_a_mean_over_survivors_does_not_win(tmp_path):
    records = [
        trial("a", 0.9, trial=0, grid={"lam": 1}),
        trial("a", None, trial=1, grid={"lam": 1}),
        trial("a", 0.7, trial=0, grid={"lam": 2}),
        trial("a", 0.7, trial=1, grid={"lam": 2}),
    ]
    results = collect(store(tmp_path, [entry("a", select="oracle:acc")], records))
    assert results.cells["mean"].tolist() == [pytest.approx(0.7)]


def test_the_last_record_of_a_trial_counts(tmp_path):
    records = [trial("a", 0.5), trial("a", 0.7, trial=1), trial("a", None), trial("a", 0.9, trial=7)]
    results = collect(store(tmp_path, [entry("a")], records))
    assert results.trials["trial"].tolist() == [0, 1]
    assert results.trials["status"].tolist() == ["error", "ok"]
    assert (cell(results, "A")["mean"], cell(results, "A")["n"]) == (0.7, 1)


def test_only_some_trials(tmp_path):
    records = [
        trial(name, 0.1 if point == 10 else None, point=point, dataset=data)
        for data in ("iris", "wine")
        for name in "ab"
        for point in (10, 20)
    ]
    results = collect(store(tmp_path, [entry("a"), entry("b")], records, trials=1))
    some = restrict(results, (results.trials["dataset"] == "wine") & (results.trials["label"] == "B"))
    assert (some.datasets, some.labels) == (["wine"], ["B"])
    assert some.cells["n"].tolist() == [1, 0]
    assert some.failures["count"].tolist() == [1]
    last = at_last_point(results)
    assert set(last.cells["point"]) == {20}
    assert last.failures["count"].tolist() == [1] * 4


def test_the_last_tier_of_the_last_point(tmp_path):
    places = [("iris", 10, 3), ("iris", 20, 1), ("iris", 20, 2), ("wine", 10, 1), ("wine", 10, 4)]
    records = [trial("a", 0.5, dataset=d, point=p, tier=t) for d, p, t in places]
    last = at_last_point(collect(store(tmp_path, [entry("a")], records)))
    assert {tuple(r) for r in last.trials[["dataset", "point", "tier"]].to_numpy()} == {
        ("iris", 20, 2),
        ("wine", 10, 4),
    }


def test_two_runs_in_one(tmp_path):
    first = collect(store(tmp_path / "1", [entry("a"), entry("b")], [trial("a", 0.1), trial("b", 0.2)]))
    second = collect(store(tmp_path / "2", [entry("a")], [trial("a", 0.3, dataset="wine")], trials=5))
    both = join([first, second])
    assert (both.datasets, both.labels, both.planned) == (["iris", "wine"], ["A", "B"], 5)
    assert both.cells["mean"].tolist() == [0.1, 0.2, 0.3]
    assert both.title == "A title + A title"
    with pytest.raises(ConfigError, match=r"'run'.*'run'.*'A'.*'iris'"):
        join([first, first])


def test_recorded_metrics(tmp_path):
    results = collect(store(tmp_path, [entry("a")], [trial("a", 0.5)]))
    assert recorded(results) == ["acc", "error", *COSTS]


def test_lone_surrogates_are_spelled_out(tmp_path):
    # A program's own bytes in a message or a file name reach a record as such.
    label = "naïve \udcff"
    folder = store(
        tmp_path,
        [entry("a", label=label)],
        [
            trial("a", 0.5, label=label, dataset="d\ud800"),
            trial("a", None, label=label, error={"type": "E", "message": "bad \udcff"}),
        ],
        title=label,
    )
    results = collect(folder)
    assert results.labels == ["naïve \\udcff"]
    assert results.title == "naïve \\udcff"
    assert results.datasets == ["d\\ud800", "iris"]
    assert results.failures["message"].tolist() == ["E: bad \\udcff"]
    report = write.into_directory(results, tmp_path).read_text(encoding="utf-8")
    assert report.startswith("# naïve \\\\udcff")  # Markdown escapes the backslash
