"""A table: strings in rows and columns, which every format renders in its own way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

CellIndex = tuple[int, int]
"""Row and column of a cell, both counted from 0."""
BEST = "best"
"""The mark of cells that every format makes stand out."""


@dataclass(frozen=True)
class PlainTable:
    """A table whose first column names its rows.

    Attributes
    ----------
    caption : str
        What it shows.
    heads, rows : sequences
        Names of the columns, and the cells.
    numbers : int
        How many of the last columns hold numbers.
    marks : mapping
        A word for each cell that is marked: `BEST`, or on a page the name of another style.
    small : mapping
        What stands below a cell in small print, on a page.
    ascending : bool
        Whether small numbers come first when a reader sorts.
    legend : sequence of str
        How to read it; pages have these as notes, a table in a paper as the end of its caption.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: int = 0
    marks: Mapping[CellIndex, str] = field(default_factory=dict)
    small: Mapping[CellIndex, str] = field(default_factory=dict)
    ascending: bool = False
    legend: Sequence[str] = ()

    @classmethod
    def of(cls, caption: str, head: str, frame: pd.DataFrame, **more: Any) -> PlainTable:
        """Return a table of numbers from the texts of a data frame; its index is the column `head`."""
        rows = [[str(name), *row] for name, row in zip(frame.index, frame.to_numpy().tolist(), strict=True)]
        heads = [head, *map(str, frame.columns)]
        return cls(caption, heads, rows, numbers=len(frame.columns), **more)

    @property
    def n_names(self) -> int:
        """Number of columns before those of numbers."""
        return len(self.heads) - self.numbers

    def is_best(self, row: int, column: int) -> bool:
        """Tell whether a cell stands out."""
        return self.marks.get((row, column)) == BEST

    def with_marks(self, before: str, after: str = "") -> PlainTable:
        """Return the table with signs around the cells that stand out."""
        rows = [
            [f"{before}{cell}{after}" if self.is_best(i, j) else cell for j, cell in enumerate(row)]
            for i, row in enumerate(self.rows)
        ]
        return replace(self, rows=rows)

    def written(self, words: Callable[[str], str]) -> PlainTable:
        """Return the table with its heads and cells as `words` writes them."""
        rows = [list(map(words, row)) for row in self.rows]
        return replace(self, heads=list(map(words, self.heads)), rows=rows)

    def widths(self) -> list[int]:
        """Return how many characters each column takes."""
        return [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]

    def divided(self, width: int, gap: int = 2) -> list[PlainTable]:
        """Return the table in parts that are at most so many characters wide, with `gap` between columns.

        Names of rows take half of that at most: they can be folded, numbers cannot.
        """
        widths, first = [column + gap for column in self.widths()], self.n_names
        room = width + gap - min(sum(widths[:first]), width // 2)
        parts: list[list[int]] = [[]]
        for column in range(first, len(widths)):
            if parts[-1] and sum(widths[c] for c in [*parts[-1], column]) > room:
                parts.append([])
            parts[-1].append(column)
        return [self._columns([*range(first), *part], is_first=part is parts[0]) for part in parts]

    def _columns(self, columns: Sequence[int], is_first: bool) -> PlainTable:
        """Return a part of the table; only the first keeps its caption as it is."""
        place = {column: number for number, column in enumerate(columns)}
        return replace(
            self,
            caption=self.caption if is_first else f"{self.caption} (continued)",
            heads=[self.heads[column] for column in columns],
            rows=[[row[column] for column in columns] for row in self.rows],
            numbers=len(columns) - self.n_names,
            marks={(i, place[j]): mark for (i, j), mark in self.marks.items() if j in place},
        )
