"""Algorithms that harm their process: each costs its own trial, and no value of a good neighbour moves."""

import random
import time
from collections import defaultdict
from pathlib import Path

import psutil
import pytest

from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job
from tests import hostile
from tests.store.values import values

TESTS = Path(__file__).parents[1]
GOOD = ["kmeans", "rca", f"'{TESTS}/neighbour.py:Neighbour'"]


def run(folder, hostile_names, seed, pool, trials):
    """Run good algorithms with hostile ones between them; returns the records of both."""
    folder.mkdir()
    entries = [
        f"{{name: '{TESTS}/hostile.py:{name}', params: {{place: '{folder}'}}}}" for name in hostile_names
    ]
    entries += GOOD
    random.Random(seed).shuffle(entries)
    path = folder / "x.yaml"
    path.write_text(
        f"name: x\ndatasets: [iris]\nconstraints: {{kind: random_pairs, counts: [5]}}\ntrials: {trials}\n"
        "algorithms:\n" + "".join(f"  - {entry}\n" for entry in entries)
    )
    job = prepare(str(path), out=folder)
    run_job(job, pool)
    found = values(job.directory)
    assert set(found) == set(job.directory.definition.plan.keys())
    good = {key: record for key, record in found.items() if record["label"] not in hostile.EXPECTED}
    return good, [record for key, record in found.items() if key not in good]


def helpers(folder):
    """Return the processes that hostile algorithms left and that still live."""
    pids = [int(path.name) for path in folder.iterdir() if path.name.isdigit()]
    return [
        pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    ]


def check(tmp_path, names, seed, pool, trials):
    expected, _ = run(tmp_path / f"alone-{seed}", [], seed, Pool(1, pool.backend), trials)
    good, bad = run(tmp_path / f"beside-{seed}", names, seed, pool, trials)
    assert good == expected
    statuses = defaultdict(set)
    for record in bad:
        statuses[record["label"]].add(record["status"])
        assert len(str(record)) < 60_000
    assert {name: found - hostile.EXPECTED[name] for name, found in statuses.items()} == {
        name: set() for name in names
    }
    end = time.monotonic() + 5  # for what is being killed
    while helpers(tmp_path / f"beside-{seed}") and time.monotonic() < end:
        time.sleep(0.02)
    assert not helpers(tmp_path / f"beside-{seed}")


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 6))])
def test_good_algorithms_beside_all_hostile_ones(tmp_path, seed):
    check(tmp_path, list(hostile.EXPECTED), seed, Pool(1 + seed % 3), trials=3)


@pytest.mark.slow
def test_good_algorithms_beside_hostile_ones_on_dask(tmp_path):
    pytest.importorskip("distributed")
    check(tmp_path, list(hostile.EXPECTED), 7, Pool(2, "dask"), trials=2)
