"""Kept labels, and metrics that are computed from them."""

import numpy as np
import pytest

from cscluster import load_dataset
from cscluster.cli.stored import collect
from cscluster.errors import ConfigError
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job
from cscluster.metrics.scores import score
from cscluster.store.directory import RunDirectory
from cscluster.store.labels import unpack
from cscluster.store.merge import merge
from tests.lines import assert_match
from tests.store.values import values

TEXT = """\
name: kept
datasets: [iris]
constraints: {kind: random_pairs, counts: [5]}
algorithms: [kmeans, {name: pckmeans, preprocess: [standardize]}]
trials: 2
metrics: [ari, "mine.py:share"]
keep: labels
"""
SHARE = "def share(y, labels):\n    return (y[labels == labels[0]] == y[0]).mean()\n"
LARGEST = SHARE.replace("[labels == labels[0]] == y[0]", "[labels == labels[-1]] == y[-1]")


@pytest.fixture(autouse=True)
def config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SHARE)
    (tmp_path / "kept.yaml").write_text(TEXT)


def run(out, **more):
    job = prepare("kept.yaml", out=out, **more)
    run_job(job, Pool(1))
    return job.directory


def last(directory):
    """Return the last record of each key."""
    return list({record["key"]: record for record in directory.records()}.values())


def test_the_kept_labels_give_the_stored_scores(tmp_path):
    y = load_dataset("iris").y
    for record in last(run(tmp_path)):
        labels = unpack(record["labels"], len(y))
        assert record["metrics"]["ari"] == score("ari", y, labels)
        (own,) = (value for name, value in record["metrics"].items() if name.startswith("mine.py:share#"))
        assert own == (y[labels == labels[0]] == y[0]).mean()


def test_a_changed_metric_is_computed_from_kept_labels_without_a_rerun(tmp_path):
    before = last(run(tmp_path))
    (tmp_path / "mine.py").write_text(LARGEST)
    job = prepare("kept.yaml", out=tmp_path)
    assert job.difference.todo == []
    assert_match(job.difference.reasons, r"^4 .*metric 'mine\.py:share'")
    assert len(job.rescorable) == 4
    after = last(run(tmp_path))
    assert [record["cpu_seconds"] for record in after] == [record["cpu_seconds"] for record in before]
    frame = collect(job.directory, None).trials
    y, name = load_dataset("iris").y, job.trials.cells.popitem()[1].metrics[1]
    for record in after:
        labels = unpack(record["labels"], len(y))
        assert (
            frame.set_index("key").loc[record["key"], f"m:{name}"]
            == (y[labels == labels[-1]] == y[-1]).mean()
        )
    again = prepare("kept.yaml", out=tmp_path)
    assert (again.difference.todo, again.rescorable) == ([], frozenset())


def test_without_labels_a_changed_metric_runs_again(tmp_path):
    run(tmp_path, settings=["keep=null"])
    (tmp_path / "mine.py").write_text(LARGEST)
    job = prepare("kept.yaml", out=tmp_path, settings=["keep=null"])
    assert len(job.difference.todo) == 4
    kept = prepare("kept.yaml", out=tmp_path, settings=["metrics=[ari]"])
    assert_match(kept.difference.reasons, "^4 .*labels.*not kept")
    assert len(kept.difference.todo) == 4


def test_a_metric_of_some_samples_needs_its_trial_again(tmp_path):
    run(tmp_path)
    job = prepare("kept.yaml", out=tmp_path, settings=["metrics=[ari, 'mine.py:share@unconstrained']"])
    assert len(job.difference.todo) == 4
    assert not job.rescorable


def test_a_report_computes_a_new_metric(tmp_path):
    directory = run(tmp_path)
    (tmp_path / "other.py").write_text("def my_loss(y, labels):\n    return len(set(labels))\n")
    results = collect(directory, ["other.py:my_loss", "ari"])
    assert results.metrics[0].startswith("other.py:my_loss#")
    assert set(results.cells.loc[results.cells["metric"] == results.metrics[0], "mean"]) == {3.0}
    (tmp_path / "other.py").write_text("def my_loss(y, labels):\n    return len(labels) // 0\n")
    with pytest.raises(ConfigError, match="ZeroDivisionError"):
        collect(directory, ["other.py:my_loss"])


def test_a_report_without_labels_says_so_in_a_sentence(tmp_path):
    directory = run(tmp_path, settings=["keep=null"])
    (tmp_path / "other.py").write_text("def my_loss(y, labels):\n    return 1\n")
    with pytest.raises(ConfigError, match=r"no labels.*'other\.py:my_loss'"):
        collect(directory, ["other.py:my_loss"])


def test_a_report_shows_a_planned_function_whose_file_is_gone(tmp_path):
    directory = run(tmp_path)
    (tmp_path / "mine.py").unlink()
    assert np.isfinite(collect(directory, ["mine.py:share"]).cells["mean"]).all()


def test_shards_keep_labels_too(tmp_path):
    shards = [run(tmp_path, shard=(number, 2)) for number in (1, 2)]
    whole = merge(shards, RunDirectory(tmp_path / "kept")).directory
    assert values(whole) == values(run(tmp_path / "alone"))
    assert set(collect(whole, ["nmi"]).cells["n"]) == {2}
