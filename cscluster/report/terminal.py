"""Reports for the terminal."""

from __future__ import annotations

import io

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cscluster.report.document import Document, Outcome
from cscluster.report.tables import Grid


def text(documents: list[Document]) -> str:
    """Return reports as plain text, 120 characters wide."""
    page = io.StringIO()
    console = Console(file=page, width=120, color_system=None)
    for document in documents:
        console.print(document.title, highlight=False, markup=False)
        console.print()
        show(document, console)
    return page.getvalue()


def show(document: Document, console: Console) -> None:
    """Print a report so that it fits the terminal."""
    for grid in document.grids:
        _show_grid(grid, console)
    for outcome in document.outcomes:
        _show_outcome(outcome, console)
    for line in document.notes:
        console.print(line, style="dim", highlight=False, markup=False)


def _show_grid(grid: Grid, console: Console) -> None:
    """Print a table; one that is too wide is set closer together, or else in several parts."""
    texts, heading = grid.texts, grid.heading
    names = max([len(grid.corner), *map(len, texts.index)]) + 2
    if names + sum(_widths(texts)) > console.width:
        texts = texts.map(lambda text: text.replace(" ± ", "±"))
        names = min(names, console.width // 2)
    widths, start = _widths(texts), 0
    while start < len(widths):
        stop = start + 1
        while stop < len(widths) and names + sum(widths[start : stop + 1]) <= console.width:
            stop += 1
        console.print(heading, style="bold", highlight=False, markup=False)
        console.print(_table(grid.corner, texts.iloc[:, start:stop], grid.best.iloc[:, start:stop]))
        console.print()
        heading, start = f"{grid.heading} (continued)", stop


def _widths(texts: pd.DataFrame) -> list[int]:
    columns = zip(texts.columns, texts.to_numpy().T, strict=True)
    return [max([len(head), *map(len, column)]) + 2 for head, column in columns]


def _table(corner: str, texts: pd.DataFrame, best: pd.DataFrame) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    table.add_column(corner, overflow="fold")
    for head, width in zip(texts.columns, _widths(texts), strict=True):
        table.add_column(Text(head), justify="right", no_wrap=True, min_width=width - 2)
    for name, row, stands_out in zip(texts.index, texts.to_numpy(), best.to_numpy(), strict=True):
        cells = zip(row, stands_out, strict=True)
        table.add_row(Text(name), *(Text(text, style="bold green" if out else "") for text, out in cells))
    return table


def _show_outcome(outcome: Outcome, console: Console) -> None:
    console.print(outcome.heading, style="bold", highlight=False, markup=False)
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for dataset, line in outcome.orderings.items():
        table.add_row(Text(dataset), Text(line))
    console.print(table)
    if outcome.sentence:
        console.print(outcome.sentence, highlight=False, markup=False)
    console.print()
