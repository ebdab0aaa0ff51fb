"""The tables of means of a run."""

from __future__ import annotations

from typing import Any

import pandas as pd

from cscluster.report.aggregate import Results, lower_is_better
from cscluster.report.html.markup import Markup, join, tag, text
from cscluster.report.html.sortable import Cell, table
from cscluster.report.tables import axis_name, column_name, grids


def tables(results: Results) -> Markup:
    """Return a table for each metric and data set; scripts show the one that is chosen."""
    details = {
        (r.metric, r.dataset, results.marks[r.label], r.point, r.tier): r for r in results.cells.itertuples()
    }
    return join(
        _table(results, dataset, metric, texts, best, details)
        for dataset, metric, texts, best in grids(results)
    )


def _table(
    results: Results,
    dataset: str,
    metric: str,
    texts: pd.DataFrame,
    best: pd.DataFrame,
    details: dict[tuple[Any, ...], Any],
) -> Markup:
    rows = []
    for row in texts.index:
        cells = [Cell(text(row))]
        for column in texts.columns:
            point, tier = column if isinstance(column, tuple) else (column, 1)
            cells.append(
                _cell(
                    texts.loc[row, column],
                    bool(best.loc[row, column]),
                    details.get((metric, dataset, row, point, tier)),
                )
            )
        rows.append(cells)
    return table(
        join([metric.upper(), " on ", text(dataset), f" by {axis_name(results)}"]),
        ["algorithm", *map(column_name, texts.columns)],
        rows,
        numbers=len(texts.columns),
        larger_first=not lower_is_better(metric),
        data_metric=results.metrics.index(metric),
        data_dataset=results.datasets.index(dataset),
    )


def _cell(shown: str, best: bool, detail: Any) -> Cell:
    if detail is None:
        return Cell("", kind="number")
    chosen = detail.params if detail.params and not detail.label.endswith(f"({detail.params})") else ""
    number = tag("strong", shown) if best else shown
    kind = "number" + (" best" if best else "") + (" failed" if detail.n < detail.planned else "")
    return Cell(
        join([number, tag("small", chosen) if chosen else ""]),
        value=detail.mean if detail.n else None,
        kind=kind,
    )
