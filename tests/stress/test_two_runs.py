"""Several commands on one result directory at random moments: nothing is lost, nothing is stored twice."""

import os
import random
import subprocess
import sys
import threading
import time

import pytest

from cscluster.errors import StoreError
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job
from cscluster.store.directory import RunDirectory
from tests.store.values import values

CONFIG = """\
name: shared
datasets: [iris]
constraints: {kind: random_pairs, counts: [5, 10]}
algorithms: [%s, rca]
trials: %d
"""
LABELS = ["kmeans", "{name: kmeans, label: Lloyd}", "{name: kmeans, label: Other}"]


def write(folder, rng, trials):
    """Write an experiment of some trials under some label, in a file of its own name."""
    place = folder / str(rng.random())
    place.mkdir()
    (place / "x.yaml").write_text(CONFIG % (rng.choice(LABELS), trials))
    return place / "x.yaml"


def stored(folder):
    found = values(RunDirectory(folder / "shared"))
    return {key: {**record, "label": ""} for key, record in found.items()}


def test_runs_of_one_process_at_random_moments(tmp_path):
    rng = random.Random(0)
    problems, refused = [], []

    def work(path, delay, asked):
        try:
            job = prepare(str(path), out=tmp_path, retry_failed=asked)
            assert job.difference.todo is not None  # an early look at what is stored
            time.sleep(delay)
            run_job(job, Pool(1))
        except StoreError as error:
            refused.append(str(error))
        except BaseException as error:
            problems.append(error)

    for _ in range(8):
        threads = [
            threading.Thread(
                target=work,
                args=(write(tmp_path, rng, rng.randrange(1, 6)), rng.uniform(0, 0.2), rng.random() < 0.5),
            )
            for _ in range(3)
        ]
        before = stored(tmp_path)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        after = stored(tmp_path)
        assert {key: after.get(key) for key in before} == before
    assert not problems
    assert {text.partition("'")[0] for text in refused} <= {"Another run is writing to "}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_commands_at_random_moments(tmp_path, seed):
    rng = random.Random(seed)
    running, codes = [], []
    for _ in range(12):
        command = ["run", str(write(tmp_path, rng, rng.randrange(5, 30))), "-j", str(rng.choice([1, 2]))]
        command += ["--results", str(tmp_path), *rng.choice([[], ["--retry", "failed"], ["--fresh"]])]
        running.append(
            subprocess.Popen(
                [sys.executable, "-c", "from cscluster.cli.app import main; main()", *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        )
        time.sleep(rng.uniform(0, 4))
    for process in running:
        output = process.communicate()[0]
        codes.append(process.returncode)
        assert process.returncode == 0 or "Another run is writing to" in output, output
    assert 0 in codes
    print(f"\n{len(codes)} commands, {codes.count(0)} finished, {codes.count(2)} were refused")
    last = prepare(str(write(tmp_path, rng, 30)), out=tmp_path)
    run_job(last, Pool(2))
    alone = prepare(str(write(tmp_path, rng, 30)), out=tmp_path / "alone")
    run_job(alone, Pool(2))
    expected = {key: {**record, "label": ""} for key, record in values(alone.directory).items()}
    assert {key: record for key, record in stored(tmp_path).items() if key in expected} == expected
