"""The tables of a run: means and standard deviations of its metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import pandas as pd

from cscluster.errors import require_known
from cscluster.experiment.config import schedules
from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report.aggregate import PLACE, Place, Results, metric_values
from cscluster.report.statistics import ALPHA, leading, paired, paired_t, ranks
from cscluster.report.table import BEST, PlainTable

Spot = tuple[Place, str]
"""What a cell is about: a place and a label."""


class _Layout(NamedTuple):
    """A table without its numbers: `spots` says what its cells are about."""

    title: str
    heads: list[str]
    names: Sequence[str]
    spots: list[list[Spot]]


def cell_text(mean: float, std: float, n: int, planned: int, metric: str, is_defined: bool = True) -> str:
    """Return ``mean ± std`` and, where trials are missing, how many there are; a dash if undefined."""
    if n == 0:
        return f"N/A (0/{planned})" if is_defined else "–"
    digits = 1 if metric == "iterations" else 3
    spread = "" if n < 2 or pd.isna(std) else f" ± {std:.{digits}f}"
    return f"{mean:.{digits}f}{spread}" + (f" ({n}/{planned})" if n < planned else "")


def points_word(results: Results) -> str:
    """Say what the points of a run are."""
    known = schedules.MODELS.get(results.schedule)
    return known.AXIS if known else "number of constraints"


def place_words(results: Results, place: Place) -> str:
    """Say where on its axis a place is."""
    tier = "" if results.axis == "point" else f", tier {place[2]}"
    return f"{points_word(results)} {place[1]}{tier}"


@lru_cache(maxsize=32)
def undefined(results: Results, metric: str) -> pd.DataFrame:
    """Return where trials succeeded but none has a value of a metric: columns dataset, point, tier, label."""
    trials = results.trials[results.trials["status"] == "ok"]
    has_value = metric_values(trials, metric).notna().groupby([trials[name] for name in [*PLACE, "label"]])
    any_value = has_value.any()
    return any_value[~any_value].index.to_frame(index=False)


def means_tables(results: Results, by: str = "point", reference: str | None = None) -> list[PlainTable]:
    """Return the tables of a run, metric by metric.

    Parameters
    ----------
    results : Results
        Of a run, or of several.
    by : str
        ``point``: for each metric and data set, algorithms x points (and tiers).  ``dataset``: for each
        metric, data sets x algorithms at the last point, and their mean ranks.
    reference : str, optional
        A label: cells that are significantly better or worse than its get a mark.

    Raises
    ------
    ConfigError
        If there is no such arrangement or label.
    """
    if reference is not None:
        require_known("method", reference, results.labels)
    arrange = {"point": _by_point, "dataset": _by_dataset}
    require_known("table by", by, arrange)
    layouts, tables = list(arrange[by](results)), []
    for metric in results.metrics:
        of_metric = results.cells[results.cells["metric"] == metric]
        cells = {((r.dataset, r.point, r.tier), r.label): r for r in of_metric.itertuples()}
        of_layouts = [_table(results, metric, layout, cells, reference) for layout in layouts]
        tables += [_with_ranks(results, metric, each) if by == "dataset" else each for each in of_layouts]
    return tables


def _with_ranks(results: Results, metric: str, table: PlainTable) -> PlainTable:
    """Add the mean ranks as the last row; of data sets with a gap, it says how many are left."""
    ranked = ranks(results, metric)
    if min(ranked.shape) < 2:
        return table
    name = "mean rank" if len(ranked) == len(table.rows) else f"mean rank ({len(ranked)} data sets)"
    mean = ranked.mean()
    cells = [f"{mean[label]:.2f}" if label in mean else "–" for label in results.labels]
    return replace(table, rows=[*table.rows, [name, *cells]])


def _by_point(results: Results) -> Iterator[_Layout]:
    stored = set(zip(results.cells["dataset"], results.cells["label"], strict=True))
    for dataset in results.datasets:
        places = [place for place in results.places if place[0] == dataset]
        labels = [label for label in results.labels if (dataset, label) in stored]
        yield _Layout(
            f"on {dataset} by {points_word(results)}",
            ["algorithm", *(str(p) if results.axis == "point" else f"{p} t{t}" for _, p, t in places)],
            [results.marks[label] for label in labels],
            [[(place, label) for place in places] for label in labels],
        )


def _by_dataset(results: Results) -> Iterator[_Layout]:
    last = results.last_places
    where = {name: place_words(results, place) for name, place in last.items()}
    alike = len(set(where.values())) == 1
    if last:
        yield _Layout(
            f"by data set, {next(iter(where.values()))}" if alike else "by data set",
            ["data set", *results.marks.values()],
            [name if alike else f"{name} ({words})" for name, words in where.items()],
            [[(place, label) for label in results.labels] for place in last.values()],
        )


def _table(
    results: Results,
    metric: str,
    layout: _Layout,
    cells: Mapping[Spot, Any],
    reference: str | None,
) -> PlainTable:
    """Fill a table with the means of a metric, and mark the best."""
    dashes = set(undefined(results, metric).itertuples(index=False, name=None))
    leads = leading(results, metric)
    rows, marks, small = [], {}, {}
    for i, (name, spots) in enumerate(zip(layout.names, layout.spots, strict=True)):
        row = [name]
        for j, spot in enumerate(spots):
            cell = cells.get(spot)
            if cell is None:
                row.append("")
                continue
            is_defined = (*spot[0], spot[1]) not in dashes
            text = cell_text(cell.mean, cell.std, cell.n, cell.planned, metric, is_defined)
            row.append(text + _against(results, metric, spot, reference))
            if spot in leads or (cell.n < cell.planned and is_defined):
                marks[i, j + 1] = BEST if spot in leads else "failed"
            if cell.params and not cell.label.endswith(f"({cell.params})"):
                small[i, j + 1] = cell.params
        rows.append(row)
    caption, numbers = f"{metric_title(metric)} {layout.title}", len(layout.heads) - 1
    return PlainTable(caption, layout.heads, rows, numbers, marks, small, ascending=lower_is_better(metric))


def _against(results: Results, metric: str, spot: Spot, reference: str | None) -> str:
    """Return the mark of a cell that is significantly better (+) or worse (-) than the reference's."""
    if reference is None:
        return ""
    scores = paired(results, metric).at(spot[0])
    differences = scores[spot[1]] - scores[reference]
    if paired_t(differences.to_numpy()[:, None]).item() >= ALPHA:
        return "  "
    return " +" if (differences.mean() > 0) != lower_is_better(metric) else " -"
