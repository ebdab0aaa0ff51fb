"""What the charts of a run read: means, confidence intervals and boxes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.means import points_word
from cscluster.report.statistics import intervals

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


def chart_data(results: Results) -> dict[str, Any]:
    """Return what the charts of one run read, in numbers instead of names."""
    marks, place = results.marks, columns(results)
    return {
        "title": results.title,
        "metrics": [{"name": metric_title(m), "lower": lower_is_better(m)} for m in results.metrics],
        "datasets": results.datasets,
        "labels": list(marks.values()),
        "axis": results.axis,
        "axisName": "tier" if results.axis == "tier" else points_word(results),
        "points": points_word(results),
        "columns": [{"point": c[0], "tier": c[1], "text": column_text(results, c)} for c in place],
        "planned": results.planned,
        "cells": [cell for metric in results.metrics for cell in _cells(results, metric)],
    }


def _cells(results: Results, metric: str) -> Iterator[dict[str, Any]]:
    """Yield mean, band and box of each cell of a metric."""
    axes: list[list[Any]] = [results.metrics, results.datasets, results.labels, columns(results)]
    bands = intervals(results, metric, _CELL).set_index(_CELL)[["low", "high"]]
    groups = metric_values(results.trials, metric).groupby([results.trials[name] for name in _CELL])
    values = {place: np.sort(part.dropna()) for place, part in groups}
    for r in results.cells[results.cells["metric"] == metric].itertuples():
        at, place = (metric, r.dataset, r.label, (r.point, r.tier)), (r.dataset, r.label, r.point, r.tier)
        band = bands.loc[place]
        yield {
            "at": [axis.index(name) for axis, name in zip(axes, at, strict=True)],
            "mean": float(r.mean),
            "std": float(r.std),
            "band": None if band.isna().any() else band.tolist(),
            "n": int(r.n),
            "params": r.params,
            "box": box(values[place]) if r.n else None,
        }


def box(ordered: NDArray[np.float64]) -> list[float]:
    """Return lower whisker, quartiles and upper whisker of ordered numbers.

    Whiskers end at the last number within 1.5 times the distance of the quartiles, as Tukey drew them.
    """
    low, middle, high = np.quantile(ordered, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    inside = ordered[(ordered >= low - reach) & (ordered <= high + reach)]
    return [float(v) for v in (inside[0], low, middle, high, inside[-1])]
