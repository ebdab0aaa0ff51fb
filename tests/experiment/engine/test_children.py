"""A child never outlives its parent, whatever it is doing."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOYS = Path(__file__).parents[2] / "toys.py"


def alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_child_in_compiled_code_dies_with_its_parent(tmp_path):
    sign = tmp_path / "pid"
    (tmp_path / "x.yaml").write_text(
        "name: x\ndatasets: [iris]\nconstraints: {kind: random_pairs, counts: [5]}\ntrials: 1\n"
        f"algorithms: [{{name: '{TOYS}:Deaf', params: {{sign: '{sign}'}}}}]\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", "from cscluster import run; run('x.yaml', jobs=1)"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    try:
        assert wait(lambda: sign.exists() and sign.read_text(), 120)
        child = int(sign.read_text())
        assert child != parent.pid
        assert alive(child)
    finally:
        parent.kill()
        parent.wait()
    assert wait(lambda: not alive(child), 20)
