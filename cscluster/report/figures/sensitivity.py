"""A metric over parameters of an algorithm: a curve for one parameter, a heat map for two."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from cscluster.errors import ConfigError
from cscluster.report.aggregate import Results
from cscluster.report.figures import lines
from cscluster.report.figures.heat_map import as_axis, axis_text, draw_maps, is_numeric, ordered
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


@figure_kind
def sensitivity(results: Results, metric: str, parameters: Parameters | None = None) -> Figure:
    """Return a metric over one or two parameters whose grid was run with ``select: none``.

    One parameter gives a panel for each data set with a line for each algorithm that varies it or,
    with several numbers of constraints, a panel for each algorithm too and a line for each number.  Two
    parameters give a heat map for each data set, algorithm and number of constraints.

    Raises
    ------
    ConfigError
        If no such grid was run.
    """
    found = grids(results)
    if parameters is None:
        parameters = next(iter(found), ())
    if parameters not in found or len(parameters) > 2:
        raise ConfigError(
            f"'{results.name}' has no grid over {' and '.join(parameters) or 'parameters'} that a figure of "
            "one or two parameters could show; it needs lists in 'params' and 'select: none'."
        )
    trials = results.trials
    mine = trials[trials["entry"].isin(found[parameters]) & (trials["tier"] == trials["tier"].max())]
    values = [json.loads(grid) for grid in mine["grid"]]
    mine = mine.assign(**{f"p{i}": [as_axis(v[name]) for v in values] for i, name in enumerate(parameters)})
    draw = _draw_curves if len(parameters) == 1 else draw_maps
    return draw(replace(results, trials=mine), metric, parameters, found[parameters])


def _draw_curves(results: Results, metric: str, parameters: Parameters, entries: Sequence[str]) -> Figure:
    table = intervals(results, metric, ["dataset", "entry", "point", "p0"])
    values, points = ordered(table["p0"]), sorted(table["point"].unique())
    table["x"] = table["p0"] if is_numeric(values) else table["p0"].map(values.index)
    line, keys, places = "entry", list(entries), [(dataset, "") for dataset in results.datasets]
    if len(points) > 1:
        line, keys, places = "point", points, [(d, e) for d in results.datasets for e in entries]
    titles = [f"{e} on {d}" if e and len(entries) > 1 else d for d, e in places]
    figure, grid = panels(titles, line_height)
    apart, styles = [], dict(zip(keys, looks(list(map(str, keys))).values(), strict=True))
    for axes, (dataset, entry) in zip(grid, places, strict=True):
        mine = table[(table["dataset"] == dataset) & table["entry"].isin([entry] if entry else entries)]
        if is_numeric(values):
            number_axis(axes, values)
            apart.append(lines.paint_all(axes, mine, "x", line, results.planned, styles))
        else:
            axes.set_xticks(range(len(values)), [axis_text(value) for value in values])
            axes.set_xlim(-0.5, len(values) - 0.5)
            for key, part in mine.groupby(line, sort=False):
                lines.paint_bars(axes, part, "x", results.planned, keys.index(key), styles[key])
        lines.finish(axes, mine["mean"], metric)
    figure.supxlabel(plain(parameters[0]))
    names = [f"{key} constraints" for key in keys] if line == "point" else keys
    caption = lines.caption(results, metric, table, joined=is_numeric(values), apart=any(apart))
    if len(points) == 1:
        caption += f"; {place_name(results)}"
    elif len(entries) == 1:
        caption = f"{plain(entries[0])}: {caption}"
    add_legend(figure, [lines.handle(styles[key]) for key in keys], names, caption)
    return figure
