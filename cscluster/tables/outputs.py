"""Files that are written: checked before the work begins, and put in place in one step."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cscluster import atomic
from cscluster.constraints.files import plain
from cscluster.errors import StoreError
from cscluster.tables.table import Table


def check(outputs: Sequence[tuple[str, Path]], inputs: Sequence[Path]) -> None:
    """Check that every output, an option and its file, has a place of its own.

    Raises
    ------
    StoreError
        If one would overwrite an input or another output, or its folder is missing.
    """
    taken = {path.resolve(): "an input" for path in inputs}
    for option, path in outputs:
        place = path.resolve()
        if place in taken:
            raise StoreError(f"{option} '{path}' is the file of {taken[place]}; choose another name.")
        if path.is_dir():
            raise StoreError(f"{option} '{path}' is a folder; name a file in it.")
        if not place.parent.is_dir():
            raise StoreError(f"{option} '{path}': there is no folder '{path.parent}'.")
        if not os.access(place.parent, os.W_OK):
            raise StoreError(f"{option} '{path}': no permission to write in '{path.parent}'.")
        taken[place] = option


def put(path: Path, content: bytes) -> None:
    """Write a file in one atomic step.

    Raises
    ------
    StoreError
        If it cannot be written; what was there before stays.
    """
    try:
        atomic.replace(path, content)
    except OSError as error:
        raise StoreError(f"Cannot write '{path}': {error.strerror or error}.") from error


def labels_csv(table: Table, labels: NDArray[np.int64]) -> str:
    """Return the cluster of each row as CSV, by its name or its number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([plain(table.id_column or "row"), "cluster"])
    for row, label in enumerate(labels.tolist()):
        writer.writerow([plain(table.row_name(row)), label])
    return out.getvalue()
