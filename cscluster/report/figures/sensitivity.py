"""A metric over parameters of an algorithm: a curve for one number, a heat map for two parameters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from cscluster.errors import ConfigError
from cscluster.report.aggregate import Results, at_last_point, restrict
from cscluster.report.figures import lines
from cscluster.report.figures.heat_map import axis_text, draw_maps
from cscluster.report.figures.layout import add_legend, figure_kind, line_height, number_axis, panels
from cscluster.report.figures.style import looks
from cscluster.report.figures.words import place_name, plain
from cscluster.report.statistics import intervals

Parameters = tuple[str, ...]


def grids(results: Results) -> dict[Parameters, list[str]]:
    """Return the grids whose points are all kept (``select: none``): parameters -> entries that vary them."""
    found: dict[Parameters, list[str]] = {}
    for entry, part in results.trials.groupby("entry", sort=False) if len(results.trials) else ():
        if part["label"].nunique() > 1:
            found.setdefault(tuple(json.loads(part["grid"].iloc[0])), []).append(str(entry))
    return found


def drawable(results: Results) -> dict[Parameters, list[str]]:
    """Return the grids that a figure can show: those over one numeric parameter, and over any two."""
    return {
        parameters: entries
        for parameters, entries in grids(results).items()
        if len(parameters) == 2 or (len(parameters) == 1 and _is_numeric(results, entries))
    }


def _is_numeric(results: Results, entries: Sequence[str]) -> bool:
    points = results.trials.loc[results.trials["entry"].isin(entries), "grid"].unique()
    return all(type(value) in (int, float) for grid in points for value in json.loads(grid).values())


@figure_kind
def sensitivity(results: Results, metric: str, parameters: Parameters | None = None) -> Figure:
    """Return a metric over one or two parameters whose grid was run with ``select: none``.

    It shows the last point and tier.  One numeric parameter gives a panel for each data set with a line for
    each algorithm that varies it, two parameters a heat map for each data set and algorithm.

    Raises
    ------
    ConfigError
        If no such grid was run.
    """
    found = drawable(results)
    if parameters is None:
        parameters = next(iter(found), ())
    if parameters not in found:
        raise ConfigError(
            f"'{results.name}' has no grid over {' and '.join(parameters) or 'parameters'} that a figure of "
            "one numeric parameter or of two could show. It needs lists in 'params' and 'select: none'."
        )
    results = at_last_point(restrict(results, results.trials["entry"].isin(found[parameters])))
    as_axis = float if len(parameters) == 1 else axis_text
    values = results.trials["grid"].map(json.loads)
    columns = {f"p{i}": [as_axis(each[name]) for each in values] for i, name in enumerate(parameters)}
    results = replace(results, trials=results.trials.assign(**columns))
    draw = _draw_curves if len(parameters) == 1 else draw_maps
    return draw(results, metric, parameters, found[parameters])


def _draw_curves(results: Results, metric: str, parameters: Parameters, entries: Sequence[str]) -> Figure:
    table = intervals(results, metric, ["dataset", "entry", "p0"])
    figure, grid = panels(results.datasets, line_height)
    styles = looks(entries)
    for axes, dataset in zip(grid, results.datasets, strict=True):
        mine = table[table["dataset"] == dataset]
        number_axis(axes, table["p0"])
        lines.paint(axes, mine, "p0", "entry", styles)
        lines.finish(axes, mine, metric)
    figure.supxlabel(plain(parameters[0]))
    caption = f"{lines.caption(results, metric, table)}; {place_name(results)}"
    add_legend(figure, [lines.handle(styles[entry]) for entry in entries], entries, caption)
    return figure
