"""Algorithms that fail in every way: a record each, all others finish, and only those are tried again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOYS = Path(__file__).parents[1] / "toys.py"
KINDS = {
    "raise": ("error", "RuntimeError", "out of luck"),
    "shape": ("error", "ValueError", "labels_ has shape (3,), expected (150,)"),
    "nan": ("error", "ValueError", "labels_ holds values that are not integers"),
    "none": ("error", "AttributeError", "'Broken' object has no attribute 'labels_'"),
    "exit": ("crashed", "crashed", "the process ended with exit code 3"),
    "segfault": ("crashed", "crashed", "the process was killed by SIGSEGV"),
    "sleep": ("timeout", "timeout", "stopped after the limit of 3 s"),
    "memory": ("error", "MemoryError", "exceeded the memory limit of 300 MB"),
}
OWN_LIMITS = {
    "sleep": ("timeout: 0.5", "timeout", "stopped after the limit of 0.5 s"),
    "memory": ("memory_limit: 150MB, timeout: 100", "error", "exceeded the memory limit of 150 MB"),
}
CONFIG = (
    "name: broken\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\ntrials: 1\n"
    f"timeout: 3\nmemory_limit: 300MB\nalgorithms:\n  - '{TOYS}:Trivial'\n"
    + "".join(
        f"  - {{name: '{TOYS}:Broken', label: {how}, params: {{how: {how}}}"
        f"{', timeout: 100' * (how == 'memory')}}}\n"
        for how in KINDS
    )
    + "".join(
        f"  - {{name: '{TOYS}:Broken', label: own {how}, params: {{how: {how}}}, {limit}}}\n"
        for how, (limit, _, _) in OWN_LIMITS.items()
    )
    + f"  - {{name: '{TOYS}:Trivial', label: last}}\n"
)


def run(folder, *more):
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from cscluster.cli.app import main; main()",
            "run",
            "x.yaml",
            "-j",
            "2",
            *more,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "TERM": "dumb", "COLUMNS": "200"},
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    (folder / "x.yaml").write_text(CONFIG)
    return folder, run(folder)


def stored(folder):
    """Return the records by label; of two with the same key the later counts."""
    records = list(map(json.loads, (folder / "results/broken/trials.jsonl").read_text().splitlines()))
    found = {record["label"]: record for record in records}
    assert len(found) == len({record["key"] for record in records})
    return found


def test_each_failure_is_a_record_with_its_reason(finished):
    folder, done = finished
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    records = stored(folder)
    found = {label: (r["status"], r["error"] and r["error"]["message"]) for label, r in records.items()}
    assert found == {
        "Trivial": ("ok", None),
        "last": ("ok", None),
        **{how: (status, message) for how, (status, _, message) in KINDS.items()},
        **{f"own {how}": (status, message) for how, (_, status, message) in OWN_LIMITS.items()},
    }
    for how, (_, kind, _) in KINDS.items():
        assert kind in records[how]["error"]["type"]


@pytest.mark.slow
def test_only_failed_trials_are_tried_again(finished):
    folder, _ = finished
    before = stored(folder)
    (folder / "x.yaml").write_text(CONFIG.replace("timeout: 0.5", "timeout: 0.6"))
    retried = run(folder, "--retry", "failed")
    assert retried.returncode == 1
    assert "2 stored, 10 to run" in retried.stdout
    after = stored(folder)
    assert [after[label] == before[label] for label in ("Trivial", "last")] == [True, True]
    assert after["own sleep"]["error"]["message"] == "stopped after the limit of 0.6 s"
