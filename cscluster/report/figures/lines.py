"""Lines of means with bands, which several kinds of figure share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy import stats

from cscluster.report.aggregate import Results, draw_means, metric_values
from cscluster.report.figures.layout import first_in_row, log_axis, say_empty
from cscluster.report.figures.style import look
from cscluster.report.figures.words import metric_name

CONFIDENCE = 0.95
_ENOUGH = 3  # draws of links for a confidence interval


def summary(results: Results, metric: str, by: Sequence[str]) -> pd.DataFrame:
    """Return mean, half the width of its 95 % confidence interval, and count of the trials of each group.

    Trials that share their draw of links are one observation of the interval.
    """
    trials, values = results.trials, metric_values(results.trials, metric)
    keys = [trials[name] for name in by]
    groups = values.groupby(keys, sort=False)
    draws = draw_means(values, keys, trials["draw"])["mean"].groupby(level=list(by), sort=False)
    n_draws = draws.count()
    half = stats.t.ppf((1 + CONFIDENCE) / 2, n_draws.clip(lower=2) - 1) * draws.std() / np.sqrt(n_draws)
    half = half.where(n_draws >= _ENOUGH, 0.0)
    return pd.DataFrame({"mean": groups.mean(), "half": half, "n": groups.count()}).reset_index()


def has_values(results: Results, metric: str) -> bool:
    """Tell whether any trial has a value of a metric."""
    return len(results.trials) > 0 and bool(metric_values(results.trials, metric).notna().any())


def paint(axes: Axes, part: pd.DataFrame, x: str, planned: int, number: int, *, joined: bool = True) -> None:
    """Draw the means of one algorithm, as a line with a band or, where x has no order, with bars.

    Markers are hollow where trials are missing.
    """
    part = part.sort_values(x)
    style = look(number)
    xs, mean, half = part[x].to_numpy(float), part["mean"].to_numpy(), part["half"].to_numpy()
    if joined:
        axes.plot(xs, mean, **style, zorder=3)
        band = {"color": style["color"], "alpha": 0.13, "linewidth": 0}
        axes.fill_between(xs, mean - half, mean + half, **band, zorder=2)
    else:
        style["linestyle"] = "none"
        xs = xs + 0.08 * number
        axes.errorbar(xs, mean, half, **style, elinewidth=0.8, capsize=2, zorder=3)
    short = ((part["n"] < planned) & (part["n"] > 0)).to_numpy()
    if short.any():
        hollow = {**style, "linestyle": "none", "markerfacecolor": "white"}
        axes.plot(xs[short], mean[short], **hollow, zorder=4)


def finish(axes: Axes, means: pd.Series, metric: str) -> None:
    """Set up the vertical axis of a panel of lines."""
    if metric == "seconds":
        log_axis(axes, "y", means)
    if not means.notna().any():
        say_empty(axes)
    if first_in_row(axes):
        axes.set_ylabel(metric_name(metric))


def handle(number: int) -> Any:
    """Return the sample of an algorithm's line for the legend."""
    return Line2D([], [], **look(number))


def note(results: Results, table: pd.DataFrame, *, joined: bool = True) -> str:
    """Return how the lines are to be read."""
    if results.planned == 1:
        return "one trial each"
    draws, most = results.planned // results.repeats, int(table["n"].max())
    text = f"mean of {_of(most, results.planned)} trials"
    if results.repeats > 1:
        there = _of(-(-most // results.repeats), draws)
        text = f"mean of {there} draws of links, {results.repeats} trials on each"
    if draws >= _ENOUGH:
        text += f"; {'band' if joined else 'bar'}: 95\u00a0% confidence interval of the mean"
    if ((table["n"] < results.planned) & (table["n"] > 0)).any():
        text += "; hollow: some trials failed or are missing"
    return text


def _of(there: int, planned: int) -> str:
    return f"{planned}" if there == planned else f"{there} of {planned}"


def remarks(results: Results, labels: Sequence[str]) -> str:
    """Return what has to be said about these labels: whether an oracle is among them."""
    stars = any(results.marks[label] != label for label in labels)
    return "; *: parameters picked with the true labels (oracle)" if stars else ""
