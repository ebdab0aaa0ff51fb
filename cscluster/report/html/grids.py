"""The tables of means of a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cscluster.metrics.catalogue import lower_is_better, metric_title
from cscluster.report.aggregate import Place, Results
from cscluster.report.html.chart_data import column_text
from cscluster.report.html.markup import Markup, join, tag, text
from cscluster.report.html.sortable import Cell, table
from cscluster.report.statistics import leaders, paired
from cscluster.report.tables import cell_text, points_word


def tables(results: Results) -> Markup:
    """Return a table for each metric and data set; scripts show the one that is chosen."""
    return join(part for metric in results.metrics for part in _of_metric(results, metric))


def _of_metric(results: Results, metric: str) -> Iterator[Markup]:
    scores = paired(results, metric)
    marked = leaders(scores.values, lower_is_better(metric))
    cells = {
        ((r.dataset, r.point, r.tier), r.label): r
        for r in results.cells[results.cells["metric"] == metric].itertuples()
    }
    for number, dataset in enumerate(results.datasets):
        here: list[tuple[int, Place]] = [(k, p) for k, p in enumerate(scores.places) if p[0] == dataset]
        rows = [
            [
                Cell(text(results.marks[label])),
                *(_cell(cells.get((place, label)), metric, bool(marked[k, row])) for k, place in here),
            ]
            for row, label in enumerate(scores.labels)
            if any((place, label) in cells for _, place in here)
        ]
        yield table(
            join([metric_title(metric), " on ", text(dataset), f" by {points_word(results)}"]),
            ["algorithm", *(column_text(results, place[1:]) for _, place in here)],
            rows,
            numbers=len(here),
            larger_first=not lower_is_better(metric),
            data_metric=results.metrics.index(metric),
            data_dataset=number,
        )


def _cell(cell: Any, metric: str, best: bool) -> Cell:
    """Return a cell: what it shows, and below it the parameters where a grid was searched."""
    if cell is None:
        return Cell("", kind="number")
    shown = cell_text(cell.mean, cell.std, cell.n, cell.planned, metric)
    chosen = "" if cell.label.endswith(f"({cell.params})") else cell.params
    kinds = ["number", *(["best"] if best else []), *(["failed"] if cell.n < cell.planned else [])]
    return Cell(
        join([tag("strong", shown) if best else shown, tag("small", chosen) if chosen else ""]),
        value=cell.mean if cell.n else None,
        kind=" ".join(kinds),
    )
