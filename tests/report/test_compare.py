import re

import numpy as np
import pytest
from scipy import stats

from cscluster.report.aggregate import collect
from cscluster.report.compare import compare
from cscluster.store.directory import RunDirectory
from tests.lines import assert_match
from tests.report.stored import entry, store, trial

NOISE = np.random.default_rng(0).normal(scale=0.01, size=(2, 10))
IDENTITY = {"version": 1, "params": {"lam": 1}, "seed": 0, "data": "d", "schedule": {}}
VERSIONS = {"python": "3.12", "packages": {"numpy": "2.0"}, "threads": 1}


def run(path, scores, *, identity=(), versions=(), **more):
    """Store a run of one algorithm for each entry of `scores`, and what its cells and versions are."""
    records = [
        trial(name, value, trial=t, environment="e")
        for name, values in scores.items()
        for t, value in enumerate(values)
    ]
    return store(
        path,
        [entry(name) for name in scores],
        records,
        trials=10,
        identity={**IDENTITY, **dict(identity)},
        environments={"e": {**VERSIONS, **dict(versions)}},
        **more,
    )


def compared(before, after):
    return compare(before, after, collect(before), collect(after))


def test_the_same_run(tmp_path):
    directory = run(tmp_path, {"a": 0.5 + NOISE[0], "b": 0.6 + NOISE[1]})
    found = compared(directory, RunDirectory(tmp_path))
    assert found.changes == []
    assert found.cells["verdict"].tolist() == ["same", "same"]
    assert found.paired
    assert found.verdict == "2 common cells: 2 same."


@pytest.mark.parametrize("seed", [0, 1])
def test_trials_of_one_repetition_are_one_observation(tmp_path, seed):
    gaps = np.array([0.1, 0.1, -0.05, 0.1])  # of four draws, too few for a difference of this size
    before = run(tmp_path / "1", {"a": [0.5] * 40}, repeats=10)
    after = run(tmp_path / "2", {"a": 0.5 + np.repeat(gaps, 10)}, identity={"seed": seed}, repeats=10)
    found = compared(before, after)
    assert found.paired == (seed == 0)
    assert found.cells["verdict"].tolist() == ["within noise"]
    assert found.cells["p"].tolist() == pytest.approx([stats.ttest_1samp(gaps, 0).pvalue])


def test_what_moved(tmp_path):
    base = 0.5 + NOISE[0]
    tiny = NOISE[1] - NOISE[1].mean()
    before = run(tmp_path / "1", {"a": base, "b": base, "c": base, "d": base})
    after = run(
        tmp_path / "2", {"a": base + 0.1 + 0.001 * tiny, "b": base - 0.1 + tiny, "c": base + tiny, "d": base}
    )
    found = compared(before, after)
    assert found.cells["verdict"].tolist() == ["better", "worse", "within noise", "same"]
    assert found.cells["difference"].tolist() == pytest.approx([0.1, -0.1, 0, 0])
    assert found.cells["n"].tolist() == [10] * 4
    assert re.match(r"4 .*: 1 better, 1 worse, 1 within noise, 1 same\.", found.verdict)
    again = compare(before, after, collect(before, ["error"]), collect(after, ["error"]))
    assert again.cells["verdict"].tolist() == ["better", "worse", "within noise", "same"]


def test_many_cells_are_corrected_for(tmp_path):
    base = 0.5 + NOISE[0]
    moved = base + np.array([0.3, 0.1, 0.5, 0.2, -0.1, 0.4, 0.3, -0.2, 0.6, 0.3]) / 10
    one = compared(run(tmp_path / "1", {"a": base}), run(tmp_path / "2", {"a": moved}))
    p = one.cells["p"].iloc[0]
    assert 0.05 / 5 < p < 0.05
    assert one.cells["verdict"].tolist() == ["better"]
    five = compared(
        run(tmp_path / "3", dict.fromkeys("abcde", base)), run(tmp_path / "4", dict.fromkeys("abcde", moved))
    )
    assert five.cells["p"].tolist() == pytest.approx([5 * p] * 5)
    assert five.cells["verdict"].tolist() == ["within noise"] * 5
    assert five.verdict == "5 common cells: 5 within noise."


def test_constraints_that_differ_are_not_paired(tmp_path):
    scores = {"a": 0.5 + NOISE[0]}
    before, after = run(tmp_path / "1", scores), run(tmp_path / "2", scores, identity={"seed": 7})
    assert not compared(before, after).paired
    assert compared(before, after).cells["verdict"].tolist() == ["same"]
    other = run(tmp_path / "3", {"a": 0.7 + NOISE[1]}, identity={"seed": 7})
    assert compared(before, other).cells["verdict"].tolist() == ["better"]


def test_what_changed_is_said(tmp_path):
    scores = {"a": 0.5 + NOISE[0]}
    before = run(tmp_path / "1", scores)
    after = run(
        tmp_path / "2",
        scores,
        title="B title",
        identity={"version": 2, "params": {"lam": 3}},
        versions={"packages": {"numpy": "2.1", "scipy": "1.14"}},
    )
    assert_match(
        compared(before, after).changes,
        "^- title: A title$",
        r"^\+ title: B title$",
        r"^A: .*version of 'a'.*\b1\b.*\b2$",
        r"^A: .*parameter 'lam'.*\b1\b.*\b3$",
        r"^- packages: numpy 2\.0$",
        r"^\+ packages: numpy 2\.1, scipy 1\.14$",
    )


def test_data_that_changed(tmp_path):
    scores = {"a": 0.5 + NOISE[0]}
    found = compared(run(tmp_path / "1", scores), run(tmp_path / "2", scores, identity={"data": "other"}))
    assert_match(found.changes, r"data set 'iris'.*\bd\b.*\bother$")
    assert not found.paired


def test_cells_of_one_run_only(tmp_path):
    before = run(tmp_path / "1", {"a": 0.5 + NOISE[0], "b": 0.5 + NOISE[0]})
    after = run(tmp_path / "2", {"a": 0.5 + NOISE[0], "c": 0.5 + NOISE[0], "d": 0.5 + NOISE[0]})
    found = compared(before, after)
    assert (found.only_before, found.only_after) == (1, 2)
    assert re.match(r"1 .*: 1 same, 1 only .*, 2 only ", found.verdict)
    assert "- - {name: b, label: B, select: none}" in found.changes
    lonely = run(tmp_path / "3", {"z": 0.5 + NOISE[0]})
    assert compared(before, lonely).verdict.startswith("0 common cells, 2 only in the first")


def test_more_trials_of_the_same_are_the_same(tmp_path):
    scores = 0.5 + NOISE[0]
    found = compared(
        run(tmp_path / "1", {"a": scores}), run(tmp_path / "2", {"a": [*scores[:7], None, None, None]})
    )
    assert found.cells["verdict"].tolist() == ["same"]
    assert found.cells["n"].tolist() == [7]
    assert found.cells["difference"].tolist() == [0]


def test_failures_and_empty_runs(tmp_path):
    before = run(tmp_path / "1", {"a": [None] * 10})
    after = run(tmp_path / "2", {"a": 0.5 + NOISE[0]})
    assert compared(before, after).verdict == "0 common cells, 1 only in the second."
    empty = run(tmp_path / "3", {"a": []})
    assert compared(after, empty).verdict == "0 common cells, 1 only in the first."
    assert compared(empty, empty).verdict == "0 common cells."
