"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def pipe_table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> list[str]:
    """Return the lines of a table.

    Parameters
    ----------
    heads : sequence of str
        Heads of the columns.
    rows : iterable of sequences of str
        Cells, which are Markdown but for their pipes.
    numbers : int
        How many of the last columns hold numbers.
    """
    marks = "|" + "---|" * (len(heads) - numbers) + "---:|" * numbers
    return [_row(heads), marks, *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
