"""Box plots of the trials, as in Figs. 2 and 5 of baghshah2010."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cscluster.report.aggregate import Results, metric_values
from cscluster.report.figures import lines
from cscluster.report.figures.layout import figure_kind, first_in_row, grid_columns, log_axis, panels
from cscluster.report.figures.style import current, looks, pale
from cscluster.report.figures.words import metric_name, place_name, wrapped
from cscluster.words import plural

_FEW = 5  # trials that are drawn one by one: quartiles of so few say nothing
_NAME = 28  # letters of a line of a name


@figure_kind
def boxes(results: Results, metric: str) -> Figure:
    """Return a panel for each data set with a box for each algorithm, at the last point and tier.

    Parameters
    ----------
    results : Results
        Of a run.
    metric : str
        What is on the horizontal axis; seconds are drawn logarithmically.
    """
    trials = results.trials.assign(value=metric_values(results.trials, metric))
    trials = trials[(trials["point"] == trials["point"].max()) & (trials["tier"] == trials["tier"].max())]
    names = [wrapped(mark, _NAME) for mark in results.marks.values()]
    left = 0.065 * max(len(line) for name in names for line in name.split("\n"))
    columns = grid_columns(len(results.datasets), int(current().page - left))
    pitch = 0.05 + 0.11 * max(name.count("\n") + 1 for name in names)
    figure, grid = panels(results.datasets, lambda _: 0.35 + pitch * max(len(names), 4), columns, left)
    styles = looks(results.labels)
    for axes, dataset in zip(grid, results.datasets, strict=True):
        for place, (label, style) in enumerate(styles.items()):
            mine = (trials["dataset"] == dataset) & (trials["label"] == label)
            _draw_box(axes, place, trials.loc[mine, "value"].dropna().to_numpy(), results.planned, style)
        if metric == "seconds":
            log_axis(axes, "x", trials.loc[trials["dataset"] == dataset, "value"])
        axes.grid(visible=False, axis="y")
        axes.set_yticks(range(len(names)), names if first_in_row(axes) else [""] * len(names))
        axes.set_ylim(len(names) - 0.5, -0.5)
    figure.supxlabel(metric_name(metric))
    figure.set_label(_caption(results, metric))
    return figure


def _draw_box(axes: Axes, place: int, values: Any, planned: int, style: dict[str, Any]) -> None:
    """Draw the box of one algorithm; at the right, how many of the trials there are if some are missing."""
    if len(values) < planned:
        text = f"{len(values)}/{planned}"
        axes.annotate(text, (1.02, place), xycoords=("axes fraction", "data"), va="center", size=6)
    if len(values) < _FEW:
        axes.plot(values, np.full(len(values), place), "o", color=style["color"], markersize=3, zorder=3)
        return
    axes.boxplot(
        values,
        positions=[place],
        orientation="horizontal",
        widths=0.7,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": pale(style["color"], 0.4), "linewidth": 0.7},
        medianprops={"color": "black", "linewidth": 1.6},
        flierprops={"markersize": 2.2, "markeredgewidth": 0.5},
        whiskerprops={"linewidth": 0.7},
        capprops={"linewidth": 0.7},
    )


def _caption(results: Results, metric: str) -> str:
    caption = f"{metric_name(metric)} of {plural(results.planned, 'trial')}, {place_name(results)}"
    if results.planned >= _FEW:
        caption += ". Box: quartiles and median. Whiskers: up to 1.5 times the box. Circles: trials beyond"
    return caption + lines.remarks(results)
