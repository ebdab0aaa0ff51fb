"""What the charts of a run read: means, boxes, and the trials themselves where they are few."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cscluster.report.aggregate import Results, lower_is_better
from cscluster.report.tables import axis_name

Column = tuple[int, int]
"""A point and a tier."""
_CELL = ["dataset", "label", "point", "tier"]


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
    marks = results.marks
    place = columns(results)
    found = results.cells
    spread = _spread(results, with_trials)
    number: dict[str, dict[Any, int]] = {
        "dataset": {name: i for i, name in enumerate(results.datasets)},
        "label": {name: i for i, name in enumerate(marks)},
        "metric": {name: i for i, name in enumerate(results.metrics)},
        "column": {column: i for i, column in enumerate(place)},
    }
    cells = [
        {
            "at": [
                number["metric"][r.metric],
                number["dataset"][r.dataset],
                number["label"][r.label],
                number["column"][r.point, r.tier],
            ],
            "mean": float(r.mean),
            "std": float(r.std),
            "n": int(r.n),
            "params": r.params,
            **spread.get((r.metric, r.dataset, r.label, r.point, r.tier), {}),
        }
        for r in found.itertuples()
    ]
    return {
        "title": results.title,
        "metrics": [{"name": m.upper(), "lower": lower_is_better(m)} for m in results.metrics],
        "datasets": results.datasets,
        "labels": list(marks.values()),
        "axis": results.axis,
        "axisName": "tier" if results.axis == "tier" else axis_name(results),
        "points": axis_name(results),
        "columns": [{"point": c[0], "tier": c[1], "text": column_text(results, c)} for c in place],
        "planned": results.planned,
        "cells": cells,
        "grids": parameter_grids(results),
    }


def _spread(results: Results, with_trials: bool) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Return box and trials of every cell that has values."""
    found = {}
    for metric in results.metrics:
        name = f"m:{metric}"
        if name not in results.trials:
            continue
        kept = results.trials[[*_CELL, name]].dropna()
        for place, values in kept.groupby(_CELL, sort=False)[name]:
            numbers = np.sort(values.to_numpy(dtype=float))
            found[metric, *place] = {"box": box(numbers)} | (
                {"trials": numbers.tolist()} if with_trials else {}
            )
    return found


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
    rows = results.trials[["label", "grid"]].drop_duplicates()
    rows = rows[~rows["label"].duplicated(keep=False)]
    names = results.cells.drop_duplicates("label").set_index("label")["params"]
    order = {label: i for i, label in enumerate(results.marks)}
    families: dict[str, list[dict[str, Any]]] = {}
    for label, grid in rows.itertuples(index=False):
        ending = f" ({names[label]})"
        if names[label] and label.endswith(ending):
            family = families.setdefault(label.removesuffix(ending), [])
            family.append({"label": order[label], "values": json.loads(grid)})
    return [
        {"name": name, "params": list(members[0]["values"]), "rows": members}
        for name, members in families.items()
        if len(members) > 1 and all(m["values"].keys() == members[0]["values"].keys() for m in members)
    ]


def count_values(results: Results) -> int:
    """Return how many numbers all trials of a run have."""
    known: pd.Index = results.trials.columns
    return sum(int(results.trials[f"m:{m}"].count()) for m in results.metrics if f"m:{m}" in known)
