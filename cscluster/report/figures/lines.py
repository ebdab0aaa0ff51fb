"""Lines of means with bands, which several kinds of figure share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from cscluster.metrics.catalogue import find_metric, metric_title
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.colours import MOST_BANDS
from cscluster.report.figures.layout import first_in_row, log_axis, say_empty
from cscluster.report.figures.words import metric_name
from cscluster.report.statistics import intervals
from cscluster.words import plural


def has_values(results: Results, metric: str) -> bool:
    """Tell whether any trial has a value of a metric."""
    return len(results.trials) > 0 and bool(metric_values(results.trials, metric).notna().any())


def line_table(results: Results, metric: str, keys: list[str]) -> pd.DataFrame:
    """Return means and intervals of lines, named by the second of the keys; of many, no intervals."""
    table = intervals(results, metric, keys)
    return table if table[keys[1]].nunique() <= MOST_BANDS else table.assign(low=np.nan, high=np.nan)


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
    """Set up the vertical axis of a panel of lines, with ticks in the range of the metric."""
    if metric == "seconds":
        log_axis(axes, "y", table[["mean", "low", "high"]].to_numpy().ravel())
    if not table["mean"].notna().any():
        say_empty(axes)
    elif axes.get_yscale() == "linear":
        about, (low, high), ticks = find_metric(metric), axes.get_ylim(), axes.get_yticks()
        axes.set_yticks(ticks[(ticks >= max(low, about.lowest)) & (ticks <= min(high, about.highest))])
    if first_in_row(axes):
        axes.set_ylabel(metric_name(metric))


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
        text += ". Band: 95\u00a0% confidence interval of the mean"
    few = (table["n"] < results.planned) & (table["n"] > 0)
    return text + (". Some means are over fewer trials, others failed or are missing" if few.any() else "")


def remarks(results: Results) -> str:
    """Return what has to be said about the labels: whether an oracle is among them."""
    stars = any(mark != label for label, mark in results.marks.items())
    return ". *: parameters picked with the true labels (oracle)" if stars else ""
