"""Lines of means with bands, which several kinds of figure share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from cscluster.arrays import FloatArray
from cscluster.metrics.catalogue import Metric, find_metric, metric_title
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.colours import MOST_BANDS
from cscluster.report.figures.layout import first_in_row, log_axis, say_empty
from cscluster.report.figures.words import metric_name
from cscluster.report.statistics import intervals

_FAR = 3.0  # times the largest mean: where bands of seconds end
_APART = 1.4  # points between lines that would hide each other


def has_values(results: Results, metric: str) -> bool:
    """Tell whether any trial has a value of a metric."""
    return len(results.trials) > 0 and bool(metric_values(results.trials, metric).notna().any())


def line_table(results: Results, metric: str, keys: list[str], labels: Sequence[str]) -> pd.DataFrame:
    """Return means and intervals of the lines of some algorithms; of many, without intervals."""
    table = intervals(results, metric, keys)
    table = table[table["label"].isin(labels)]
    return table if len(labels) <= MOST_BANDS else table.assign(low=np.nan, high=np.nan)


def paint_all(
    axes: Axes, table: pd.DataFrame, x: str, line: str, planned: int, styles: Mapping[Any, dict[str, Any]]
) -> bool:
    """Draw the means of each line of a panel; equal lines a little apart, and tell whether there are any.

    Parameters
    ----------
    axes : Axes
        The panel.
    table : DataFrame
        As `intervals` returns it.
    x, line : str
        Columns of the horizontal axis, and of what tells the lines apart.
    planned : int
        Trials of each mean.
    styles : mapping
        Look of each line.
    """
    parts = {key: part.sort_values(x) for key, part in table.groupby(line, sort=False)}
    alike: dict[tuple[float, ...], list[Any]] = {}
    for key, part in parts.items():
        alike.setdefault((*part[x], *part["mean"].round(3)), []).append(key)
    for keys in alike.values():
        for place, key in enumerate(keys):
            shift = _APART * (place - (len(keys) - 1) / 2)
            _paint(axes, parts[key], x, planned, styles[key], shift)
    return len(alike) < len(parts)


def _paint(axes: Axes, part: pd.DataFrame, x: str, planned: int, style: dict[str, Any], shift: float) -> None:
    """Draw the means of one algorithm with a band, so many points higher; hollow where trials are missing."""
    xs, mean, low, high = (part[name].to_numpy(float) for name in (x, "mean", "low", "high"))
    drawn = axes.plot(xs, mean, **style, zorder=3)
    axes.fill_between(xs, low, high, color=style["color"], alpha=0.13, linewidth=0, zorder=2)
    drawn += _hollow(axes, xs, part, planned, style)
    if shift:  # only now: the limits of the axes are those of the data
        higher = axes.transData + ScaledTranslation(0, shift / 72, axes.figure.dpi_scale_trans)
        for line in drawn:
            line.set_transform(higher)


def _hollow(
    axes: Axes, xs: FloatArray, part: pd.DataFrame, planned: int, style: dict[str, Any]
) -> list[Line2D]:
    short = ((part["n"] < planned) & (part["n"] > 0)).to_numpy()
    if not short.any():
        return []
    hollow = {**style, "linestyle": "none", "markerfacecolor": "white"}
    return axes.plot(xs[short], part["mean"].to_numpy()[short], **hollow, zorder=4)


def finish(axes: Axes, means: pd.Series, metric: str) -> None:
    """Set up the vertical axis of a panel of lines."""
    if metric == "seconds":
        log_axis(axes, "y", means)
        _near(axes, means[means > 0])
    if not means.notna().any():
        say_empty(axes)
    elif axes.get_yscale() == "linear":
        _stay_in_range(axes, find_metric(metric))
    if first_in_row(axes):
        axes.set_ylabel(metric_name(metric))


def _near(axes: Axes, means: pd.Series) -> None:
    """Cut wide bands off, so that they do not press the lines together."""
    if len(means):
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, means.min() / _FAR), min(high, means.max() * _FAR))


def _stay_in_range(axes: Axes, metric: Metric) -> None:
    """Keep ticks in the range of the metric."""
    low, high = axes.get_ylim()
    ticks = axes.get_yticks()
    axes.set_yticks(ticks[(ticks >= max(low, metric.lowest)) & (ticks <= min(high, metric.highest))])


def handle(style: dict[str, Any]) -> Any:
    """Return the sample of an algorithm's line for the legend."""
    return Line2D([], [], **style)


def caption(results: Results, metric: str, table: pd.DataFrame, *, apart: bool = False) -> str:
    """Return how the lines are to be read; `apart` says that some of them are drawn apart."""
    about = metric_title(metric)
    if results.planned == 1:
        return f"{about}, one trial each"
    draws, most = results.planned // results.repeats, int(table["n"].max())
    text = f"{about}, mean of {_of(most, results.planned)} trials"
    if draws == 1:
        text += " on the same constraints"
    elif results.repeats > 1:
        there = _of(-(-most // results.repeats), draws)
        text = f"{about}, mean of {there} repetitions, {results.repeats} trials on each"
    if table["low"].notna().any():
        text += "; band: 95\u00a0% confidence interval of the mean"
    if ((table["n"] < results.planned) & (table["n"] > 0)).any():
        text += "; hollow: some trials failed or are missing"
    return text + ("; equal lines are drawn a little apart" if apart else "")


def _of(there: int, planned: int) -> str:
    return f"{planned}" if there == planned else f"{there} of {planned}"


def remarks(results: Results, labels: Sequence[str]) -> str:
    """Return what has to be said about these labels: whether an oracle is among them."""
    stars = any(results.marks[label] != label for label in labels)
    return "; *: parameters picked with the true labels (oracle)" if stars else ""
