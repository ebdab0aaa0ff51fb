"""Summaries as CSV: one line for each data set, algorithm, point, tier and metric."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import pandas as pd

from cscluster.cells import guarded
from cscluster.report.aggregate import Results
from cscluster.report.page import Page
from cscluster.report.table import PlainTable


def text(runs: list[Results]) -> str:
    """Return the cells as CSV; several runs are told apart by a first column ``run``.

    A text that a spreadsheet would take for a formula gets a quote in front.
    """
    parts = [_with_missing(run).assign(run=run.name) for run in runs]
    table = pd.concat(parts, ignore_index=True)
    names = table.pop("run")
    if len(runs) > 1:
        table.insert(0, "run", names)
    for column in {"run", "dataset", "label", "params", "metric"} & set(table.columns):
        one_line = table[column].fillna("").astype(str).str.replace(r"[\r\n]+", " ", regex=True)
        table[column] = one_line.map(guarded)
    return str(table.to_csv(index=False, lineterminator="\n", float_format="%.6g"))


def _with_missing(run: Results) -> pd.DataFrame:
    """Add how many planned trials of the method on the data set are not stored.

    A method without any result on a data set has one line, which says only that.
    """
    entries = dict(zip(run.trials["label"], run.trials["entry"], strict=True))
    places = [(r.dataset, entries[r.label]) for r in run.cells.itertuples()]
    missing = {(r.dataset, r.label): r.count for r in run.missing.itertuples()}
    table = run.cells.assign(missing=[missing.get(place, 0) for place in places])
    absent = [
        {"dataset": dataset, "label": label, "n": 0, "planned": run.planned, "missing": count}
        for (dataset, label), count in missing.items()
        if (dataset, label) not in places
    ]
    return pd.concat([table, pd.DataFrame(absent)]) if absent else table


def tables(pages: Sequence[Page]) -> str:
    """Return the tables of pages as they are shown, one below another; ``>`` marks the best."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    for table in (block for page in pages for block in page.blocks if isinstance(block, PlainTable)):
        shown = table.written(lambda cell: guarded(" ".join(cell.split()))).with_marks("> ")
        writer.writerows([[guarded(table.caption)], shown.heads, *shown.rows, []])
    return written.getvalue()
