"""The first line of a CSV or TSV file; imports no numeric library, since completion reads it too."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from cscluster import cells


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
    if encoding == cells.CP1252 and "\0" in header:
        raise ValueError("it is no text in UTF-8 or Windows-1252")
    separator = "\t" if ".tsv" in path.suffixes[-2:] else cells.separator(header)
    return next(csv.reader([header], delimiter=separator)), separator
