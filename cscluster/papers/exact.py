"""Hard constraints as an optimisation problem: how far methods end above the best known objective.

The instances are public and have their own constraints, so nothing is drawn: the quality of a partition is
its within-cluster sum of squares, relative to the lowest that is known of a partition that satisfies all
constraints.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cscluster import bundle
from cscluster.algorithms.build import build
from cscluster.arrays import FloatArray, IntArray
from cscluster.atomic import put
from cscluster.constraints import Constraints
from cscluster.papers.ranking import two_digits
from cscluster.report.page import Block, Fold
from cscluster.report.table import PlainTable

TITLE = "Distance from the best known objective"
ABOUT = (
    "Nine public instances with given hard constraints (Mansueto and Schoen 2024): 500 samples in the plane, "
    "2, 20 or 100 clusters, 100, 500 or 1,000 constraints.  The gap is how far the within-cluster sum of "
    "squares is above the lowest known, over the runs that violate no constraint.  Best known is the lowest "
    "objective that any method found with a large budget.  None is proven to be optimal."
)
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "PCCC": ("pccc", {}),
    "PCCC, one start": ("pccc", {"n_init": 1}),
    "COP-KMeans": ("cop_kmeans", {}),
    "PCK-Means": ("pckmeans", {}),
    "LCVQE": ("lcvqe", {}),
    "k-means": ("kmeans", {}),
}
RUNS = 5
_COLUMNS = ["instance", "method", "version", "run", "objective", "violated", "cpu_seconds", "error"]


def folder() -> Path:
    """Return the directory of the instances."""
    return bundle.folder("configs") / "benchmark" / "exact"


@cache
def load(instance: str) -> tuple[FloatArray, Constraints, int]:
    """Return samples, hard constraints and the number of clusters of an instance."""
    name = instance.partition("_constraints_")[0]
    X = np.loadtxt(folder() / f"{name}_data.csv", delimiter=",", skiprows=1)[:, :-1]
    pairs = json.loads((folder() / f"{instance}.json").read_text(encoding="utf-8"))
    constraints = Constraints(pairs["ml"], pairs["cl"], n_samples=len(X)).hardened()
    return X, constraints, int(name.rpartition("_k")[2])


@cache
def best_known() -> pd.Series:
    """Return the lowest objective that is known of each instance, by its name."""
    table = pd.read_csv(folder() / "best_known.csv", comment="#", index_col="instance")
    return table["objective"]


def sum_of_squares(X: FloatArray, labels: IntArray) -> float:
    """Return the sum of squared distances of all samples to the mean of their cluster."""
    samples = pd.DataFrame(X)
    return float(((samples - samples.groupby(labels).transform("mean")) ** 2).to_numpy().sum())


def solve(instance: str, method: str, run: int) -> dict[str, Any]:
    """Run a method on an instance; a failure is a row too."""
    X, constraints, n_clusters = load(instance)
    name, params = METHODS[method]
    model = build(name, params, n_clusters, run)
    row = {"instance": instance, "method": method, "version": model.version, "run": run, "error": ""}
    began = time.process_time()
    try:
        with warnings.catch_warnings(action="ignore"):  # about hard constraints that are taken as soft
            labels = model.fit(X, constraints=constraints).labels_
    except Exception as error:
        return row | {"cpu_seconds": time.process_time() - began, "error": f"{type(error).__name__}: {error}"}
    seconds = time.process_time() - began
    violated = len(constraints.violated(labels))
    return row | {"objective": sum_of_squares(X, labels), "violated": violated, "cpu_seconds": seconds}


def planned(n_runs: int) -> list[tuple[str, str, int]]:
    """Return what there is to run: instance, method and number of the run."""
    return [(each, method, run) for run in range(n_runs) for each in best_known().index for method in METHODS]


def run_all(n_runs: int, progress: Callable[[int], object]) -> pd.DataFrame:
    """Run all methods on all instances; `progress` is called after each run with the number of failures."""
    rows = []
    for each in planned(n_runs):
        rows.append(solve(*each))
        progress(int(bool(rows[-1]["error"])))
    return pd.DataFrame(rows, columns=_COLUMNS)


def reference(results: Path) -> Path:
    """Return the file of the runs that travel with the sources."""
    return results / "reference" / "exact.csv"


def stored(results: Path) -> pd.DataFrame:
    """Return the stored runs."""
    file = reference(results)
    return pd.read_csv(file) if file.is_file() else pd.DataFrame(columns=_COLUMNS)


def write(results: Path, rows: pd.DataFrame) -> None:
    """Store runs."""
    put(reference(results), rows.to_csv(index=False, lineterminator="\n", float_format="%.10g"))


def section(results: Path) -> list[Block]:
    """Return the part of the page; nothing where there are no runs."""
    rows = stored(results)
    return [Fold(TITLE, [ABOUT, table(rows)])] if len(rows) else []


def table(rows: pd.DataFrame) -> PlainTable:
    """Return one row for each method, the smallest mean gap first."""
    gap = 100 * (rows["objective"] / rows["instance"].map(best_known()) - 1)
    rows = rows.assign(gap=gap.where(rows["violated"] == 0), failed=rows["objective"].isna())
    of = rows.groupby("method", sort=False)
    means = of[["gap", "violated", "cpu_seconds"]].mean()
    columns = {
        "mean gap (%)": means["gap"].map(_number),
        "worst gap (%)": of["gap"].max().map(_number),
        "runs without violation": of["gap"].count().map(str) + " of " + of.size().map(str),
        "mean violations": means["violated"].map("{:.1f}".format),
        "CPU s": means["cpu_seconds"].map(two_digits),
        "failed": of["failed"].sum().map(lambda count: str(count or "")),
    }
    best_first = means["gap"].sort_values(kind="stable").index
    return PlainTable.of("", "method", pd.DataFrame(columns).loc[best_first])


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.2f}"
