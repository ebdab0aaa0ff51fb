"""A disk that fills up for real: a run ends with a clear sentence and resumes when there is room."""

import os
import subprocess
import sys

import pytest

CONFIG = """\
name: full
datasets: [iris]
constraints: {kind: random_pairs, counts: [10]}
algorithms: [kmeans, rca]
trials: 60
"""


def run(folder, out):
    done = subprocess.run(
        [sys.executable, "-c", "from cscluster.cli.app import main; main()", "run", "full.yaml", "--jobs", "1", "--results", str(out)],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 256 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a small file system is not permitted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def lines(path):
    return path.read_text().splitlines(keepends=True)


@pytest.mark.slow
def test_a_full_disk_ends_a_run_that_resumes_later(tmp_path, small_disk):
    (tmp_path / "full.yaml").write_text(CONFIG)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 200 * 1024)
    code, out, err = run(tmp_path, small_disk / "results")
    assert code == 2, out + err
    assert err.startswith("cscluster: No space left for '")
    assert "finished trials are kept" in err
    assert "Traceback" not in err
    stored = small_disk / "results" / "full" / "trials.jsonl"
    before = lines(stored)
    assert 0 < len(before) < 120
    assert all(line.endswith("}\n") for line in before)
    ballast.unlink()
    code, out, err = run(tmp_path, small_disk / "results")
    assert code == 0, out + err
    assert f"{len(before)} stored, {120 - len(before)} to run" in out
    assert lines(stored)[: len(before)] == before
    assert len({line.partition(",")[0] for line in lines(stored)}) == len(lines(stored)) == 120
    assert not list(small_disk.rglob("*.part"))


@pytest.mark.slow
def test_a_disk_that_is_full_from_the_start(tmp_path, small_disk):
    (tmp_path / "full.yaml").write_text(CONFIG)
    (small_disk / "ballast").write_bytes(b"x" * 256 * 1024)
    code, out, err = run(tmp_path, small_disk / "results")
    assert code == 2, out + err
    assert "No space left" in err
    assert "Traceback" not in err
    (small_disk / "ballast").unlink()
    code, out, err = run(tmp_path, small_disk / "results")
    assert code == 0, out + err
