"""Lines of means with bands, which several kinds of figure share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy import stats

from cscluster.report.aggregate import Results
from cscluster.report.figures.style import look

CONFIDENCE = 0.95


def summary(results: Results, metric: str, by: Sequence[str]) -> pd.DataFrame:
    """Return mean, half the width of its 95 % confidence interval, and count of the trials of each group.

    Trials that share their draw of links are one observation of the interval.
    """
    trials = results.trials.copy()
    trials["value"] = values(trials, metric)
    trials["draw"] = trials["trial"] // results.repeats
    groups = trials.groupby(list(by), sort=False)["value"]
    draws = trials.groupby([*by, "draw"], sort=False)["value"].mean().groupby(level=list(by), sort=False)
    n_draws = draws.count()
    error = draws.std() / np.sqrt(n_draws)
    half = stats.t.ppf((1 + CONFIDENCE) / 2, n_draws.clip(lower=2) - 1) * error
    table = pd.DataFrame({"mean": groups.mean(), "half": half.fillna(0.0), "n": groups.count()})
    return table.reset_index()


def values(trials: pd.DataFrame, metric: str) -> pd.Series:
    name = f"m:{metric}"
    values = trials[name].astype(float) if name in trials else pd.Series(np.nan, trials.index)
    return values.replace([np.inf, -np.inf], np.nan)


def has_values(results: Results, metric: str) -> bool:
    """Tell whether any trial has a value of a metric."""
    return len(results.trials) > 0 and bool(values(results.trials, metric).notna().any())


def paint(axes: Axes, part: pd.DataFrame, x: str, planned: int, number: int) -> None:
    """Draw the line of one algorithm; markers are hollow where trials are missing."""
    part = part.sort_values(x)
    style = look(number)
    xs, mean, half = part[x].to_numpy(float), part["mean"].to_numpy(), part["half"].to_numpy()
    axes.plot(xs, mean, **style, zorder=3)
    axes.fill_between(xs, mean - half, mean + half, color=style["color"], alpha=0.13, linewidth=0, zorder=2)
    short = ((part["n"] < planned) & (part["n"] > 0)).to_numpy()
    if short.any():
        hollow = {**style, "linestyle": "none", "markerfacecolor": "white"}
        axes.plot(xs[short], mean[short], **hollow, zorder=4)


def handle(number: int) -> Any:
    """Return the sample of an algorithm's line for the legend."""
    return Line2D([], [], **look(number))


def note(results: Results, table: pd.DataFrame) -> str:
    """Return how the lines are to be read."""
    if results.planned == 1:
        return "one trial each"
    trials = f"{results.planned} trials"
    if results.repeats > 1:
        trials = f"{results.planned // results.repeats} draws of links, {results.repeats} runs on each"
    text = f"mean of {trials}; band: 95 % confidence interval of the mean"
    short = (table["n"] < results.planned) & (table["n"] > 0)
    return f"{text}; hollow: some trials failed or are missing" if short.any() else text


def remarks(results: Results, labels: Sequence[str]) -> str:
    """Return what has to be said about these labels: whether an oracle is among them."""
    stars = any(results.marks[label] != label for label in labels)
    return "; *: parameters picked with the true labels (oracle)" if stars else ""
