import lzma

import pytest

from cscluster.errors import StoreError
from cscluster.report.aggregate import collect
from cscluster.store.folder import RunFolder
from cscluster.store.packed import pack, restore
from cscluster.store.records import make_key
from tests.report.stored import entry, store, trial


def a_run(path, n_trials=3):
    """Store a run whose second algorithm fails in its last trial, and one trial of which is missing."""
    records = [
        trial(name, value, trial=number, cell=name, environment="e", point=10 * (1 + number % 2))
        for number in range(n_trials)
        for name, value in (("kmeans", 0.1234567 + number / 10), ("pmmc", 0.5 if number < 2 else None))
    ]
    folder = store(path, [entry("kmeans"), entry("pmmc")], records, trials=n_trials)
    keyed = [{**r, "key": make_key(r["cell"], r["point"], r["trial"], r["tier"])} for r in records]
    with folder.writing() as writer:
        writer.put_records(keyed)
        plan = {"cells": {"kmeans": {"seed": 1}, "pmmc": {}, "old": {}}, "datasets": {}}
        writer.put_json("plan.json", {**plan, "keys": [*(r["key"] for r in keyed), "to be run"]})
        writer.put_json("environments.json", {"e": {"python": "3.12"}, "unused": {}})
    return folder


def test_a_packed_run_comes_back(tmp_path):
    folder = a_run(tmp_path / "a")
    file = tmp_path / "a.json.xz"
    file.write_bytes(pack(folder, ["acc"]))
    other = RunFolder(tmp_path / "results" / "a")
    assert restore(file, other) == 6
    expected = list(folder.records())
    for record in expected:
        record["metrics"] = {
            name: round(value, 6) for name, value in record["metrics"].items() if name == "acc"
        }
    found = list(other.records())
    assert [{**r, "seconds": 0} for r in found] == [{**r, "seconds": 0} for r in expected]
    assert [r["seconds"]["fit"] for r in found if r["status"] == "ok"] == [
        r["seconds"]["fit"] for r in expected if r["status"] == "ok"
    ]
    assert other.config() == folder.config()
    assert other.cells() == {"kmeans": {"seed": 1}, "pmmc": {}}
    assert other.environments() == {"e": {"python": "3.12"}}
    assert len(other.plan()) == 7
    assert collect(other).cells["n"].tolist() == collect(folder).cells["n"].tolist()


def test_results_of_ones_own_are_left_alone(tmp_path):
    file = tmp_path / "a.json.xz"
    file.write_bytes(pack(a_run(tmp_path / "a"), ["acc"]))
    mine = a_run(tmp_path / "mine", n_trials=1)
    before = list(mine.records())
    assert restore(file, mine) == 0
    assert list(mine.records()) == before
    assert restore(tmp_path / "none.json.xz", RunFolder(tmp_path / "none")) == 0
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"text", lzma.compress(b"[]"), lzma.compress(b"{}"), lzma.compress(b'{"kind": [0], "kinds": []}')],
)
def test_damaged_files_are_named(tmp_path, content):
    file = tmp_path / "a.json.xz"
    file.write_bytes(content)
    with pytest.raises(StoreError, match=r"a\.json\.xz' does not hold a packed run"):
        restore(file, RunFolder(tmp_path / "a"))
    assert not (tmp_path / "a").exists()


def test_what_repeats_costs_next_to_nothing(tmp_path):
    folder = a_run(tmp_path / "a", n_trials=2000)
    assert len(pack(folder, ["acc"])) < folder.trials.stat().st_size / 50


def test_errors_travel_without_the_directories_of_the_machine(tmp_path):
    folder = a_run(tmp_path / "a")
    records = list(folder.records())
    problem = {
        "type": "MemoryError",
        "message": "47 GB",
        "place": "/home/x/a.py:1",
        "traceback": "/home/x/a.py",
    }
    records[0] |= {"status": "error", "error": problem, "metrics": {}}
    with folder.writing() as writer:
        writer.put_records(records)
    content = pack(folder, ["acc"])
    assert b"/home/x" not in lzma.decompress(content)
    assert b"47 GB" in lzma.decompress(content)
