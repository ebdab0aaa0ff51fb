"""The first line of a CSV or TSV file; imports no numeric library, since completion reads it too."""

from __future__ import annotations

import csv
from pathlib import Path

from cscluster import cells


def read_header(path: Path) -> tuple[list[str], str]:
    """Return the names of the columns of a CSV or TSV file, and the separator that the header tells.

    Raises
    ------
    ValueError
        If the file is empty.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        header = next((line for line in file if line.strip()), "")
    if not header:
        raise ValueError("the file is empty")
    separator = "\t" if path.suffix.lower() == ".tsv" else cells.separator(header)
    return next(csv.reader([header], delimiter=separator)), separator
