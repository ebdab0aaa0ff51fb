"""A metric against the number of links, as in Figs. 4 to 6 of zeng2012."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.layout import add_legend, figure_kind, number_axis, panels
from cscluster.report.figures.words import points_name


@figure_kind
def curves(results: Results, metric: str, labels: Sequence[str] | None = None) -> Figure:
    """Return a panel for each data set with a line for each algorithm, over the number of links.

    Lines are means over trials, bands the 95 % confidence interval of the mean.

    Parameters
    ----------
    results : Results
        Of a run with several points.
    metric : str
        What is on the vertical axis; seconds are drawn logarithmically.
    labels : list of str, optional
        Algorithms to draw; all by default.
    """
    chosen = list(results.labels if labels is None else labels)
    table = lines.summary(results, metric, ["dataset", "label", "point"])
    table = table[table["label"].isin(chosen)]
    figure, grid = panels(results.datasets, lambda width: 0.35 + 0.62 * width)
    for axes, dataset in zip(grid, results.datasets, strict=True):
        number_axis(axes, sorted(table["point"].unique()))
        draw_panel(axes, table[table["dataset"] == dataset], "point", results, metric)
    figure.supxlabel(points_name(results.schedule))
    name_lines(figure, results, table, chosen)
    return figure


def draw_panel(axes: Axes, table: pd.DataFrame, x: str, results: Results, metric: str) -> None:
    """Draw the lines of one panel."""
    for label, part in table.groupby("label", sort=False):
        lines.paint(axes, part, x, results.planned, results.labels.index(label))
    lines.finish(axes, table["mean"], metric)


def name_lines(figure: Figure, results: Results, table: pd.DataFrame, labels: Sequence[str]) -> None:
    """Add the legend of algorithms; one that has no result at all is said to have none."""
    alive = set(table.loc[table["n"] > 0, "label"])
    names = [results.marks[label] + ("" if label in alive else " (no result)") for label in labels]
    handles = [lines.handle(results.labels.index(label)) for label in labels]
    add_legend(figure, handles, names, lines.note(results, table) + lines.remarks(results, labels))
