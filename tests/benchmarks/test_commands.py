"""What whole commands cost, each in a process of its own; ``make bench`` prints seconds and memory."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cscluster import load_dataset

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def command(*arguments, **environment):
    """Run cscluster; return seconds, CPU seconds (workers aside) and the most memory that it held, in GB."""
    start = time.perf_counter()
    with subprocess.Popen(
        [Path(sys.executable).with_name("cscluster"), *map(str, arguments)],
        env={**os.environ, "TERM": "dumb", **environment},
        stdout=subprocess.DEVNULL,
    ) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


def links_file(path, y, count, rng):
    """Write `count` links between random samples of classes y."""
    pairs = rng.integers(len(y), size=(count, 2))
    kinds = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], "must", "cannot")
    frame = pd.DataFrame({"a": pairs[:, 0], "b": pairs[:, 1], "link": kinds})
    frame[frame.a != frame.b].to_csv(path, index=False)
    return path


def test_the_main_job(tmp_path):
    seconds, _, _ = command("run", ROOT / "configs" / "mnist0689.yaml", "--results", tmp_path, "-j", 2)
    print(
        f"\nthe main experiment, 20 draws, two workers: {seconds:.0f} s (earlier about 240; goal: the 55 that "
        "5 draws took)"
    )


@pytest.mark.parametrize("count", [40, 200])
def test_first_use_with_nothing_compiled(tmp_path, record, count):
    data = load_dataset("wine")
    table = tmp_path / "wine.csv"
    pd.DataFrame(data.X).to_csv(table, index=False)
    links = links_file(tmp_path / "links.csv", data.y, count, np.random.default_rng(0))
    compiled = tmp_path / "compiled"
    asked = ("cluster", table, "-c", links, "-k", 3, "-o", tmp_path / "labels.csv")
    first, again = (command(*asked, NUMBA_CACHE_DIR=str(compiled))[1] for _ in range(2))
    print(f"\n`cscluster cluster` of wine, {count} links: {first / again:.1f} times a second use")
    record(f"first cluster command with {count} constraints, CPU s", first, 8)


def test_ten_million_rows(tmp_path):
    n, d = 10_000_000, 10
    rng = np.random.default_rng(0)
    y = rng.integers(5, size=n)
    centres = rng.normal(scale=3, size=(5, d)).astype(np.float32)
    X = centres[y] + rng.normal(size=(n, d)).astype(np.float32)
    table = tmp_path / "rows.parquet"
    pd.DataFrame(X, columns=[f"x{j}" for j in range(d)]).to_parquet(table, row_group_size=500_000)
    del X
    links = links_file(tmp_path / "links.csv", y, 200, rng)
    _, cpu, held = command("cluster", table, "-c", links, "-k", 5, "-o", tmp_path / "labels.csv")
    print(
        f"\n`cscluster cluster` of a Parquet file of {n:,} rows x {d} ({table.stat().st_size / 2**30:.2f} GB): "
        f"{cpu:.0f} CPU s, at most {held:.2f} GB (earlier: not possible)"
    )
