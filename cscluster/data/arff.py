"""Reader of ARFF files: numbers, nominal values, strings and dates, in rows of commas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

_QUOTED = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]+)\s*(\{{.*\}}|\w+)", re.IGNORECASE)
_CELL = re.compile(rf"\s*(?:({_QUOTED})\s*|((?![\s'\"])[^,]*))(,|$)")
_NUMBERS = ("numeric", "real", "integer")
_TEXTS = ("string", "date")


class _Attribute(NamedTuple):
    """A column: its name, and its type or its possible values."""

    name: str
    kind: str
    values: frozenset[str]


def read_arff(path: Path, id_column: str | None = None) -> pd.DataFrame:
    """Return the table; ``attrs["target"]`` is the last column, if its possible values are declared.

    `id_column`, if the table has it, is read as strings.

    Raises
    ------
    ValueError
        If the file is not ARFF, or of a kind that is not read: sparse rows, relational attributes.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = ((number, line.strip()) for number, line in enumerate(file, 1))
        content = ((number, line) for number, line in lines if line and not line.startswith("%"))
        attributes = list(_header(content))
        rows = [_row(line, number, attributes) for number, line in content]
    columns = {
        attribute.name: _column([row[place] for row in rows], attribute, attribute.name == id_column)
        for place, attribute in enumerate(attributes)
    }
    if len(columns) < len(attributes):
        raise ValueError("two attributes have the same name")
    frame = pd.DataFrame(columns)
    if attributes and attributes[-1].values:
        frame.attrs["target"] = attributes[-1].name
    return frame


def _header(lines: Iterator[tuple[int, str]]) -> Iterator[_Attribute]:
    """Yield the attributes; the first row comes next."""
    for number, line in lines:
        word = line.split(maxsplit=1)[0].lower()
        if word == "@data":
            return
        if word == "@relation":
            continue
        found = _ATTRIBUTE.match(line)
        if found is None:
            raise ValueError(f"line {number} is not a line of a header")
        kind = found[2].lower()
        values = frozenset(_cells(found[2][1:-1])) if kind.startswith("{") else frozenset()
        if not values and kind not in (*_NUMBERS, *_TEXTS):
            raise ValueError(f"line {number}: attributes of the type '{found[2]}' are not read")
        yield _Attribute(_plain(found[1]), kind, values)
    raise ValueError("there is no @data")


def _row(line: str, number: int, attributes: list[_Attribute]) -> list[str]:
    if line.startswith("{"):
        raise ValueError(f"line {number}: sparse rows are not read")
    cells = _cells(line)
    if len(cells) != len(attributes):
        raise ValueError(f"line {number} has {len(cells)} values for {len(attributes)} attributes")
    for cell, attribute in zip(cells, attributes, strict=True):
        if attribute.values and cell != "?" and cell not in attribute.values:
            raise ValueError(f"line {number}: '{cell}' is not a value of '{attribute.name}'")
    return cells


def _cells(line: str) -> list[str]:
    """Split a line at its commas, those in quotes excepted."""
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    cells, place = [], 0
    while found := _CELL.match(line, place):
        cells.append(_plain(found[1]) if found[1] else found[2].rstrip())
        place = found.end()
        if not found[3]:
            return cells
    raise ValueError(f"the quotes of '{line[place : place + 40]}' do not match")


def _plain(text: str) -> str:
    """Return a string without its quotes."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if text[:1] in ("'", '"') else text


def _column(cells: list[str], attribute: _Attribute, names_rows: bool) -> pd.Series:
    column = pd.Series(cells, dtype=object)
    column = column.mask(column == "?")
    return pd.to_numeric(column) if attribute.kind in _NUMBERS and not names_rows else column
