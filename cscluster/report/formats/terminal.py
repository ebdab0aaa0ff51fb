"""Reports for the terminal."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cscluster.report.document import Document, Outcome
from cscluster.report.tables import Grid, column_widths, divide, grid_width


def text(documents: list[Document]) -> str:
    """Return reports as plain text, 120 characters wide."""
    page = io.StringIO()
    console = Console(file=page, width=120, color_system=None)
    for document in documents:
        console.print(document.title, highlight=False, markup=False)
        console.print()
        show(document, console)
    return page.getvalue()


def show(document: Document, console: Console, brief: bool = False) -> None:
    """Print a report so that it fits the terminal; if `brief`, only a sentence on the tests of a metric."""
    for grid in document.grids:
        _show_grid(grid, console)
    for outcome in document.outcomes:
        if brief:
            console.print(outcome.sentence, highlight=False, markup=False)
        else:
            _show_outcome(outcome, console)
    if brief and document.outcomes:
        console.print()
    for line in document.notes:
        console.print(line, style="dim", highlight=False, markup=False)


def _show_grid(grid: Grid, console: Console) -> None:
    """Print a table; one that is too wide is set closer together, or else in several parts."""
    parts = divide(grid, console.width)
    if len(parts) > 1 or grid_width(grid) > console.width:
        closer = replace(grid, texts=grid.texts.map(lambda text: text.replace(" ± ", "±")))
        parts = divide(closer, console.width)
    for part in parts:
        console.print(part.heading, style="bold", highlight=False, markup=False)
        console.print(_table(part))
        console.print()


def _table(grid: Grid) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    table.add_column(grid.corner, overflow="fold")
    for head, width in zip(grid.texts.columns, column_widths(grid.texts), strict=True):
        table.add_column(Text(head), justify="right", no_wrap=True, min_width=width - 2)
    for name, texts, best in grid.rows():
        cells = zip(texts, best, strict=True)
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
