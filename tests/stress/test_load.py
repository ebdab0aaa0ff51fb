"""A long run: memory stays flat, the run ends, its report is drawn."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cscluster.report.aggregate import collect
from cscluster.report.html.page import page
from cscluster.store.directory import RunDirectory

TOYS = Path(__file__).parents[1] / "toys.py"
CONFIG = f"""\
name: long
datasets: [iris]
constraints: {{kind: random_pairs, counts: [0, 5, 10, 15, 20]}}
algorithms: ['{TOYS}:Trivial']
trials: %d
"""

TRIALS = 50_000


def resident(pid):
    """Return the megabytes of memory that a process holds, or None if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), None)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.slow
def test_memory_stays_flat_and_the_report_is_drawn(tmp_path):
    (tmp_path / "long.yaml").write_text(CONFIG % (TRIALS // 5))
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", "from cscluster.cli.app import main; main()", "run", "long.yaml", "--jobs", "1"],
            cwd=tmp_path,
            stdout=log,
            stderr=log,
            env={**os.environ, "TERM": "dumb", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )  # fmt: skip
        directory = RunDirectory(tmp_path / "results/long")
        size = 0
        after = {}
        while process.poll() is None:
            held = resident(process.pid)
            if directory.trials.exists():
                size = size or len(directory.trials.open("rb").readline())
                done = directory.trials.stat().st_size / size / TRIALS if size else 0
                if held and done < 1:
                    after.update(
                        {share: held for share in (0.2, 0.9) if done >= share and share not in after}
                    )
            time.sleep(0.02)
    assert process.returncode == 0, (tmp_path / "log").read_text()
    print(f"\n{TRIALS} trials: {after[0.2]:.0f} MB after a fifth, {after[0.9]:.0f} MB after nine tenths")
    assert after[0.9] < 1.1 * after[0.2] + 5
    results = collect(directory)
    assert results.cells["n"].tolist() == [TRIALS // 5] * len(results.cells)
    assert (tmp_path / "results/long/report.md").read_text(encoding="utf-8").startswith("# long")
    assert "Trivial" in page([results], [directory])
