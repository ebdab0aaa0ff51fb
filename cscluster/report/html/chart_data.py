"""What the charts of a run read: means, boxes, and the trials themselves where they are few."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.colours import forms
from cscluster.report.means import points_word
from cscluster.report.statistics import intervals

TRIALS_LIMIT = 50_000
"""Values of single trials that a page holds; with more, its box plots show quartiles only."""

Column = tuple[int, int]
"""A point and a tier."""
_CELL = ["dataset", "label", "point", "tier"]


def trials_fit(runs: list[Results]) -> bool:
    """Tell whether a page can hold the value of every trial of runs."""
    counts = (run.trials[f"m:{m}"].count() for run in runs for m in run.metrics if f"m:{m}" in run.trials)
    return bool(sum(counts) <= TRIALS_LIMIT)


def columns(results: Results) -> list[Column]:
    """Return the points and tiers of a run in increasing order."""
    return sorted({(int(p), int(t)) for p, t in results.cells[["point", "tier"]].itertuples(index=False)})


def column_text(results: Results, column: Column) -> str:
    """Return the name of a column in words."""
    point, tier = column
    return f"{point}, tier {tier}" if results.axis == "tier" else str(point)


def chart_data(results: Results, with_trials: bool) -> dict[str, Any]:
    """Return what the charts of one run read, in numbers instead of names.

    Parameters
    ----------
    results : Results
        Of the run.
    with_trials : bool
        Whether the value of every trial is told, or boxes alone.
    """
    marks, place = results.marks, columns(results)
    spread, bands = _spread(results, with_trials), _bands(results)
    axes: list[list[Any]] = [results.metrics, results.datasets, list(marks), place]
    numbers = [{name: number for number, name in enumerate(axis)} for axis in axes]
    cells = []
    for r in results.cells.itertuples():
        at = (r.metric, r.dataset, r.label, (r.point, r.tier))
        key = (*at[:3], r.point, r.tier)
        cells.append(
            {
                "at": [known[name] for known, name in zip(numbers, at, strict=True)],
                "mean": float(r.mean),
                "std": float(r.std),
                "band": bands.get(key),
                "n": int(r.n),
                "params": r.params,
                **spread.get(key, {}),
            }
        )
    return {
        "title": results.title,
        "metrics": [{"name": metric_title(m), "lower": lower_is_better(m)} for m in results.metrics],
        "datasets": results.datasets,
        "labels": list(marks.values()),
        "forms": [list(form) for form in forms(list(marks))],
        "axis": results.axis,
        "axisName": "tier" if results.axis == "tier" else points_word(results),
        "points": points_word(results),
        "columns": [{"point": c[0], "tier": c[1], "text": column_text(results, c)} for c in place],
        "planned": results.planned,
        "cells": cells,
        "grids": parameter_grids(results),
    }


def _bands(results: Results) -> dict[tuple[Any, ...], list[float]]:
    """Return the confidence interval of the mean of every cell that has one."""
    return {
        (metric, *(getattr(r, name) for name in _CELL)): [r.low, r.high]
        for metric in results.metrics
        for r in intervals(results, metric, _CELL).dropna(subset=["low"]).itertuples()
    }


def _spread(results: Results, with_trials: bool) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return box and trials of every cell that has values."""
    spread = {}
    for metric in results.metrics:
        values = metric_values(results.trials, metric).dropna()
        for place, part in values.groupby([results.trials[name] for name in _CELL], sort=False):
            numbers = np.sort(part.to_numpy())
            spread[metric, *place] = {"box": box(numbers)} | (
                {"trials": numbers.tolist()} if with_trials else {}
            )
    return spread


def box(ordered: NDArray[np.float64]) -> list[float]:
    """Return lower whisker, quartiles and upper whisker of ordered numbers.

    Whiskers end at the last number within 1.5 times the distance of the quartiles, as Tukey drew them.
    """
    low, middle, high = np.quantile(ordered, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    inside = ordered[(ordered >= low - reach) & (ordered <= high + reach)]
    return [float(v) for v in (inside[0], low, middle, high, inside[-1])]


def parameter_grids(results: Results) -> list[dict[str, Any]]:
    """Return the algorithms of which every point of a grid is a row: their parameters and these rows."""
    if results.trials.empty:
        return []
    numbers = {label: i for i, label in enumerate(results.marks)}
    families: dict[str, list[dict[str, Any]]] = {}
    rows = results.trials[["entry", "label", "grid"]].drop_duplicates()
    for entry, label, grid in rows[rows["entry"] != rows["label"]].itertuples(index=False):
        families.setdefault(entry, []).append({"label": numbers[label], "values": json.loads(grid)})
    return [
        {"name": name, "params": list(members[0]["values"]), "rows": members}
        for name, members in families.items()
    ]
