"""Joining runs: which record counts, what is refused, and what a crash leaves."""

import os

import pytest

from cscluster.errors import StoreError
from cscluster.store.folder import RunFolder
from cscluster.store.merge import merge
from tests.store import values

EXPERIMENT = {
    "name": "exp",
    "title": "A title",
    "seed": 1,
    "datasets": [{"base": "/here/d.csv", "name": "d"}],
    "constraints": {"kind": "file", "path": "/here/links.csv"},
    "algorithms": [{"name": "kmeans"}],
    "metrics": ["acc"],
}
CELL = {"name": "d", "algorithm": "kmeans", "data": "1234", "version": 1, "params": {}, "schedule": {}}
WHOLE = ["a", "b", "c", "d", "e"]


def record(key, status="ok", value=0.5, environment="e1"):
    return values.record(key, status=status, metrics={"acc": value}, environment=environment)


def store(path, records, *, shard=None, keys=WHOLE, whole=WHOLE, cells=None, **changes):
    folder = RunFolder(path)
    with folder.writing() as writer:
        part = {"shard": shard} if shard else {}
        writer.put_json(
            "config.json",
            {
                "source": "x.yaml",
                "command": "cscluster run x.yaml",
                **part,
                "experiment": EXPERIMENT | changes,
            },
        )
        plan = {"cells": cells or {"h": CELL}, "keys": keys}
        writer.put_json("plan.json", plan | ({"whole": whole} if shard else {}))
        writer.put_json("environments.json", {"e1": {"python": "3.11"}, "e2": {"python": "3.12"}})
        writer.append(records)
    return folder


def statuses(folder):
    return {r["key"]: (r["status"], r["metrics"]["acc"]) for r in folder.records()}


def test_shards_become_the_whole_run(tmp_path):
    first = store(tmp_path / "1", [record("c"), record("a")], shard=[1, 2], keys=["a", "c"])
    second = store(
        tmp_path / "2", [record(key, environment="e2") for key in "edb"], shard=[2, 2], keys=["b", "d", "e"]
    )
    before = [{path: path.read_bytes() for path in run.path.iterdir()} for run in (first, second)]
    done = merge([second, first], RunFolder(tmp_path / "exp"))
    assert (done.planned, done.found, done.failed, done.repeated, done.gaps) == (5, 5, 0, 0, [])
    assert [r["key"] for r in done.folder.records()] == WHOLE
    assert done.folder.config() == {
        "source": "x.yaml",
        "command": "cscluster run x.yaml",
        "experiment": EXPERIMENT,
    }
    assert done.folder.plan() == done.folder.whole_plan() == WHOLE
    assert done.folder.cells() == {"h": CELL}
    assert set(done.folder.environments()) == {"e1", "e2"}
    assert before == [{path: path.read_bytes() for path in run.path.iterdir()} for run in (first, second)]


def test_a_result_beats_a_failure_and_the_first_run_the_others(tmp_path):
    runs = [
        store(tmp_path / "1", [record("a", "error", 1), record("b", value=1), record("c", "timeout", 1)]),
        store(tmp_path / "2", [record("a", value=2), record("b", value=2), record("c", "error", 2)]),
    ]
    done = merge(runs, RunFolder(tmp_path / "exp"))
    assert statuses(done.folder) == {"a": ("ok", 2), "b": ("ok", 1), "c": ("timeout", 1)}
    assert (done.found, done.failed, done.repeated) == (3, 1, 3)


def test_within_a_run_the_later_record_counts_and_others_than_planned_are_left(tmp_path):
    run = store(tmp_path / "1", [record("a", value=1), record("old"), record("a", value=2)])
    assert statuses(merge([run], RunFolder(tmp_path / "exp")).folder) == {"a": ("ok", 2)}


def test_a_joined_run_is_added_to(tmp_path):
    target = RunFolder(tmp_path / "exp")
    first = store(tmp_path / "1", [record("a", value=1)], shard=[1, 3], keys=["a", "c"])
    done = merge([first], target)
    assert done.gaps == [
        "1 of the 2 trials of shard 1/3",
        "shard 2/3, which was not given",
        "shard 3/3, which was not given",
    ]
    second = store(
        tmp_path / "2", [record("b", value=2), record("a", value=2)], shard=[2, 3], keys=["b", "d"]
    )
    done = merge([second], target)
    assert statuses(target) == {"a": ("ok", 1), "b": ("ok", 2)}
    assert (done.found, done.planned, done.gaps) == (2, 5, ["1 of the 2 trials of shard 2/3"])
    assert merge([target], target).found == 2


def test_names_and_places_may_differ(tmp_path):
    there = {
        "name": "other",
        "title": "B",
        "datasets": [{"base": "/there/d.csv", "name": "d"}],
        "constraints": {"kind": "file", "path": "/there/links.csv"},
    }
    runs = [store(tmp_path / "1", [record("a")]), store(tmp_path / "2", [record("b")], **there)]
    done = merge(runs, RunFolder(tmp_path / "third"))
    assert done.found == 2
    assert done.folder.config()["experiment"] == {**EXPERIMENT, "name": "third"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seed": 2}, r"1' and '.*2' are different experiments: 'seed' differs \(1 and 2\)\."),
        ({"noise": 0.5}, r"'noise' differs \(null and 0\.5\)\."),
        ({"algorithms": [{"name": "kmeans", "params": {"x": list(range(50))}}]}, r"'algorithms' differs\.$"),
        ({"datasets": [{"base": "/here/e.csv", "name": "d"}]}, "'datasets' differs"),
        ({"keys": ["a", "z"], "cells": {"g": {**CELL, "data": "9"}}}, "the content of the data set 'd' changed"),
        ({"keys": ["a", "z"], "cells": {"g": {**CELL, "version": 2}}}, "the version of 'kmeans' changed from 1 to 2"),
        ({"keys": ["a", "z"]}, "have the same settings but different trials: they were planned by different versions"),
    ],
)  # fmt: skip
def test_other_experiments_are_refused_and_nothing_is_written(tmp_path, changes, says):
    runs = [store(tmp_path / "1", [record("a")]), store(tmp_path / "2", [record("b")], **changes)]
    with pytest.raises(StoreError, match=says):
        merge(runs, RunFolder(tmp_path / "exp"))
    assert not (tmp_path / "exp").exists()
    store(tmp_path / "exp", [record("c")])
    before = {path: path.read_bytes() for path in (tmp_path / "exp").iterdir()}
    with pytest.raises(StoreError, match=says.replace("1' and", "exp' and")):
        merge([runs[1]], RunFolder(tmp_path / "exp"))
    assert before == {path: path.read_bytes() for path in (tmp_path / "exp").iterdir()}


def test_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp/thesis.tex").touch()
    with pytest.raises(StoreError, match="holds files but no results of cscluster"):
        merge([store(tmp_path / "1", [record("a")])], RunFolder(tmp_path / "exp"))


@pytest.mark.parametrize("moment", range(1, 5))
def test_a_merge_can_be_done_again_after_a_crash_at_any_moment(tmp_path, monkeypatch, moment):
    runs = [store(tmp_path / "1", [record("a", value=1)]), store(tmp_path / "2", [record("b"), record("c")])]
    target = merge(runs[:1], RunFolder(tmp_path / "exp")).folder
    replace, calls = os.replace, []

    def dies(*paths):
        calls.append(paths)
        if len(calls) == moment:
            raise KeyboardInterrupt
        replace(*paths)

    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(KeyboardInterrupt):
        merge(runs, target)
    monkeypatch.undo()
    assert statuses(target) == {"a": ("ok", 1)}
    assert merge(runs, target).found == 3
    assert list(statuses(target)) == ["a", "b", "c"]
    left = {path.name for path in target.path.iterdir()} - {".lock"}  # which some versions of filelock remove
    assert left == {"config.json", "plan.json", "environments.json", "trials.jsonl", "progress.json"}
