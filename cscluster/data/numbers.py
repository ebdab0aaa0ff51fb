"""Numbers as people write them: 1,234.5 or 1.234,5, perhaps with a currency or per cent."""

from __future__ import annotations

import re

import pandas as pd

_UNIT = r"(?:[$€£¥%]|EUR|USD|GBP|CHF)"
_CELL = re.compile(rf"([-+−]?)\s*({_UNIT}?)\s*([-+]?)([\d.,'’\s]*\d)(e[-+]?\d+)?\s*({_UNIT}?)", re.IGNORECASE)
_GROUPED = r"(?:\d+|[1-9]\d{0,2}(?P<gap>[%s'’\s])\d{3}(?:(?P=gap)\d{3})*)?(?:[%s]\d+)?"
_WRITTEN = {".": re.compile(_GROUPED % (",", ".")), ",": re.compile(_GROUPED % (".", ","))}


def plain_numbers(cells: pd.Series, decimal: str) -> pd.Series:
    """Return cells as a computer writes numbers, None where one is no number or is in another unit.

    Parameters
    ----------
    cells : Series of str
        The cells of a column.
    decimal : {".", ","}
        What stands before the decimals; the other one, a space or an apostrophe may separate thousands.

    Examples
    --------
    >>> plain_numbers(pd.Series(["37.715,63", "1 200", "-5"]), ",").tolist()
    ['37715.63', '1200', '-5']
    """
    written = {cell: _plain(cell, decimal) for cell in cells.unique()}
    units = cells.map({cell: unit for cell, (_, unit) in written.items()})
    usual = units.dropna().mode()
    allowed = {"", *usual[:1]} - ({""} if "%" in usual[:1].tolist() else set())
    return cells.map({cell: plain if unit in allowed else None for cell, (plain, unit) in written.items()})


def _plain(cell: str, decimal: str) -> tuple[str | None, str | None]:
    """Return a number as a computer writes it, and its unit."""
    found = _CELL.fullmatch(cell.strip())
    if found is None or not _WRITTEN[decimal].fullmatch(found[4]) or (found[2] and found[6]):
        return None, None
    digits = "".join(c for c in found[4] if c.isdigit() or c == decimal).replace(decimal, ".")
    sign = (found[1] + found[3]).replace("−", "-")
    return f"{sign}{digits}{found[5] or ''}", (found[2] + found[6]).upper()


def decimals_of(frame: pd.DataFrame) -> str | None:
    """Return what stands before the decimals in the columns of strings; None if they do not tell."""
    told = set()
    for column in frame.select_dtypes(exclude=["number", "bool"]):
        cells = frame[column].dropna().astype(str)
        points, commas = (bool(plain_numbers(cells, decimal).notna().all()) for decimal in ".,")
        if len(cells) and points != commas:
            told.add("." if points else ",")
    return told.pop() if len(told) == 1 else None
