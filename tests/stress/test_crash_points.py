"""A run that is cut off between any two changes of its files resumes to what an unbroken one holds."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import prepare, run_job
from tests.store.values import values

CONFIG = """\
name: x
datasets: [iris]
constraints: {kind: random_pairs, counts: [5]}
algorithms: [kmeans, rca]
trials: 2
"""
MOST = 200


def die_at(number, out):
    """End this process at a change of files below `out`, counted from 1; half of what was written is lost."""

    def count(path="", descriptor=None):
        nonlocal number
        number -= str(out) in str(path) or descriptor is not None
        if number == 0:
            if descriptor is not None:
                os.ftruncate(descriptor, os.fstat(descriptor).st_size - 20)
            os._exit(9)

    def audit(event, arguments):
        if event in ("os.rename", "os.remove", "os.mkdir") or (
            event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        ):
            count(arguments[0])

    def fsync(descriptor, sync=os.fsync):
        count(descriptor=descriptor)
        sync(descriptor)

    os.fsync = fsync
    sys.addaudithook(audit)


def run_until_death(number, out):
    """Run the experiment in a copy of this process; return the exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv[1:] = ["run", "x.yaml", "-j", "1", "--results", str(out)]
    die_at(number, out)
    from cscluster.cli.app import main

    main()
    os._exit(0)


def cut_off(begun):
    """Run the experiment once for each point at which it can be cut off, each in a directory of its own."""
    import cscluster.cli.run  # noqa: F401  # once for all copies of this process

    for number in range(1, MOST):
        if begun:
            shutil.copytree(begun, f"cut-{number}")
        if run_until_death(number, Path(f"cut-{number}").absolute()) == 0:
            return


@pytest.mark.slow
@pytest.mark.parametrize("begun", [False, True], ids=["first run", "run with more trials"])
def test_every_prefix_of_a_run_is_resumed(tmp_path, monkeypatch, begun):
    monkeypatch.chdir(tmp_path)
    Path("x.yaml").write_text(CONFIG)
    expected = prepare("x.yaml", out=tmp_path / "whole")
    run_job(expected, Pool(1))
    if begun:
        run_job(prepare("x.yaml", settings=["trials=1"], out=tmp_path / "begun"), Pool(1))
    script = f"from {__name__} import cut_off; cut_off({'begun' if begun else ''!r})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TERM": "dumb"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
    places = sorted(tmp_path.glob("cut-*"))
    print(f"\n{len(places)} points")
    assert 20 < len(places) < MOST - 1
    for place in places:
        job = prepare("x.yaml", out=place)
        run_job(job, Pool(1))
        assert values(job.directory) == values(expected.directory), place
        assert not list(place.rglob("*.part")), place
