"""Lines of means with bands, which several kinds of figure share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cscluster.metrics.catalogue import Metric, find_metric, metric_title
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.colours import MOST_BANDS
from cscluster.report.figures.layout import first_in_row, log_axis, say_empty
from cscluster.report.figures.words import metric_name
from cscluster.report.statistics import intervals
from cscluster.words import plural


def has_values(results: Results, metric: str) -> bool:
    """Tell whether any trial has a value of a metric."""
    return len(results.trials) > 0 and bool(metric_values(results.trials, metric).notna().any())


def line_table(results: Results, metric: str, keys: list[str], labels: Sequence[str]) -> pd.DataFrame:
    """Return means and intervals of some lines, named by the second of the keys; of many, no intervals."""
    table = intervals(results, metric, keys)
    table = table[table[keys[1]].isin(labels)]
    return table if len(labels) <= MOST_BANDS else table.assign(low=np.nan, high=np.nan)


def paint(axes: Axes, table: pd.DataFrame, x: str, line: str, styles: Mapping[Any, dict[str, Any]]) -> None:
    """Draw the means of each line of a panel, with their bands.

    Parameters
    ----------
    axes : Axes
        The panel.
    table : DataFrame
        As `intervals` returns it.
    x, line : str
        Columns of the horizontal axis, and of what tells the lines apart.
    styles : mapping
        Look of each line.
    """
    for key, part in table.groupby(line, sort=False):
        xs, mean, low, high = part.sort_values(x)[[x, "mean", "low", "high"]].to_numpy(float).T
        axes.plot(xs, mean, **styles[key], zorder=3)
        axes.fill_between(xs, low, high, color=styles[key]["color"], alpha=0.13, linewidth=0, zorder=2)


def finish(axes: Axes, table: pd.DataFrame, metric: str) -> None:
    """Set up the vertical axis of a panel of lines."""
    if metric == "seconds":
        log_axis(axes, "y", table[["mean", "low", "high"]].to_numpy().ravel())
    if not table["mean"].notna().any():
        say_empty(axes)
    elif axes.get_yscale() == "linear":
        _stay_in_range(axes, find_metric(metric))
    if first_in_row(axes):
        axes.set_ylabel(metric_name(metric))


def _stay_in_range(axes: Axes, metric: Metric) -> None:
    """Keep ticks in the range of the metric."""
    low, high = axes.get_ylim()
    ticks = axes.get_yticks()
    axes.set_yticks(ticks[(ticks >= max(low, metric.lowest)) & (ticks <= min(high, metric.highest))])


def handle(style: dict[str, Any]) -> Any:
    """Return the sample of an algorithm's line for the legend."""
    return Line2D([], [], **style)


def caption(results: Results, metric: str, table: pd.DataFrame) -> str:
    """Return how the lines are to be read."""
    about = metric_title(metric)
    if results.planned == 1:
        return f"{about}, one trial each"
    most, draws = int(table["n"].max()), results.planned // results.repeats
    text = f"{about}, mean of {most if most == results.planned else f'{most} of {results.planned}'} trials"
    if results.repeats > 1:
        text += f" on {plural(draws, 'random constraint set')}"
    if table["low"].notna().any():
        text += "; band: 95\u00a0% confidence interval of the mean"
    few = (table["n"] < results.planned) & (table["n"] > 0)
    return text + ("; some means are over fewer trials, others failed or are missing" if few.any() else "")


def remarks(results: Results, labels: Sequence[str]) -> str:
    """Return what has to be said about these labels: whether an oracle is among them."""
    stars = any(results.marks[label] != label for label in labels)
    return "; *: parameters picked with the true labels (oracle)" if stars else ""
