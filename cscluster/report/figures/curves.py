"""A metric against the number of constraints, as in Figs. 4 to 6 of zeng2012."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.layout import add_legend, figure_kind, line_height, number_axis, panels
from cscluster.report.figures.style import looks
from cscluster.report.means import points_word


@figure_kind
def curves(results: Results, metric: str, labels: Sequence[str] | None = None) -> Figure:
    """Return a panel for each data set with a line for each algorithm, over the number of constraints.

    Lines are means over trials, bands the 95 % confidence interval of the mean; many lines have none.

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
    table = lines.line_table(results, metric, ["dataset", "label", "point"], chosen)
    figure, grid = panels(results.datasets, line_height)
    points = {name: sorted(part["point"].unique()) for name, part in table.groupby("dataset", sort=False)}
    apart = []
    for axes, dataset in zip(grid, results.datasets, strict=True):
        number_axis(axes, _shared(points, dataset))
        apart.append(draw_panel(axes, table[table["dataset"] == dataset], "point", results, metric))
    figure.supxlabel(points_word(results))
    name_lines(figure, results, metric, table, chosen, any(apart))
    return figure


def _shared(points: Mapping[str, list[int]], dataset: str) -> list[int]:
    """Return the points of all data sets, or of one only where those of all would leave it half empty."""
    every = sorted({point for some in points.values() for point in some})
    spans = [some[-1] - some[0] for some in points.values()]
    return every if 2 * min(spans, default=0) >= every[-1] - every[0] else points.get(dataset, every)


def draw_panel(axes: Axes, table: pd.DataFrame, x: str, results: Results, metric: str) -> bool:
    """Draw the lines of one panel; tell whether some are drawn apart because they are equal."""
    apart = lines.paint_all(axes, table, x, "label", results.planned, looks(results.labels))
    lines.finish(axes, table["mean"], metric)
    return apart


def name_lines(
    figure: Figure, results: Results, metric: str, table: pd.DataFrame, labels: Sequence[str], apart: bool
) -> None:
    """Add the legend of algorithms; one that has no result at all is said to have none."""
    alive = set(table.loc[table["n"] > 0, "label"])
    names = [results.marks[label] + ("" if label in alive else " (no result)") for label in labels]
    styles = looks(results.labels)
    handles = [lines.handle(styles[label]) for label in labels]
    caption = lines.caption(results, metric, table, apart=apart) + lines.remarks(results, labels)
    add_legend(figure, handles, names, caption)
