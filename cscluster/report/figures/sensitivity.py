"""A metric over the parameters of an algorithm whose grid was run with ``select: none``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from cscluster.report.aggregate import Results, at_last_point, restrict
from cscluster.report.figures import lines
from cscluster.report.figures.layout import add_legend, figure_kind, line_height, number_axis, panels
from cscluster.report.figures.style import looks
from cscluster.report.figures.words import place_name, plain
from cscluster.words import setting

Parameters = tuple[str, ...]


def grids(results: Results) -> dict[Parameters, list[str]]:
    """Return the grids whose points are all kept (``select: none``): parameters -> entries that vary them."""
    found: dict[Parameters, list[str]] = {}
    for entry, part in results.trials.groupby("entry", sort=False) if len(results.trials) else ():
        if part["label"].nunique() > 1:
            found.setdefault(tuple(json.loads(part["grid"].iloc[0])), []).append(str(entry))
    return found


def drawable(results: Results) -> dict[Parameters, list[str]]:
    """Return the grids that a figure can show: those over one or two parameters, one of them numeric."""
    return {
        parameters: entries
        for parameters, entries in grids(results).items()
        if len(parameters) <= 2 and _numeric(results, parameters, entries)
    }


def _numeric(results: Results, parameters: Parameters, entries: Sequence[str]) -> list[str]:
    """Return the parameters that have numbers only, that of the most values first."""
    texts = results.trials.loc[results.trials["entry"].isin(entries), "grid"].unique()
    points = [json.loads(text) for text in texts]
    values = {name: {point[name] for point in points} for name in parameters}
    numeric = [name for name in parameters if all(type(value) in (int, float) for value in values[name])]
    return sorted(numeric, key=lambda name: -len(values[name]))


@figure_kind
def sensitivity(results: Results, metric: str, parameters: Parameters) -> Figure:
    """Return a panel for each data set with a metric over a numeric parameter, at the last point and tier.

    There is a line for each algorithm that varies it and, if a second parameter was varied, for each value of
    that.

    Parameters
    ----------
    results : Results
        Of a run.
    metric : str
        What is on the vertical axis.
    parameters : tuple of str
        One of the grids that are `drawable`.
    """
    entries = drawable(results)[parameters]
    along = _numeric(results, parameters, entries)[0]
    results = at_last_point(restrict(results, results.trials["entry"].isin(entries)))
    points = results.trials["grid"].map(json.loads)
    names = [
        ", ".join([entry, *(f"{name} = {setting(value)}" for name, value in point.items() if name != along)])
        for entry, point in zip(results.trials["entry"], points, strict=True)
    ]
    values = points.map(lambda point: float(point[along]))
    results = replace(results, trials=results.trials.assign(line=names, value=values))
    styles = looks(list(dict.fromkeys(names)))
    table = lines.line_table(results, metric, ["dataset", "line", "value"])
    figure, grid = panels(results.datasets, line_height)
    for axes, dataset in zip(grid, results.datasets, strict=True):
        mine = table[table["dataset"] == dataset]
        number_axis(axes, table["value"])
        lines.paint(axes, mine, "value", "line", styles)
        lines.finish(axes, mine, metric)
    figure.supxlabel(plain(along))
    caption = f"{lines.caption(results, metric, table)}, {place_name(results)}"
    add_legend(figure, [lines.handle(style) for style in styles.values()], list(styles), caption)
    return figure
