"""The tables of a run as texts in rows and columns, for every format to write in its own way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from cscluster.constraints import schedules
from cscluster.errors import ConfigError, did_you_mean
from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report.aggregate import Place, Results
from cscluster.report.statistics import ALPHA, Paired, leaders, paired
from cscluster.words import plural


@dataclass(frozen=True)
class Grid:
    """One table.

    Attributes
    ----------
    heading, corner : str
        What the table shows, and what its rows are.
    metric : str
        The score in its cells.
    texts, best : DataFrame
        The text of each cell, and whether it is bold; rows and columns have their names in print.
    """

    heading: str
    corner: str
    metric: str
    texts: pd.DataFrame
    best: pd.DataFrame

    def rows(self) -> Iterator[tuple[str, list[str], list[bool]]]:
        """Yield the name, the texts and what is bold of each row."""
        rows = zip(
            self.texts.index, self.texts.to_numpy().tolist(), self.best.to_numpy().tolist(), strict=True
        )
        yield from rows


def column_widths(texts: pd.DataFrame) -> list[int]:
    """Return how many characters each column takes, with two between columns."""
    columns = zip(texts.columns, texts.to_numpy().T, strict=True)
    return [max([len(head), *map(len, column)]) + 2 for head, column in columns]


def grid_width(grid: Grid) -> int:
    """Return how many characters a table takes."""
    return _names_width(grid) + sum(column_widths(grid.texts))


def _names_width(grid: Grid) -> int:
    return max([len(grid.corner), *map(len, grid.texts.index)]) + 2


def divide(grid: Grid, width: int) -> list[Grid]:
    """Return a table in parts that are at most so many characters wide.

    Names of rows take half of that at most: they can be folded, numbers cannot.
    """
    if grid_width(grid) <= width:
        return [grid]
    parts, start, widths = [], 0, column_widths(grid.texts)
    room = width - min(_names_width(grid), width // 2)
    while start < len(widths):
        stop = start + 1
        while stop < len(widths) and sum(widths[start : stop + 1]) <= room:
            stop += 1
        heading = f"{grid.heading} (continued)" if start else grid.heading
        part = {"texts": grid.texts.iloc[:, start:stop], "best": grid.best.iloc[:, start:stop]}
        parts.append(replace(grid, heading=heading, **part))
        start = stop
    return parts


def cell_text(mean: float, std: float, n: int, planned: int, metric: str) -> str:
    """Return ``mean ± std`` and, where trials are missing, how many there are."""
    if n == 0:
        return f"N/A (0/{planned})"
    digits = 1 if metric == "iterations" else 3
    spread = "" if n < 2 or pd.isna(std) else f" ± {std:.{digits}f}"
    return f"{mean:.{digits}f}{spread}" + (f" ({n}/{planned})" if n < planned else "")


def points_word(results: Results) -> str:
    """Say what the points of a run are."""
    known = schedules.MODELS.get(results.schedule)
    return known.AXIS if known else "number of links"


def grids(results: Results, by: str = "point") -> list[Grid]:
    """Return the tables of a run.

    Parameters
    ----------
    results : Results
        With all points of the grids if `by` is a parameter.
    by : str
        ``point``: for each metric and data set, algorithms x points (and tiers).  ``dataset``: for each
        metric, data sets x algorithms at the last point.  The name of a parameter that was varied: for
        each metric and data set, algorithms x its values at the last point.
    """
    if by not in ("point", "dataset"):
        _check_parameter(results, by)
    make = {"point": _by_point, "dataset": _by_dataset}.get(by)
    found: list[Grid] = []
    for metric in results.metrics:
        table = paired(results, metric)
        if table.places:
            found += make(results, table, metric) if make else _by_parameter(results, table, metric, by)
    return found


def _by_point(results: Results, table: Paired, metric: str) -> Iterator[Grid]:
    texts, best = _texts(results, metric), leaders(table.values, lower_is_better(metric))
    for dataset in results.datasets:
        here = [k for k, place in enumerate(table.places) if place[0] == dataset]
        places = [table.places[k] for k in here]
        rows = [k for k, label in enumerate(table.labels) if any((*p, label) in texts for p in places)]
        names = [results.marks[table.labels[row]] for row in rows]
        heads = [_column(results, place) for place in places]
        shown = [[texts.get((*place, table.labels[row]), "") for place in places] for row in rows]
        yield Grid(
            heading=f"{metric_title(metric)} on {dataset} by {points_word(results)}",
            corner="algorithm",
            metric=metric,
            texts=pd.DataFrame(shown, names, heads),
            best=pd.DataFrame(best[np.ix_(here, rows)].T, names, heads),
        )


def _by_dataset(results: Results, table: Paired, metric: str) -> Iterator[Grid]:
    texts, best = _texts(results, metric), leaders(table.values, lower_is_better(metric))
    places = {name: table.last[name] for name in results.datasets if name in table.last}
    where = dict.fromkeys(place_words(results, place) for place in places.values())
    named = places if len(where) == 1 else {f"{n} ({place_words(results, p)})": p for n, p in places.items()}
    heads = [results.marks[label] for label in table.labels]
    yield Grid(
        heading=f"{metric_title(metric)} by data set" + (f", {next(iter(where))}" if len(where) == 1 else ""),
        corner="data set",
        metric=metric,
        texts=pd.DataFrame(
            [[texts.get((*place, label), "") for label in table.labels] for place in named.values()],
            list(named),
            heads,
        ),
        best=pd.DataFrame([best[table.places.index(p)] for p in named.values()], list(named), heads),
    )


def _by_parameter(results: Results, table: Paired, metric: str, name: str) -> Iterator[Grid]:
    texts = _texts(results, metric)
    chosen = results.trials[["label", "entry", "grid"]].drop_duplicates().itertuples(index=False)
    where: dict[tuple[str, str], str] = {}
    for label, entry, grid in chosen:
        point = json.loads(grid)
        if name in point:
            value = json.dumps(point.pop(name))
            rest = ", ".join(f"{key}={point[key]}" for key in point)
            where[f"{entry} ({rest})" if rest else entry, value] = label
    rows, values = (list(dict.fromkeys(spot[side] for spot in where)) for side in (0, 1))
    for dataset, place in ((name, table.last[name]) for name in results.datasets if name in table.last):
        scores = np.full((len(table.draws), len(rows), len(values)), np.nan)
        shown = [["" for _ in values] for _ in rows]
        for (row, value), label in where.items():
            i, j = rows.index(row), values.index(value)
            scores[:, i, j] = table.values[:, table.places.index(place), table.labels.index(label)]
            shown[i][j] = texts.get((*place, label), "")
        heads = [str(json.loads(value)) for value in values]
        yield Grid(
            heading=f"{metric_title(metric)} on {dataset} by {name}, {place_words(results, place)}",
            corner="algorithm",
            metric=metric,
            texts=pd.DataFrame(shown, rows, heads),
            best=pd.DataFrame(leaders(scores, lower_is_better(metric)), rows, heads),
        )


def _check_parameter(results: Results, name: str) -> None:
    if name not in results.varied:
        known = ["point", "dataset", *results.varied]
        raise ConfigError(f"Cannot show '{results.name}' by '{name}'{did_you_mean(name, known)}")


def _texts(results: Results, metric: str) -> dict[tuple[str, int, int, str], str]:
    """Return the text of each cell by data set, point, tier and label."""
    cells = results.cells[results.cells["metric"] == metric]
    names = ("dataset", "point", "tier", "label", "mean", "std", "n", "planned")
    rows = zip(*(cells[name].tolist() for name in names), strict=True)
    return {
        (dataset, point, tier, label): cell_text(mean, std, n, planned, metric)
        for dataset, point, tier, label, mean, std, n, planned in rows
    }


def _column(results: Results, place: Place) -> str:
    return str(place[1]) if results.axis == "point" else f"{place[1]} t{place[2]}"


def place_words(results: Results, place: Place) -> str:
    """Say where on its axis a place is."""
    tier = "" if results.axis == "point" else f", tier {place[2]}"
    return f"{points_word(results)} {place[1]}{tier}"


def notes(results: Results, by: str = "point") -> list[str]:
    """Return the lines below the tables: trial counts, what is bold, oracle choices, failures."""
    if results.trials.empty:
        return ["no trial is stored yet"]
    across = "column" if by == "point" else "row"
    over = f"mean ± standard deviation over {results.planned} trials" if results.planned > 1 else "one trial"
    draws = results.planned // results.repeats
    test = "paired t-test" + (f" over {draws} draws of links" if results.repeats > 1 else "")
    alike = f", or not significantly worse ({test}, {ALPHA})" if draws > 1 else ""
    lines = [f"{over}; bold: best in its {across}{alike}"]
    if len(results.cells) and results.cells["oracle"].any():
        lines.append("* oracle: the parameters were picked with the true labels, as in the papers")
    if results.mixed:
        lines.append(f"mixed versions: {', '.join(results.mixed)}")
    for r in results.failures.itertuples():
        what = r.message if r.message.startswith(f"{r.status}: ") else f"{r.status}: {r.message}"
        lines.append(f"{plural(r.count, 'trial')} of {r.label} on {r.dataset}: {what}")
    return lines
