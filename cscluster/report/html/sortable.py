"""Tables that a reader can sort and filter; without scripts they are plain tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat

from cscluster.report.html.markup import Markup, join, tag


@dataclass(frozen=True)
class PlainTable:
    """Rows of texts under a caption; the last columns, `numbers` of them, hold numbers."""

    caption: str
    heads: list[str]
    rows: list[list[str]]
    numbers: int = 0


@dataclass(frozen=True)
class Cell:
    """What a cell shows, what it is sorted by if that is a number, and its class."""

    content: object
    value: float | None = None
    kind: str | None = None


def table(
    caption: object,
    heads: list[str],
    rows: Iterable[list[Cell]],
    *,
    numbers: int = 0,
    larger_first: bool = True,
    **attributes: object,
) -> Markup:
    """Return a table whose first column names the row.

    Parameters
    ----------
    caption : object
        Above the table; nothing if empty.
    heads : list of str
        Headings of the columns.
    rows : iterable of lists of Cell
        The rows.
    numbers : int
        How many of the last columns hold numbers.
    larger_first : bool
        Whether the first press on the heading of such a column puts large numbers first.
    **attributes : object
        Of the box around the table.
    """
    texts = len(heads) - numbers
    first = "descending" if larger_first else "ascending"
    head = [
        tag(
            "th",
            tag("button", tag("bdi", name), type="button"),
            scope="col",
            class_="number" if i >= texts else None,
            data_first=first if i >= texts else "ascending",
        )
        for i, name in enumerate(heads)
    ]
    kinds = [None if i < texts else "number" for i in range(len(heads))]
    body = [
        tag("tr", _cell("th", row[0], scope="row"), *map(_cell, repeat("td"), row[1:], kinds[1:]))
        for row in rows
    ]
    return tag(
        "div",
        tag(
            "table",
            *([tag("caption", caption)] if caption else []),
            tag("thead", tag("tr", *head)),
            tag("tbody", join(body)),
            class_="sortable",
        ),
        class_="box",
        tabindex="0",
        role="region",
        aria_label="Table",
        **attributes,
    )


def _cell(name: str, cell: Cell, kind: str | None = None, **attributes: object) -> Markup:
    number = None if cell.value is None else f"{cell.value:.6g}"
    return tag(name, cell.content, data_value=number, class_=cell.kind or kind, **attributes)


def filter_box(label: str) -> Markup:
    """Return the field that filters the rows of all tables in its section."""
    field = tag("input", type="search", class_="filter", autocomplete="off", spellcheck="false")
    return tag("label", label, " ", field, tag("output", class_="matches"), class_="only-with-scripts")
