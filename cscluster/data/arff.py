"""Reader of ARFF files: numbers, nominal values, strings and dates, in rows of commas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

_QUOTED = r"'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{'\"]+)\s*(\{{.*\}}|\w+)", re.IGNORECASE)
_CELL = re.compile(rf"\s*(?:({_QUOTED})\s*|((?![\s'\"])[^,]*))(,|$)")
_NUMBERS = ("numeric", "real", "integer")
_TEXTS = ("string", "date")


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
        header = list(_header(content))
        rows = [_row(line, number, len(header)) for number, line in content]
    frame = pd.DataFrame(rows, columns=[name for name, _ in header], dtype=object)
    frame = frame.mask(frame == "?")
    for place, (name, kind) in enumerate(header):
        if kind in _NUMBERS and name != id_column:
            frame.isetitem(place, pd.to_numeric(frame.iloc[:, place]))
    if header and header[-1][1].startswith("{"):
        frame.attrs["target"] = header[-1][0]
    return frame


def _header(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """Yield name and kind of the attributes; the first row comes next."""
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
        if not kind.startswith("{") and kind not in (*_NUMBERS, *_TEXTS):
            raise ValueError(f"line {number}: attributes of the type '{found[2]}' are not read")
        yield _plain(found[1]), kind
    raise ValueError("there is no @data")


def _row(line: str, number: int, n_columns: int) -> list[str]:
    cells = _cells(line)
    if len(cells) != n_columns:
        raise ValueError(f"line {number} has {len(cells)} values for {n_columns} attributes")
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
