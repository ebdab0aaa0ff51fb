import pandas as pd
import pytest

from cscluster.errors import ConfigError
from cscluster.experiment.config.load import load
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import carry_out
from cscluster.papers.benchmark import Benchmark, Standing, choose, printed, render, tracks


@pytest.mark.parametrize("profile", ["full", "quick"])
def test_every_track_is_an_experiment(profile, tmp_path):
    work = choose(None, profile, tmp_path)
    assert set(work.names) <= set(tracks())
    for name in work.names:
        experiment = load("benchmark/benchmark", work._settings(name))
        assert experiment.name == name
        assert "k-means" in [entry.title for entry in experiment.algorithms]


def test_names_that_do_not_exist(tmp_path):
    with pytest.raises(ConfigError, match="no track 'publishd'; did you mean 'published'"):
        choose("publishd", "full", tmp_path)
    with pytest.raises(ConfigError, match="no profile 'quik'; did you mean 'quick'"):
        choose(None, "quik", tmp_path)
    with pytest.raises(ConfigError, match="'large' is not part of the quick profile"):
        choose("large", "quick", tmp_path)


def test_printed_means_are_those_of_the_paper():
    # Baumann and Hochbaum 2024, external appendix, means of Tables W5 to W8 over 25 data sets
    small = printed()[(printed()["collection"] == "COL1") & (printed()["algorithm"] == "PCCC")]
    means = small.groupby("share")["ari"].mean().round(3)
    assert means.to_dict() == pytest.approx({5.0: 0.408, 10.0: 0.758, 15.0: 0.919, 20.0: 0.952}, abs=1e-3)


def test_failures_count_as_zero_and_ties_are_small_differences():
    table = pd.DataFrame(
        {"a": [0.9, 0.5, 0.3], "k-means": [0.5, 0.498, 0.4], "c": [0.0, 0.1, 0.2]}, index=["x", "y", "z"]
    )
    standing = Standing(table, pd.Series({"a": 1.0, "k-means": 0.1, "c": 3.0}), table.isna().sum(), None)
    assert standing.against("a", "k-means") == "1/1/1"
    assert standing.order[0] == "a"


class Tiny(Benchmark):
    """Two tracks on three small data sets and three methods."""

    def _settings(self, name):
        methods = "algorithms=[kmeans, pckmeans, cop_kmeans]"
        return [*super()._settings(name), "datasets=[iris, wine, hayes_roth]", methods, "trials=2"]


def test_the_page_from_stored_runs_and_their_drift(tmp_path):
    work = Tiny(["published", "links", "noise"], "quick", tmp_path)
    for step in work.steps():
        carry_out(step.job, Pool(1), lambda records: None)
    runs = work.outcome()
    text = render(runs, "cscluster benchmark")
    assert "## The published table" in text
    assert "| PCCC (printed) |" in text
    assert "What the wrong links cost" in text
    assert "| hard links that do not contradict each other | 20 % of the samples |" in text
    standing = Standing.of(runs["published"], 20)
    assert standing.order[-1] == "k-means"  # with 20 % of the samples links say nearly all
    assert standing.against("COP-KMeans", "k-means") == "3/0/0"
    work.write(runs)
    assert work.drift(runs, 0.0) == []
    assert len(runs["noise"].failures)  # hard links of which some are wrong
    assert all(step.job.difference.todo == [] for step in work.steps())
