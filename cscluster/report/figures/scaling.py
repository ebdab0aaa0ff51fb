"""CPU seconds against the number of samples, as in Fig. 7 of zeng2012."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cscluster.errors import ConfigError
from cscluster.report.aggregate import Results, metric_values
from cscluster.report.figures import lines
from cscluster.report.figures.layout import (
    add_legend,
    figure_kind,
    first_in_row,
    line_height,
    log_axis,
    number_axis,
    panels,
    say_empty,
)
from cscluster.report.figures.style import looks
from cscluster.report.means import points_word

SIZES = 3
"""Different numbers of samples that a slope needs: two noisy points always have a line."""


def sized_families(results: Results) -> dict[str, dict[str, int]]:
    """Return the sources of which there are samples of several sizes."""
    there = set(results.datasets)
    families = {
        source: {name: n for name, n in sizes.items() if name in there}
        for source, sizes in results.families.items()
    }
    return {source: sizes for source, sizes in families.items() if len(set(sizes.values())) >= SIZES}


@figure_kind
def scaling(results: Results) -> Figure:
    """Return CPU seconds over the number of samples, both logarithmic, with fitted slopes in the legend.

    Each panel shows data sets that differ in their number of samples only.  Seconds are means over
    trials of all stages (of all tiers together) at the largest number of constraints.  A slope is that of
    the least-squares line through the logarithms: 2 is quadratic time.

    Raises
    ------
    ConfigError
        If no three data sets differ in their number of samples only.
    """
    families = sized_families(results)
    if not families:
        raise ConfigError(f"'{results.name}' has no samples of three sizes from one source.")
    seconds = _seconds(results)
    figure, grid = panels(list(families), line_height)
    slopes: dict[str, list[str]] = {label: [] for label in results.labels}
    for axes, sizes in zip(grid, families.values(), strict=True):
        for label, found in _draw_family(axes, results, seconds, sizes).items():
            slopes[label].append(found)
        if first_in_row(axes):
            axes.set_ylabel("CPU seconds")
    figure.supxlabel("number of samples n")
    names = [f"{results.marks[label]}: {', '.join(found)}" for label, found in slopes.items()]
    trials = f"mean of {results.planned} trials" if results.planned > 1 else "one trial each"
    caption = f"CPU seconds. Markers: {trials} ({points_word(results)}: {results.trials['point'].max()})"
    caption += ". Lines: fitted powers of n" + lines.remarks(results)
    add_legend(figure, [lines.handle(style) for style in looks(results.labels).values()], names, caption)
    return figure


def _seconds(results: Results) -> pd.DataFrame:
    """Return the mean CPU seconds, data sets x labels; a trial counts when all its tiers are there."""
    trials = results.trials.assign(seconds=metric_values(results.trials, "cpu_seconds"))
    trials = trials[trials["point"] == trials["point"].max()]
    whole = trials.groupby(["dataset", "label", "trial"], sort=False)["seconds"]
    total = whole.sum(min_count=int(trials["tier"].max()))
    return total[total > 0].groupby(level=["dataset", "label"], sort=False).mean().unstack("label")


def _draw_family(
    axes: Axes, results: Results, seconds: pd.DataFrame, sizes: dict[str, int]
) -> dict[str, str]:
    """Draw the data sets of one source; return the fitted power of each label in words."""
    table = seconds.reindex(index=list(sizes), columns=results.labels)
    n = pd.Series(sizes).sort_values()
    powers = {}
    for label, style in looks(results.labels).items():
        found = table[label].reindex(n.index).dropna()
        x, y = n[found.index].to_numpy(float), found.to_numpy()
        axes.plot(x, y, **{**style, "linestyle": "none"}, zorder=3)
        powers[label] = "no result" if len(x) == 0 else "no fit"
        if len(set(x)) >= SIZES:
            slope, level = np.polyfit(np.log(x), np.log(y), 1)
            ends = np.array([x.min(), x.max()])
            axes.plot(ends, np.exp(level) * ends**slope, **{**style, "marker": ""}, linewidth=1, zorder=2)
            powers[label] = f"slope {slope:.2f}"
    axes.set(xscale="log", yscale="log")
    log_axis(axes, "x", n)
    log_axis(axes, "y", table.to_numpy().ravel())
    number_axis(axes, n)
    if not table.notna().any(axis=None):
        say_empty(axes)
    return powers
