"""Measure how time and memory of every method grow, and write the section "Growth" of performance.md.

python docs/scale.py            # measures what docs/scale.csv lacks, one fit at a time; it resumes
python docs/scale.py --draw     # figure and table alone

Each fit runs in a process of its own with one BLAS thread, which ends when its CPU time is used up.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import resource
import signal
import time
import warnings
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn.cluster
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.arrays import FloatArray
from cscluster.constraints import Constraints
from cscluster.errors import CsclusterError
from cscluster.report.colours import COLOURS
from cscluster.report.figures.style import styled
from cscluster.report.styles import FORMATS

DOCS = Path(__file__).parent
MIDDLE = {"n": 1000, "d": 10, "constraints": 100}
AXES = {
    "n": (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000),
    "d": (10, 30, 100, 300, 1000),
    "constraints": (100, 1000, 10_000, 100_000),
}
CLUSTERS, SEED, CPU_SECONDS = 3, 0, 60
MEASURE = "scikit-learn KMeans"
SEMIDEFINITE = ("mmc_sdp", "gmmc_sdp")  # 100 samples take them seconds
METHODS = [MEASURE, *(entry.name for entry in registry.BUILT_IN if entry.name not in SEMIDEFINITE)]
COLUMNS = ["method", "axis", "size", "seconds", "megabytes", "problem"]
BEGIN, END = "<!-- written by docs/scale.py -->\n", "<!-- end -->"


def gaussians(n: int, d: int, constraints: int) -> tuple[FloatArray, Constraints]:
    """Draw overlapping Gaussian clusters, and constraints between random samples."""
    rng = np.random.default_rng(SEED)
    y = rng.permutation(np.arange(n) % CLUSTERS)
    X = 4.0 / np.sqrt(d) * rng.normal(size=(CLUSTERS, d))[y] + rng.normal(size=(n, d))
    pairs = rng.integers(n, size=(constraints, 2))
    return X, Constraints.from_labels(pairs[pairs[:, 0] != pairs[:, 1]], y)


def fit(name: str, X: FloatArray, constraints: Constraints) -> None:
    """Fit a method, or scikit-learn's k-means with ten starts."""
    if name == MEASURE:
        sklearn.cluster.KMeans(CLUSTERS, n_init=10, random_state=SEED).fit(X)
    else:
        build(name, {}, CLUSTERS, SEED).fit(X, constraints=constraints)


def _held() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _child(channel: Connection, name: str, size: dict[str, int], limit: int) -> None:
    X, constraints = gaussians(**size)
    warnings.simplefilter("ignore")
    before, start = _held(), time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + limit + 1, int(start) + limit + 2))
    with threadpool_limits(1):
        try:
            fit(name, X, constraints)
        except (CsclusterError, MemoryError) as error:
            channel.send((np.nan, np.nan, str(error)))
        else:
            channel.send((time.process_time() - start, _held() - before, ""))


def measure(name: str, size: dict[str, int], limit: int = CPU_SECONDS) -> tuple[float, float, str]:
    """Return CPU seconds and megabytes of a fit beyond those of its data, or why there are none."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_child, args=(sender, name, size, limit))
    child.start()
    sender.close()
    try:
        found: tuple[float, float, str] = receiver.recv()
    except EOFError:
        found = np.nan, np.nan, ""
    child.join()
    if child.exitcode == -signal.SIGXCPU:
        return np.nan, np.nan, f"more than {limit} CPU s"
    return found if child.exitcode == 0 else (np.nan, np.nan, f"ended with code {child.exitcode}")


def complete(
    path: Path, methods: list[str], axes: dict[str, tuple[int, ...]], limit: int = CPU_SECONDS
) -> None:
    """Append to a CSV file what it lacks; an axis of a method ends at the first size without a time."""
    if not path.exists():
        path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    stored = pd.read_csv(path).set_index(["method", "axis", "size"])["seconds"].to_dict()
    for name in methods:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            fit(name, *gaussians(60, 4, 60))  # compiles what the processes then find compiled
        for axis, sizes in axes.items():
            for size in sizes:
                if (name, axis, size) not in stored:
                    row = measure(name, MIDDLE | {axis: size}, limit)
                    stored[name, axis, size] = row[0]
                    with path.open("a", encoding="utf-8", newline="") as file:
                        csv.writer(file).writerow([name, axis, size, *row])
                    print(name, axis, size, *row, flush=True)
                if not np.isfinite(stored[name, axis, size]):
                    break


def exponent(sizes: Any, values: Any) -> str:
    """Return the slope of log value over log size at the three largest sizes; a dash for fewer."""
    if len(sizes) < 3:
        return "–"
    slope = np.polyfit(np.log(sizes[-3:]), np.log(np.maximum(values[-3:], 1e-3)), 1)[0]
    return f"{round(slope, 1) + 0.0:.1f}"  # no minus zero


def table(rows: pd.DataFrame) -> str:
    """Return what was measured as a Markdown table."""
    lines = [
        "| method | largest n | CPU s | exponent | MB | exponent | d: CPU s | exponent |"
        " constraints: CPU s | exponent |",
        "|---|" + "--:|" * 9,
    ]
    for name, own in rows.dropna(subset="seconds").groupby("method", sort=False):
        cells = [str(name)]
        for axis in AXES:
            part = own[own["axis"] == axis].sort_values("size")
            sizes, seconds = part["size"].to_numpy(), part["seconds"].to_numpy()
            largest = f"{sizes[-1]:,}" if len(sizes) else "–"
            taken = f"{seconds[-1]:.2f}" if len(sizes) else "–"
            if axis == "n":
                held = part["megabytes"].to_numpy()
                cells += [largest, taken, exponent(sizes, seconds)]
                cells += [f"{held[-1]:.0f}" if len(sizes) else "–", exponent(sizes, held)]
            else:
                cells += [f"{taken} at {largest}", exponent(sizes, seconds)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def draw(rows: pd.DataFrame, path: Path) -> None:
    """Draw time and memory over each size, coloured by family, and scikit-learn's k-means in black."""
    families = {entry.name: entry.family for entry in registry.BUILT_IN}
    known = rows.dropna(subset="seconds")
    hues = [colour for colour in COLOURS if colour != "#000000"]
    looks = dict(zip(dict.fromkeys(families.values()), product(("-", "--"), hues), strict=False))
    with styled():
        figure = Figure(figsize=(9, 5.4), dpi=150, layout="constrained")
        grid = figure.subplots(2, len(AXES), sharex="col", sharey="row")
        for column, axis in enumerate(AXES):
            for line, what in enumerate(("seconds", "megabytes")):
                axes = grid[line, column]
                for name, part in known[known["axis"] == axis].groupby("method", sort=False):
                    own = {"color": "black", "linewidth": 2.2, "zorder": 3, "label": name}
                    if name != MEASURE:
                        family = families[str(name)]
                        dash, hue = looks[family]
                        own = {"color": hue, "linestyle": dash, "linewidth": 0.8, "label": family}
                    ordered = part.sort_values("size")
                    axes.plot(ordered["size"], ordered[what].clip(lower=1e-3 if line == 0 else 0.1), **own)
                axes.set(xscale="log", yscale="log")
                axes.xaxis.set_major_formatter("{x:g}")
                axes.yaxis.set_major_formatter("{x:g}")
            grid[1, column].set_xlabel({"n": "samples", "d": "features"}.get(axis, axis))
        grid[0, 0].set_ylabel("CPU seconds")
        grid[1, 0].set_ylabel("MB beyond the data")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        named = dict(zip(labels, handles, strict=True))
        figure.legend(named.values(), named, loc="outside lower center", ncols=5)
        figure.savefig(path, metadata=FORMATS["png"])


def write(rows: pd.DataFrame, page: str) -> str:
    """Return the page with the figure and the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    text = f"""
![CPU seconds and memory over samples, features and constraints](figures/scale.png)

One of the sizes at a time.  The others are {MIDDLE["n"]} samples, {MIDDLE["d"]} features, {CLUSTERS}
clusters and {MIDDLE["constraints"]} constraints.  A line ends where a fit takes more than {CPU_SECONDS}
CPU s or its arrays do not fit into memory.  The table has the largest sizes reached, and the slope of
the logarithms at the last three.  Memory is the peak beyond that of data and libraries.

{table(rows)}
MMC and GMMC, semidefinite programs for a hundred samples, are not in the table.
"""
    return f"{before}{BEGIN}{text}{END}{after}"


def main() -> None:
    """Measure, then write figure and table."""
    parser = argparse.ArgumentParser(description="Measure how time and memory of every method grow.")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    stored = DOCS / "scale.csv"
    if not parser.parse_args().draw:
        complete(stored, METHODS, AXES)
    rows = pd.read_csv(stored)
    draw(rows, DOCS / "figures" / "scale.png")
    page = DOCS / "performance.md"
    page.write_text(write(rows, page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
