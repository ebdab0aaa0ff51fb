"""Kill a run at any moment, start it again: every trial is there once, with the same values."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter

import psutil
import pytest

CONFIG = """\
name: killed
datasets: [iris, wine]
constraints: {kind: random_pairs, counts: [10, 20, 30]}
algorithms: [kmeans, pckmeans, rca]
trials: 4
"""
N_TRIALS = 2 * 3 * 3 * 4


def start(folder, *more):
    return subprocess.Popen(
        [sys.executable, "-c", "from cscluster.cli.app import main; main()", "run", "killed.yaml", *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "TERM": "dumb"},
    )


def values(folder):
    """Return the stored records by key, without what may differ between two runs."""
    found = {}
    for line in (folder / "results/killed/trials.jsonl").read_text().splitlines():
        record = json.loads(line)
        earlier = found.get(record["key"])
        assert earlier is None or earlier["status"] != "ok", "a trial was stored twice"
        found[record["key"]] = {
            k: v for k, v in record.items() if k not in ("seconds", "cpu_seconds", "environment", "check")
        }
    return found


def workers(parent):
    """Return the worker processes of a run, and the server that they are forked from."""
    try:
        return [process.pid for process in psutil.Process(parent).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def n_records(store):
    return store.read_bytes().count(b"\n") if store.exists() else 0


def wait(process, condition):
    """Wait for a moment of a run; tells whether the run still goes on then."""
    end = time.monotonic() + 120
    while process.poll() is None and not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return process.poll() is None


def reach_some_moment(process, folder, rng):
    """Wait for a random moment: while it starts, while a small file is written, or between and in trials."""
    results = folder / "results/killed"
    store = results / "trials.jsonl"
    match rng.choice(["start", "small file", "trials", "trials"]):
        case "start":
            end = time.monotonic() + rng.uniform(0, 3)
            return wait(process, lambda: time.monotonic() > end)
        case "small file":
            seen = n_records(store)
            return wait(process, lambda: any(results.glob(".*.part")) or n_records(store) > seen + 3)
        case _:
            wanted = n_records(store) + rng.randrange(8)
            reached = wait(process, lambda: n_records(store) > wanted)
            time.sleep(rng.uniform(0, 0.05))
            return reached


def tear(store, rng):
    """Cut the file of records as a power failure may; every tenth time much of it is lost."""
    whole = store.read_bytes()
    lost = rng.randrange(1, 60) if rng.random() < 0.9 else rng.randrange(len(whole) + 1)
    store.write_bytes(whole[: max(0, len(whole) - lost)])


def interrupted_run(folder, kills, seed):
    """Kill the parent, a worker or all of a run again and again; then let it end."""
    rng = random.Random(seed)
    store = folder / "results/killed/trials.jsonl"
    process, killed = None, Counter()
    while killed.total() < kills:
        if process is None or process.poll() is not None:
            if killed.total() and n_records(store) == N_TRIALS:
                tear(store, rng)
            process = start(folder, "--jobs", str(rng.choice([1, 2])))
        if not reach_some_moment(process, folder, rng):
            continue
        target = rng.choice(["parent", "worker", "group"])
        if target == "worker":
            found = workers(process.pid)
            if not found:
                continue
            with contextlib.suppress(ProcessLookupError):
                os.kill(rng.choice(found), signal.SIGKILL)
        else:
            (os.killpg if target == "group" else os.kill)(process.pid, signal.SIGKILL)
            process.wait()
            if store.exists() and rng.random() < 0.3:
                tear(store, rng)
        killed[target] += 1
    if process.poll() is None:
        process.kill()
        process.wait()
    print(f"\n{killed.total()} kills: {dict(killed)}")
    # A trial whose own process was killed is recorded as crashed, as it would be if it had killed itself.
    final = start(folder, "--jobs", "2", "--retry", "failed")
    output = final.communicate(timeout=300)[0].decode()
    assert final.returncode == 0, output
    return values(folder)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "killed.yaml").write_text(CONFIG)
    process = start(folder, "--jobs", "2")
    output = process.communicate(timeout=300)[0].decode()
    assert process.returncode == 0, output
    found = values(folder)
    assert len(found) == N_TRIALS
    return found


@pytest.mark.parametrize("kills", [2, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_runs_resume(tmp_path, undisturbed, kills):
    (tmp_path / "killed.yaml").write_text(CONFIG)
    assert interrupted_run(tmp_path, kills, seed=kills) == undisturbed
    assert not list(tmp_path.rglob("*.part"))


def test_an_interrupt_says_how_to_resume(tmp_path):
    (tmp_path / "killed.yaml").write_text(CONFIG.replace("trials: 4", "trials: 200"))
    process = start(tmp_path, "--jobs", "2")
    store = tmp_path / "results/killed/trials.jsonl"
    end = time.monotonic() + 120
    while not store.exists() and time.monotonic() < end:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    output = process.communicate(timeout=60)[0].decode()
    assert process.returncode == 130, output
    assert "resume with: cscluster run killed.yaml" in output
    assert "Traceback" not in output
    assert len(values(tmp_path)) > 0
