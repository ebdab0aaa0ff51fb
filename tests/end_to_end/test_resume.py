"""Kill a run at any moment, start it again: every trial is there once, with the same values."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

CONFIG = """\
name: killed
datasets: [iris, wine]
constraints: {kind: random_pairs, counts: [10, 20, 30]}
algorithms: [kmeans, pckmeans, rca]
trials: 4
"""


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
        assert record["key"] not in found, "a trial was stored twice"
        found[record["key"]] = {
            k: v for k, v in record.items() if k not in ("seconds", "environment", "check")
        }
    return found


def kill(process, whole_group):
    if whole_group:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def interrupted_run(folder, kills, seed):
    rng = random.Random(seed)
    (folder / "killed.yaml").write_text(CONFIG)
    store = folder / "results/killed/trials.jsonl"
    for _ in range(kills):
        process = start(folder, "--jobs", str(rng.choice([1, 2])))
        size = store.stat().st_size if store.exists() else 0
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            if store.exists() and store.stat().st_size > size:
                break
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.3))
        kill(process, whole_group=rng.random() < 0.5)
        if store.exists() and rng.random() < 0.5:
            torn = store.read_bytes()[: -rng.randrange(1, 60)]
            store.write_bytes(torn)
    final = start(folder, "--jobs", "2")
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
    assert len(found) == 2 * 3 * 3 * 4
    return found


@pytest.mark.parametrize("kills", [4])
def test_killed_runs_resume(tmp_path, undisturbed, kills):
    assert interrupted_run(tmp_path, kills, seed=kills) == undisturbed
    left = [path.name for path in (tmp_path / "results/killed").iterdir() if path.name.endswith(".part")]
    assert left == []


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
