"""What the runner itself costs; ``make bench`` prints the ratios."""

import time
from pathlib import Path

import pytest

from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job

TOYS = Path(__file__).parents[1] / "toys.py"


def timed(tmp_path, toy, trials, jobs, name):
    config = tmp_path / f"{name}.yaml"
    config.write_text(
        f"name: {name}\ndatasets: [iris]\nconstraints: {{kind: random_pairs, counts: [10]}}\n"
        f"algorithms: ['{TOYS}:{toy}']\ntrials: {trials}\n"
    )
    job = prepare(str(config), out=tmp_path)
    start = time.perf_counter()
    run_job(job, Pool(jobs))
    seconds = time.perf_counter() - start
    assert job.directory.planned()["status"].tolist() == ["ok"] * trials
    return seconds


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_overhead_of_a_trial(tmp_path, record, jobs):
    timed(tmp_path, "Trivial", 20, jobs, "warm-up")
    seconds = timed(tmp_path, "Trivial", 2000, jobs, "overhead")
    workers = "1 worker" if jobs == 1 else f"{jobs} workers"
    record(f"overhead of a trial with {workers}, ms", 1000 * seconds / 2000, 5)


@pytest.mark.slow
@pytest.mark.parametrize("toy", ["Sleepy", "Busy"])
def test_throughput_of_two_workers(tmp_path, toy):
    for jobs in (1, 2):
        timed(tmp_path, toy, 8, jobs, f"warm-up-{jobs}")
    one, two = (timed(tmp_path, toy, 200, jobs, f"jobs-{jobs}") for jobs in (1, 2))
    print(
        f"\nthroughput of two workers over one, {toy} trials of 50 ms: {one / two:.2f} (goal: at least 1.8)"
    )
