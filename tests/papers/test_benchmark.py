import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.semi_supervised import LabelSpreading

from cscluster.data.load import load_dataset
from cscluster.errors import ConfigError
from cscluster.experiment.config.load import load
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import run_job
from cscluster.papers import baselines
from cscluster.papers.benchmark import Benchmark, choose
from cscluster.papers.benchmark_page import TrackReport, advice
from cscluster.papers.ranking import (
    Ranking,
    of_repetitions,
    printed,
    two_digits,
    with_printed,
)
from cscluster.papers.tracks import tracks
from cscluster.report.formats import markdown
from cscluster.report.html import page_file
from cscluster.report.page import Heading, Page, Picture
from cscluster.report.statistics import friedman
from cscluster.report.table import PlainTable


@pytest.mark.parametrize("profile", ["full", "quick"])
def test_every_track_is_an_experiment(profile, tmp_path):
    work = choose(None, profile, tmp_path)
    assert set(work.names) <= set(tracks())
    for name in work.names:
        experiment = load("benchmark/benchmark", work._settings(name))
        assert experiment.name == name
        assert "k-means" in [entry.title for entry in experiment.algorithms]


def test_names_that_do_not_exist(tmp_path):
    with pytest.raises(ConfigError, match=r"track 'publishd'.*'published'"):
        choose("publishd", "full", tmp_path)
    with pytest.raises(ConfigError, match=r"profile 'quik'.*'quick'"):
        choose(None, "quik", tmp_path)
    with pytest.raises(ConfigError, match=r"'large'.*quick.*published, links, noise"):
        choose("large", "quick", tmp_path)


def test_printed_means_are_those_of_the_paper():
    # Baumann and Hochbaum 2024, external appendix, means of Tables W5 to W8 over 25 data sets
    small = printed()[(printed()["collection"] == "COL1") & (printed()["algorithm"] == "PCCC")]
    means = small.groupby("share")["ari"].mean().round(3)
    assert means.to_dict() == pytest.approx({5.0: 0.408, 10.0: 0.758, 15.0: 0.919, 20.0: 0.952}, abs=1e-3)


def test_ties_are_small_differences():
    table = pd.DataFrame(
        {"a": [0.9, 0.5, 0.3], "k-means": [0.5, 0.498, 0.4], "c": [0.0, 0.1, 0.2]}, index=["x", "y", "z"]
    )
    ranking = Ranking(table, pd.Series({"a": 1.0, "k-means": 0.1, "c": 3.0}), table.isna().sum(), None)
    assert ranking.counts.loc["a"].tolist() == [1, 1, 1]
    assert ranking.order[0] == "a"


class Tiny(Benchmark):
    """Three tracks on three small data sets and three methods, of which the second repetition may come later."""

    def _settings(self, name):
        points = "shares: [20], weight: hard" if name == "published" else "counts: [100]"
        noise = ", noise: 0.1" if name == "noise" else ""
        kind = "fraction" if name == "published" else "random_pairs"
        return [
            *super()._settings(name),
            "datasets=[iris, wine, hayes_roth]",
            "algorithms=[kmeans, pccc, cop_kmeans]",
            f"constraints={{kind: {kind}, {points}{noise}}}",
            "trials=2",
        ]


def run(work):
    for track in work.experiments():
        run_job(track.prepare(retry_failed=False), Pool(1))


def test_the_page_from_stored_runs_goes_on_where_it_stopped(tmp_path):
    first = Tiny(["published", "links", "noise"], "full", tmp_path / "a", repetitions=1)
    run(first)
    reports = first.outcome()
    runs = {name: report.results for name, report in reports.items()}
    assert {name: report.draws for name, report in reports.items()} == {
        "published": {0},
        "links": {0},
        "noise": {0},
    }
    folder = first.write(reports)
    text = (folder / "BENCHMARK.md").read_text()
    assert text.count("<details>") == 3
    assert (folder / "figures" / "benchmark_links.png").read_bytes().startswith(b"\x89PNG")
    assert "Repetitions: 1 of 2." in text
    assert "Not run: Labelled samples" in text
    assert re.search(r"\| PCCC \(printed\) \| .*[01]\.\d{3}", text)
    assert "The cost of noise" in text
    assert "| consistent hard constraints, 20 % of the samples |" in text
    assert "PCCC (printed)" in (folder / "benchmark.html").read_text()
    ranking = Ranking.of(runs["published"], 20)
    assert ranking.order[-1] == "k-means"  # with 20 % of the samples links say nearly all
    assert ranking.counts.loc["COP-KMeans"].tolist() == [3, 0, 0]
    assert first.drift(reports, 0.0) == []
    assert len(runs["noise"].failures)  # hard links of which some are wrong

    (tmp_path / "b" / "reference").parent.mkdir()
    folder.rename(tmp_path / "b" / "reference")
    later = Tiny(["published", "links", "noise"], "full", tmp_path / "b")
    _, links, noise = later.experiments()
    assert [track.remaining().stored for track in later.experiments()] == [9, 9, 9]
    assert [track.remaining().planned for track in later.experiments()] == [18, 18, 18]
    assert links.remaining().missing == []
    assert replace(links, repetitions=1).remaining().planned == 9
    assert {trial.trial for trial in links.prepare(retry_failed=False).difference.todo} == {1}
    again = [trial for trial in noise.prepare(retry_failed=True).difference.todo if trial.trial == 0]
    assert len(again) == len(runs["noise"].failures)
    run(Tiny(["links"], "full", tmp_path / "b"))
    assert later.outcome()["links"].draws == {0, 1}
    twice = later.outcome()["links"].results
    trials = twice.trials.copy()
    row = trials.query("dataset == 'wine' and label == 'PCCC' and draw == 0").index
    trials.loc[row, ["status", "message", "m:ari"]] = ["error", "", float("nan")]
    less = Ranking.of(of_repetitions(replace(twice, trials=trials), {0, 1}), 100)
    other = trials.query("dataset == 'wine' and label == 'PCCC' and draw == 1")["m:ari"].item()
    assert less.table.loc["wine", "PCCC"] == pytest.approx(other / 2)
    assert less.failed.to_dict() == {"k-means": 0, "PCCC": 1, "COP-KMeans": 0}
    assert later.outcome()["noise"].draws == {0}
    later.write(later.outcome())
    goes_on = (tmp_path / "b" / "reference" / "BENCHMARK.md").read_text()
    assert _cost_of_noise(goes_on) == _cost_of_noise(text), "by the repetitions of both tracks"


def _cost_of_noise(page):
    return page.partition("The cost of noise")[2].partition("\n## ")[0]


def test_a_repetition_that_is_not_complete_does_not_count(tmp_path):
    work = Tiny(["links"], "full", tmp_path)
    (track,) = work.experiments()
    seen = []

    class EnoughError(Exception):
        pass

    def stop(n_failures):
        seen.append(n_failures)
        if len(seen) == 11:
            raise EnoughError

    with pytest.raises(EnoughError):
        run_job(track.prepare(retry_failed=False), Pool(1), stop)
    (report,) = work.outcome().values()
    assert len(report.results.trials) == 9
    assert report.draws == {0}


def test_times_have_two_digits():
    found = [two_digits(seconds) for seconds in (0.0123, 9.96, 99.4, 99.6, 3812.0, float("nan"))]
    assert found == ["0.012", "10", "99", "100", "3800", ""]


def test_printed_numbers_stand_beside_ours(tmp_path):
    work = Tiny(["published"], "full", tmp_path, repetitions=1)
    run(work)
    ours = work.outcome()["published"].results
    beside = with_printed(ours)
    assert {"PCCC (printed)", "LCC (printed)", "PCCC", "k-means"} <= set(beside.labels)
    iris = printed().query("dataset == 'iris' and share == 20 and algorithm == 'PCCC'")["ari"].item()
    assert Ranking.of(beside, 20).table.loc["iris", "PCCC (printed)"] == iris
    means = Ranking.of(beside, 20).means
    table = printed().query(
        "dataset in ('iris', 'wine', 'hayes_roth') and share == 20 and algorithm == 'COPKM'"
    )
    assert means["COPKM (printed)"] == pytest.approx(table["ari"].fillna(0).mean())
    assert means["k-means"] == pytest.approx(Ranking.of(ours, 20).means["k-means"])


def test_a_page_in_both_forms():
    blocks = [
        "Made by `a < b`.",
        Heading(2, "Part"),
        PlainTable("Two rows", ["name", "n"], [["a|b", "**1.5**"], ["c", "2"]], numbers=1),
        Picture("p.png", b"x", "A picture"),
    ]
    content = Page("Title", blocks, marked=True)
    text = markdown.text([content])
    assert text.splitlines()[0] == "# Title"
    assert "| a\\|b | **1.5** |" in text
    assert "![A picture](p.png)" in text
    page = page_file(content)
    assert "<code>a &lt; b</code>" in page
    assert "<strong>1.5</strong>" in page
    assert page.count("<section>") == 1


def line(*tables):
    """Return the line of advice about 5 and 10 labels where methods have these ARIs on some data sets."""
    report = TrackReport("labelled", SimpleNamespace(schedule="labelled"), [])
    rankings = {}
    for point, columns in zip((5, 10), tables, strict=False):
        table = pd.DataFrame(columns)
        zero = pd.Series(0.0, table.columns)
        rankings[point] = Ranking(table, zero, zero, friedman(table))
    report.__dict__["rankings"] = rankings
    (text,) = advice({"labelled": report})
    return text


BEST, SAME, WORST = ([level + 0.001 * i for i in range(30)] for level in (0.8, 0.5, 0.2))


def test_advice_follows_from_the_numbers():
    found = line({"k-means": SAME, "PCCC": BEST, "LDA": WORST})
    assert found.startswith("**Labels of every class:** use PCCC.")
    assert re.search(r"PCCC has ARI 0\.815 \(k-means 0\.515, LDA 0\.215\).*\b0 others", found)
    found = line({"k-means": SAME, "PCCC": WORST, "LDA": BEST})
    assert "use a classifier, such as LDA." in found
    found = line({"k-means": BEST, "PCCC": SAME, "LDA": WORST})
    assert "no method is clearly better than k-means" in found
    found = line({"k-means": BEST, "PCCC": SAME, "LDA": WORST}, {"k-means": SAME, "PCCC": BEST, "LDA": WORST})
    assert re.search("from 10 labels.*use PCCC", found)
    assert "With 5 labels of each class, k-means has" in found
    assert "With 10 labels of each class, PCCC has" in found


def test_three_data_sets_decide_nothing():
    few = {"k-means": SAME[:3], "PCCC": BEST[:3], "LDA": SAME[:3]}
    assert re.search("3 of 3 data sets.*too few", line(few))


LDA = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


@pytest.mark.parametrize("name", ["LogisticRegression", "LDA", "LabelSpreading"])
def test_classifiers_learn_from_partial_labels(name):
    data = load_dataset("wine")
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    y = np.full(len(X), -1)
    for label in range(3):
        y[np.flatnonzero(data.labels == label)[:5]] = label
    found = getattr(baselines, name)(n_clusters=3).fit(X, y)
    assert set(found.labels_) == {0, 1, 2}
    expected = {
        "LogisticRegression": lambda: LogisticRegression().fit(X[y >= 0], y[y >= 0]).predict(X),
        "LDA": lambda: LDA.fit(X[y >= 0], y[y >= 0]).predict(X),
        "LabelSpreading": lambda: LabelSpreading(kernel="knn").fit(X, y).transduction_,
    }[name]()
    assert adjusted_rand_score(expected, found.labels_) == 1.0
