"""A metric over tiers of constraints that arrive one after another, as in Fig. 2 of yi2015."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.curves import draw_panel, name_lines
from cscluster.report.figures.layout import figure_kind, line_height, panels


@figure_kind
def tiers(results: Results, metric: str, labels: Sequence[str] | None = None) -> Figure:
    """Return a panel for each data set (and size of a tier) with a line for each algorithm, over t1, t2, ...

    Lines are means over trials, bands the 95 % confidence interval of the mean.
    """
    chosen = list(results.labels if labels is None else labels)
    table = lines.line_table(results, metric, ["dataset", "label", "point", "tier"], chosen)
    points = sorted(table["point"].unique())
    places = [(dataset, point) for dataset in results.datasets for point in points]
    names = [f"{d}, {p} constraints each" if len(points) > 1 else d for d, p in places]
    figure, grid = panels(names, line_height)
    steps = range(1, int(table["tier"].max()) + 1)
    apart = []
    for axes, (dataset, point) in zip(grid, places, strict=True):
        part = table[(table["dataset"] == dataset) & (table["point"] == point)]
        axes.set_xticks(list(steps), [f"t{step}" for step in steps])
        axes.set_xlim(steps[0] - 0.2, steps[-1] + 0.2)
        apart.append(draw_panel(axes, part, "tier", results, metric))
    figure.supxlabel("tier of constraints" if len(points) > 1 else f"tier of {points[0]} constraints")
    name_lines(figure, results, metric, table, chosen, any(apart))
    return figure
