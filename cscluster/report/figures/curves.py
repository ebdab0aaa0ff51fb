"""A metric against the number of constraints, or over tiers of constraints that arrive one after another.

As in Figs. 4 to 6 of zeng2012 and Fig. 2 of yi2015.
"""

from __future__ import annotations

from itertools import product

from matplotlib.figure import Figure

from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.layout import add_legend, figure_kind, line_height, number_axis, panels
from cscluster.report.figures.style import looks
from cscluster.report.means import points_word


@figure_kind
def curves(results: Results, metric: str, share_y: bool = False) -> Figure:
    """Return a panel for each data set with a line for each algorithm, over the number of constraints.

    Where constraints arrive in tiers, there is a panel for each size of a tier, over t1, t2, ...  Lines are
    means over trials, bands the 95 % confidence interval of the mean; many lines have none.

    Parameters
    ----------
    results : Results
        Of a run with several points or tiers.
    metric : str
        What is on the vertical axis; seconds are drawn logarithmically.
    share_y : bool
        Whether all panels have the same vertical axis.
    """
    styles, drawn = looks(results.labels), []
    table = lines.line_table(results, metric, ["dataset", "label", "point", "tier"])
    sizes = sorted(table["point"].unique()) if results.axis == "tier" else [None]
    places = list(product(results.datasets, sizes))
    names = [d if len(sizes) == 1 else f"{d}, {size} constraints each" for d, size in places]
    figure, grid = panels(names, line_height, share_y=share_y)
    for axes, (dataset, size) in zip(grid, places, strict=True):
        mine = table[(table["dataset"] == dataset) & ((table["point"] == size) | (size is None))]
        if size is None:
            number_axis(axes, mine["point"] if len(mine) else table["point"])
        else:
            last = int(table["tier"].max())
            axes.set_xticks(range(1, last + 1), [f"t{step}" for step in range(1, last + 1)])
            axes.set_xlim(0.8, last + 0.2)
        lines.paint(axes, mine, results.axis, "label", styles)
        drawn.append(mine)
    for axes, mine in zip(grid, drawn, strict=True):  # only now: panels may share an axis
        lines.finish(axes, mine, metric)
    tier = "tier of constraints" if len(sizes) > 1 else f"tier of {sizes[0]} constraints"
    figure.supxlabel(points_word(results) if sizes[0] is None else tier)
    alive = set(table.loc[table["n"] > 0, "label"])
    titles = [mark + ("" if label in alive else " (no result)") for label, mark in results.marks.items()]
    caption = lines.caption(results, metric, table) + lines.remarks(results)
    add_legend(figure, [lines.handle(style) for style in styles.values()], titles, caption)
    return figure
