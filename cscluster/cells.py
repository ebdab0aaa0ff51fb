"""Cells of CSV files: every reader gets them back as they are, and no spreadsheet takes one for a formula."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Iterable
from pathlib import Path

CP1252 = "cp1252"
"""The encoding of text that is not UTF-8: Windows' own, in which Excel writes."""

_FORMULA = re.compile(r"'*\s*[=+\-@]")
_SEPARATORS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"\s*[+-]?\d+(\.\d+)?\s*")


def separator(header: str) -> str:
    """Return what separates the cells of a header: what occurs most often outside quotes; else a comma."""
    unquoted = re.sub(r'"[^"]*"', "", header)
    return max(_SEPARATORS, key=unquoted.count)


def read_header(path: Path, encoding: str = "utf-8-sig") -> tuple[list[str], str]:
    """Return the names of the columns of a CSV or TSV file, and the separator that the header tells.

    Raises
    ------
    ValueError
        If the file is empty, or no text.
    """
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rt", encoding=encoding, newline="") as file:
        header = next((line for line in file if line.strip()), "")
    if not header:
        raise ValueError("the file is empty")
    if encoding == CP1252 and "\0" in header:
        raise ValueError("it is no text in UTF-8 or Windows-1252")
    between = "\t" if ".tsv" in path.suffixes[-2:] else separator(header)
    return next(csv.reader([header], delimiter=between)), between


def decoded(content: bytes) -> str:
    """Return the text of a file in UTF-8 or, as Excel writes it, in Windows-1252."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if b"\0" in content:
            raise
        return content.decode(CP1252)


def line(cells: Iterable[object]) -> str:
    """Return cells as a line of a CSV file; what needs quotes has them, a carriage return too."""
    return ",".join(map(_quoted, map(str, cells))) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\r\n]', text) else text


def guarded(text: str) -> str:
    """Return a string with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def unguarded(text: str) -> str:
    """Return a string without the apostrophe that `guarded` puts in front."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
