"""A real Dask cluster on this machine: a scheduler and two workers, one of which is killed in mid-run."""

import json
import logging
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cscluster.errors import ConfigError
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job
from tests.lines import assert_match
from tests.store.values import values

pytest.importorskip("distributed")
TOYS = Path(__file__).parents[2] / "toys.py"
CONFIG = f"""\
name: cluster
datasets: [iris]
constraints: {{kind: random_pairs, counts: [5, 10]}}
algorithms: [kmeans, rca, {{name: '{TOYS}:Sleepy', params: {{seconds: 0.1}}}}]
trials: 4
"""


class Cluster:
    """The programs that a user would start by hand, each in a directory of its own."""

    def __init__(self, folder, n_workers=2):
        self.folder = folder
        self.processes = []
        self.file = folder / "scheduler.json"
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")
        self.wait(self.file.exists)
        self.workers = [self.add_worker() for _ in range(n_workers)]

    def start(self, *words):
        here = self.folder / f"{words[0]}-{len(self.processes)}"
        here.mkdir()
        command = [sys.executable, "-m", "dask", *words, "--scheduler-file", str(self.file), "--no-dashboard"]
        paths = os.pathsep.join(path for path in sys.path if path)
        with (here / "log").open("w") as log:
            self.processes.append(
                subprocess.Popen(
                    command, cwd=here, stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": paths}
                )
            )
        return self.processes[-1]

    def add_worker(self):
        return self.start("worker", "--nthreads", "1", "--no-nanny", "--local-directory", "scratch")

    def wait(self, condition):
        end = time.monotonic() + 120
        while not condition():
            assert time.monotonic() < end
            assert all(process.poll() is None for process in self.processes)
            time.sleep(0.05)

    @property
    def address(self):
        return json.loads(self.file.read_text())["address"]

    def stop(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def start_cluster(tmp_path):
    started = []

    def start(n_workers):
        started.append(Cluster(tmp_path, n_workers))
        return started[-1]

    yield start
    for cluster in started:
        cluster.stop()


@pytest.fixture
def cluster(start_cluster):
    return start_cluster(2)


@pytest.mark.slow
def test_workers_are_waited_for_and_a_killed_one_costs_nothing_but_time(start_cluster, tmp_path):
    cluster = start_cluster(0)
    (tmp_path / "x.yaml").write_text(CONFIG)
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "dask")
    messages = []

    class Helper(logging.Handler):
        def emit(self, record):
            messages.append(record.getMessage())
            cluster.workers = [cluster.add_worker(), cluster.add_worker()]

    def kill_one(records):
        if len(list(job.directory.records())) == 4:
            cluster.workers[0].kill()

    log, helper = logging.getLogger("cscluster"), Helper()
    log.addHandler(helper)
    try:
        run_job(job, Pool(2, "dask", cluster.address), kill_one)
    finally:
        log.removeHandler(helper)
    assert_match(messages, f"Dask.* {cluster.address} .*no workers.*: dask worker {cluster.address}$")
    assert cluster.workers[0].wait() == -9
    assert cluster.workers[1].poll() is None
    local = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "threads")
    run_job(local, Pool(2))
    assert values(job.directory) == values(local.directory)
    assert len(values(job.directory)) == 24
    made_in = {record["environment"] for record in job.directory.records()}
    assert made_in <= set(job.directory.definition.environments)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_workers_may_come_and_go(cluster, tmp_path, seed):
    rng = random.Random(seed)
    (tmp_path / "x.yaml").write_text(CONFIG.replace("trials: 4", "trials: 40"))
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "dask")
    moments = {30 * number + rng.randrange(20) for number in range(1, 7)}

    def replace_one(records):
        if len(list(job.directory.records())) in moments:
            cluster.workers.pop(rng.randrange(2)).kill()
            cluster.workers.append(cluster.add_worker())

    run_job(job, Pool(2, "dask", cluster.address), replace_one)
    local = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "local")
    run_job(local, Pool(2))
    assert values(job.directory) == values(local.directory)
    assert len(values(job.directory)) == 240


@pytest.mark.slow
def test_a_lost_scheduler_is_told_and_the_run_resumes(cluster, tmp_path, capfd):
    (tmp_path / "x.yaml").write_text(CONFIG)
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "dask")

    def kill_it(records):
        if len(list(job.directory.records())) == 4:
            cluster.processes[0].kill()

    with pytest.raises(ConfigError, match=r"Dask scheduler.*lost"):
        run_job(job, Pool(2, "dask", cluster.address), kill_it)
    assert "Traceback" not in capfd.readouterr().err
    assert 4 <= len(values(job.directory)) < 24
    run_job(prepare(str(tmp_path / "x.yaml"), out=tmp_path / "dask"), Pool(2))
    assert len(values(job.directory)) == 24


@pytest.mark.slow
def test_an_algorithm_that_kills_its_process_is_one_crashed_record(cluster, tmp_path):
    killer = f"{{name: '{TOYS}:Broken', params: {{how: exit, sometimes: true}}}}"
    (tmp_path / "x.yaml").write_text(CONFIG.replace("rca", killer) + "seed: 1\n")
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "dask")
    run_job(job, Pool(2, "dask", cluster.address))
    local = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "alone")
    run_job(local, Pool(1))
    assert values(job.directory) == values(local.directory)
    assert {record["status"] for record in job.directory.records()} == {"ok", "crashed"}
    assert all(worker.poll() is None for worker in cluster.workers)


@pytest.mark.parametrize(
    ("address", "says"),
    [("cloud://x", "'cloud'"), ("here", "port"), ("tcp://no.invalid:1", "not known")],
)  # fmt: skip
def test_an_address_where_nothing_answers_is_told(tmp_path, address, says):
    (tmp_path / "x.yaml").write_text(CONFIG)
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path)
    with pytest.raises(ConfigError, match=f"Dask.*'{address}': .*{says}"):
        run_job(job, Pool(2, "dask", address))
