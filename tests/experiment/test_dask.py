"""A real Dask cluster on this machine: a scheduler and two workers, one of which is killed in mid-run."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cscluster.errors import ConfigError
from cscluster.experiment.execute import Pool
from cscluster.experiment.run import carry_out, prepare

pytest.importorskip("distributed")
TOYS = Path(__file__).parents[1] / "toys.py"
CONFIG = f"""\
name: cluster
datasets: [iris]
constraints: {{kind: random_pairs, counts: [5, 10]}}
algorithms: [kmeans, rca, {{name: '{TOYS}:Sleepy', params: {{seconds: 0.1}}}}]
trials: 4
"""


class Cluster:
    """The programs that a user would start by hand, each in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.file = folder / "scheduler.json"
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-show")
        self.wait(self.file.exists)
        self.workers = [self.add_worker() for _ in range(2)]

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
def cluster(tmp_path):
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.stop()


def values(folder):
    """Return the stored records by key, without what may differ between two runs."""
    found = {}
    for record in folder.records():
        assert record["key"] not in found, "a trial was stored twice"
        found[record["key"]] = {k: v for k, v in record.items() if k not in ("seconds", "environment")}
    return found


def test_a_killed_worker_costs_nothing_but_time(cluster, tmp_path):
    (tmp_path / "x.yaml").write_text(CONFIG)
    job = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "dask")
    t0 = time.time()

    def kill_one(records):
        print(time.time() - t0)
        if cluster.workers[0].poll() is None and len(list(job.folder.records())) >= 4:
            cluster.workers[0].kill()

    carry_out(job, Pool(2, "dask", cluster.address), kill_one)
    assert cluster.workers[0].wait() == -9
    local = prepare(str(tmp_path / "x.yaml"), out=tmp_path / "loky")
    carry_out(local, Pool(2))
    assert values(job.folder) == values(local.folder)
    assert len(values(job.folder)) == 24
