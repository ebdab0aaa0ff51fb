"""Summaries as CSV: one line for each data set, algorithm, point, tier and metric."""

from __future__ import annotations

import pandas as pd

from cscluster.cells import guarded
from cscluster.report.aggregate import Results


def text(runs: list[Results]) -> str:
    """Return the cells as CSV; several runs are told apart by a first column ``run``.

    A text that a spreadsheet would take for a formula gets a quote in front.
    """
    cells = [run.cells if len(runs) == 1 else run.cells.assign(run=run.name) for run in runs]
    table = pd.concat(cells, ignore_index=True)
    if len(runs) > 1:
        table.insert(0, "run", table.pop("run"))
    for column in {"run", "dataset", "label", "params", "metric"} & set(table.columns):
        one_line = table[column].astype(str).str.replace(r"[\r\n]+", " ", regex=True)
        table[column] = one_line.map(guarded)
    return str(table.to_csv(index=False, lineterminator="\n", float_format="%.6g"))
