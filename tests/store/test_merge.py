"""Joining runs: which record counts, what is refused, and what a crash leaves."""

import os

import pytest

from cscluster.errors import StoreError
from cscluster.store.directory import RunDirectory
from cscluster.store.merge import merge
from tests.store.values import CELL, PLAN, definition, lines
from tests.store.values import record as make

WHOLE = {"repetitions": 5}


def record(trial, status="ok", value=0.5, environment="e1"):
    return make(trial, status=status, metrics={"acc": value}, environment=environment)


def store(path, records, *, shard=None, experiment=(), **changes):
    directory = RunDirectory(path)
    with directory.writing() as writer:
        writer.put_definition(
            definition(**{"plan": {**WHOLE, "shard": shard}, "experiment": experiment, **changes})
        )
        writer.append(lines(*records))
    return directory


def statuses(directory):
    return {r["trial"]: (r["status"], r["metrics"]["acc"]) for r in directory.records()}


def content(directory):
    return {path: path.read_bytes() for path in directory.path.iterdir()}


def test_shards_become_the_whole_run(tmp_path):
    first = store(tmp_path / "1", [record(4), record(0), record(2)], shard=(1, 2))
    second = store(tmp_path / "2", [record(trial, environment="e2") for trial in (3, 1)], shard=(2, 2))
    before = [content(run) for run in (first, second)]
    done = merge([second, first], RunDirectory(tmp_path / "exp"))
    assert (done.planned, done.found, done.failed, done.repeated, done.gaps) == (5, 5, 0, 0, [])
    assert [r["trial"] for r in done.directory.records()] == [0, 1, 2, 3, 4]
    assert RunDirectory(tmp_path / "exp").definition == definition(plan=WHOLE)
    assert before == [content(run) for run in (first, second)]


def test_a_result_beats_a_failure_and_the_first_run_the_others(tmp_path):
    runs = [
        store(tmp_path / "1", [record(0, "error", 1), record(1, value=1), record(2, "timeout", 1)]),
        store(tmp_path / "2", [record(0, value=2), record(1, value=2), record(2, "error", 2)]),
    ]
    done = merge(runs, RunDirectory(tmp_path / "exp"))
    assert statuses(done.directory) == {0: ("ok", 2), 1: ("ok", 1), 2: ("timeout", 1)}
    assert (done.found, done.failed, done.repeated) == (3, 1, 3)


def test_within_a_run_the_later_record_counts_and_others_than_planned_are_left(tmp_path):
    run = store(tmp_path / "1", [record(0, value=1), record(99), record(0, "error", value=2)])
    assert statuses(merge([run], RunDirectory(tmp_path / "exp")).directory) == {0: ("error", 2)}


def test_a_joined_run_is_added_to(tmp_path):
    target = RunDirectory(tmp_path / "exp")
    first = store(tmp_path / "1", [record(0, value=1)], shard=(1, 3))
    done = merge([first], target)
    assert done.gaps == [
        "1 of the 2 trials of shard 1/3",
        "2 of the 2 trials of shard 2/3",
        "1 of the 1 trials of shard 3/3",
    ]
    second = store(tmp_path / "2", [record(1, value=2), record(0, value=2)], shard=(2, 3))
    done = merge([second], target)
    assert statuses(target) == {0: ("ok", 1), 1: ("ok", 2)}
    assert (done.found, done.planned) == (2, 5)
    assert done.gaps == [f"1 of the {n} trials of shard {i}/3" for i, n in ((1, 2), (2, 2), (3, 1))]
    assert merge([target], target).found == 2


def test_only_environments_that_records_name_are_kept(tmp_path):
    run = store(tmp_path / "1", [record(0, environment="e2")])
    assert set(merge([run], RunDirectory(tmp_path / "exp")).directory.definition.environments) == {"e2"}


def test_names_and_places_may_differ(tmp_path):
    there = {
        "name": "other",
        "title": "B",
        "datasets": [{"base": "/there/d.csv", "name": "d"}],
        "constraints": {"kind": "file", "path": "/there/constraints.csv"},
    }
    runs = [store(tmp_path / "1", [record(0)]), store(tmp_path / "2", [record(1)], experiment=there)]
    done = merge(runs, RunDirectory(tmp_path / "third"))
    assert done.found == 2
    expected = definition(plan=WHOLE, experiment={"name": "third"}).experiment
    assert done.directory.definition.experiment == expected


def cells(**identity):
    """Return changes to a definition whose only cell has another hash and another identity."""
    entry = {**CELL, "identity": {**CELL["identity"], **identity}}
    return {"plan": {**PLAN, **WHOLE, "cells": ["g"]}, "cells": {"g": entry}}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (cells(data="9"), r"data set 'd'.*1234.*\b9\."),
        (cells(version=2), r"version of 'kmeans'.*\b1\b.*\b2\b"),
        (cells(), "2' are different.*algorithms or data"),
        ({"plan": {"repetitions": 7}}, "1' and '.*2' are different.*repetitions"),
    ],
)  # fmt: skip
def test_other_experiments_are_refused_and_nothing_is_written(tmp_path, changes, says):
    runs = [store(tmp_path / "1", [record(0)]), store(tmp_path / "2", [record(1)], **changes)]
    with pytest.raises(StoreError, match=says):
        merge(runs, RunDirectory(tmp_path / "exp"))
    assert not (tmp_path / "exp").exists()
    target = store(tmp_path / "exp", [record(2)])
    before = content(target)
    with pytest.raises(StoreError, match=says.replace("1' and", "exp' and")):
        merge([runs[1]], RunDirectory(tmp_path / "exp"))
    assert before == content(target)


def test_cells_of_earlier_plans_do_not_tell_runs_apart(tmp_path):
    earlier = {**CELL, "identity": {**CELL["identity"], "version": 0}}
    runs = [
        store(tmp_path / "1", [record(0)], cells={"h": CELL, "earlier": earlier}),
        store(tmp_path / "2", [record(1)]),
        store(tmp_path / "3", [record(2)], **cells(data="9")),
    ]
    assert merge(runs[:2], RunDirectory(tmp_path / "exp")).found == 2
    with pytest.raises(StoreError, match=r"data set 'd'.*1234.*\b9\."):
        merge([runs[0], runs[2]], RunDirectory(tmp_path / "other"))


def test_a_directory_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "exp").mkdir()
    (tmp_path / "exp/thesis.tex").touch()
    with pytest.raises(StoreError, match=r"exp' .*no results"):
        merge([store(tmp_path / "1", [record(0)])], RunDirectory(tmp_path / "exp"))


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("moment", [1, 2])
def test_a_merge_can_be_done_again_after_a_crash_at_any_moment(tmp_path, monkeypatch, moment, exists):
    runs = [store(tmp_path / "1", [record(0, value=1)]), store(tmp_path / "2", [record(1), record(2)])]
    target = RunDirectory(tmp_path / "exp")
    if exists:
        merge(runs[:1], target)
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
    target = RunDirectory(tmp_path / "exp")  # as the next process finds it
    assert statuses(target) == ({0: ("ok", 1)} if exists else {})
    assert merge(runs, target).found == 3
    assert list(statuses(target)) == [0, 1, 2]
    left = {path.name for path in target.path.iterdir()} - {".lock"}  # which some versions of filelock remove
    assert left == {"run.json", "trials.jsonl"}
