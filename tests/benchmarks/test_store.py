"""What 50,000 stored trials cost, as ratios to one pass of ``json.loads``; ``make bench`` prints them.

Processor time of the process that plans, reads and writes; of the start of Python, imports and the trials
themselves nothing is counted.  "Earlier" is before records were read once and by columns.
"""

import contextlib
import io
import json
import random
import time
import tracemalloc

import pytest

from cscluster.cli.commands import app
from cscluster.experiment.engine.run import locked, prepare
from cscluster.experiment.engine.trial import blank
from cscluster.store.folder import RunFolder

pytestmark = pytest.mark.slow
CONFIG = """\
name: big
datasets: [iris, wine]
constraints: {kind: random_pairs, counts: [10, 20, 30, 40, 50]}
algorithms:
  - pmmc
  - itml
  - rca
  - mpckmeans
  - cop_kmeans
  - {name: pckmeans, params: {w: [0.01, 0.1, 1, 10]}}
  - kmeans
trials: 500
metrics: [acc, nmi, ari, pairwise_f]
"""
MEASURED = ("acc", "nmi", "ari", "pairwise_f", "satisfied")


def command(*words):
    """Run a command without what it prints, and return the processor time that it took."""
    start = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        app([str(word) for word in words], standalone_mode=False)
    return time.process_time() - start


def run_it(config, *flags):
    return command("run", config, "--results", config.parent, "--jobs", 1, "--allow-failures", *flags)


def one_pass(path):
    start = time.process_time()
    with path.open(encoding="utf-8") as file:
        for line in file:
            json.loads(line)
    return time.process_time() - start


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    """Return the file of an experiment whose 50,000 trials are stored beside it."""
    path = tmp_path_factory.mktemp("store") / "big.yaml"
    path.write_text(CONFIG)
    rng = random.Random(0)
    with locked(prepare(str(path), out=path.parent)) as job:
        experiment = {"name": "big", "metrics": [], "algorithms": []}
        job.writer.put_json("config.json", {"source": path.name, "experiment": experiment})
        job.writer.put_json("plan.json", {"cells": {}, "keys": []})
        job.writer.put_records(
            {
                **blank(trial, 1, "0" * 12),
                "metrics": {name: rng.random() for name in MEASURED},
                "seconds": {"offline": 0.0, "fit": rng.random(), "update": 0.0, "predict": rng.random()},
                "iterations": rng.randrange(20),
                "converged": True,
            }
            for trial in job.plan
        )
    run_it(path)
    return path


def test_what_stored_trials_cost(config):
    trials = config.parent / "big" / "trials.jsonl"
    unit = min(one_pass(trials) for _ in range(3))
    results = ("--results", config.parent)

    def least(ask):
        return min(ask() for _ in range(3)) / unit

    def resume():  # with an index that lags behind as far as that of a run that was killed can
        folder = RunFolder(trials.parent)
        lines = trials.read_bytes().splitlines(keepends=True)
        with folder.writing() as writer:
            folder.index.unlink()
            trials.write_bytes(b"".join(lines[:45_000]))
            writer.put_index(folder.table())
            trials.write_bytes(b"".join(lines[:-5]))
        return run_it(config)

    def first():
        (trials.parent / "trials.index").unlink()
        return run_it(config)

    ratios = {
        "a dry run": (least(lambda: run_it(config, "--dry-run")), "4.0", "-"),
        "nothing to do, with the tables": (least(lambda: run_it(config)), "7.8", "2"),
        "a terminal report": (least(lambda: command("report", "big", *results)), "4.4", "3"),
        "resume of five trials": (least(resume), "8.6", "3"),
        "nothing to do, without an index": (least(first), "7.8", "-"),
        "the list of runs": (least(lambda: command("runs", *results)), "1.2", "0"),
    }
    assert len(trials.read_bytes().splitlines()) == 50_000
    print(f"\n50,000 stored trials; one pass of json.loads takes {unit:.2f} s")
    for name, (ratio, earlier, goal) in ratios.items():
        print(f"  {name}: {ratio:.2f} passes (earlier {earlier}; goal at most {goal})")


def test_what_a_plan_costs(config):
    tracemalloc.start()
    job = prepare(str(config), out=config.parent)
    assert not job.difference.todo
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(
        f"\nplan and stored records: {held / 50_000:.0f} bytes a trial, {peak / 50_000:.0f} at most", end=""
    )
    print(" (earlier 1730 and 1866; goal: below 1000)")
    large = config.with_name("large.yaml")
    large.write_text(CONFIG.replace("trials: 500", "trials: 1000").replace("name: big", "name: large"))
    seconds = min(run_it(large, "--dry-run") for _ in range(3))
    print(f"a plan of 100,000 trials, none stored: {seconds:.2f} s (earlier 2.2; goal: below 5)")
