"""What 100,000 stored trials cost each command: processor time with the start of Python and all imports."""

import json
import os
import random
import resource
import subprocess
import sys
import tracemalloc

import pytest

from cscluster.experiment.engine.run import _definition, locked, prepare
from cscluster.experiment.engine.trial import blank
from cscluster.store.records import storable, to_line

pytestmark = pytest.mark.slow
CONFIG = """\
name: big
datasets: [iris, wine]
constraints: {kind: random_pairs, counts: [10, 20, 30, 40, 50]}
algorithms:
  - kmeans
  - {name: kmeans, label: one start, params: {n_init: 1}}
  - {name: kmeans, label: oracle, params: {n_init: [2, 3, 4, 5]}, select: oracle:acc}
  - {name: kmeans, label: each, params: {tol: [0.01, 0.1, 1, 10]}}
trials: 1000
metrics: [acc, nmi, ari, pairwise_f]
"""
N_TRIALS = 100_000
MEASURED = ("acc", "nmi", "ari", "pairwise_f", "satisfied", "acc_hungarian", "rand", "precision", "recall")


def command(config, *words):
    """Run a command and return the seconds of processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [
            sys.executable,
            "-c",
            "from cscluster.cli.app import main; main()",
            *words,
            "--results",
            config.parent,
        ],
        cwd=config.parent,
        check=True,
        capture_output=True,
        env={**os.environ, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """Return the file of an experiment whose trials are stored beside it."""
    path = tmp_path_factory.mktemp("store") / "big.yaml"
    path.write_text(CONFIG)
    rng = random.Random(0)
    with locked(prepare(str(path), out=path.parent)) as job:
        definition = _definition(job)
        job.writer.put_definition(definition)
        job.writer.put_lines(
            to_line(
                storable(
                    {
                        **blank(trial, 1, next(iter(definition.environments))),
                        "metrics": {name: rng.random() for name in MEASURED},
                        "seconds": {"offline": 0.0, "fit": rng.random(), "update": 0.0, "predict": 0.0},
                        "cpu_seconds": rng.random(),
                        "iterations": rng.randrange(20),
                        "converged": True,
                    }
                )
            ).encode()
            for trial in job.trials
        )
    return path


def test_what_stored_trials_cost(config):
    trials = config.parent / "big" / "trials.jsonl"
    lines = trials.read_bytes().splitlines(keepends=True)
    assert len(lines) == N_TRIALS

    def resume():
        trials.write_bytes(b"".join(lines[:-5]))
        return command(config, "run", "big.yaml", "--jobs", "1")

    seconds = {
        "a dry run": (lambda: command(config, "run", "big.yaml", "--dry-run"), 3),
        "nothing to do, with the tables": (lambda: command(config, "run", "big.yaml"), 3),
        "a terminal report": (lambda: command(config, "report", "big"), 3),
        "resume of five trials": (resume, None),
        "the list of runs": (lambda: command(config, "runs"), None),
    }
    print(f"\n{N_TRIALS} stored trials")
    for name, (ask, goal) in seconds.items():
        least = min(ask() for _ in range(3))
        print(f"  {name}: {least:.2f} s of processor time" + (f" (goal: at most {goal})" if goal else ""))
    assert len({json.loads(line)["key"] for line in trials.open()}) == N_TRIALS


def test_what_a_plan_costs(config):
    tracemalloc.start()
    job = prepare(str(config), out=config.parent)
    assert not job.difference.todo
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"\nplan and stored records: {held / N_TRIALS:.0f} bytes a trial, {peak / N_TRIALS:.0f} at most")
