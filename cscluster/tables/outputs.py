"""Files that are written: checked before the work begins, and put in place in one step."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cscluster import cells
from cscluster.data.dataset import Dataset
from cscluster.errors import StoreError

_LONGEST_NAME = 200  # bytes; file systems allow 255, and a part of a file has a longer name for a moment


def check(outputs: Sequence[tuple[str, Path]], inputs: Sequence[Path]) -> None:
    """Check that every output, an option and its file, has a place of its own.

    Raises
    ------
    StoreError
        If one would overwrite an input or another output, or its directory is missing.
    """
    taken = {Path(os.path.realpath(path)): "an input" for path in inputs}
    for option, path in outputs:
        place = Path(os.path.realpath(path))
        if place in taken:
            raise StoreError(f"{option} '{path}' is the file of {taken[place]}; choose another name.")
        if os.path.isdir(path):
            raise StoreError(f"{option} '{path}' is a directory; name a file in it.")
        if not os.path.isdir(place.parent):
            raise StoreError(f"{option} '{path}': there is no directory '{path.parent}'.")
        if len(os.fsencode(place.name)) > _LONGEST_NAME:
            raise StoreError(f"{option} '{path}': the name is too long for a file.")
        if not os.access(place.parent, os.W_OK):
            raise StoreError(f"{option} '{path}': no permission to write in '{path.parent}'.")
        taken[place] = option


def labels_csv(
    table: Dataset,
    labels: NDArray[np.int64],
    frame: pd.DataFrame | None = None,
    *,
    names: Sequence[str] = (),
    head: bool = True,
) -> str:
    """Return the cluster of each row as CSV, by its name or its number.

    Parameters
    ----------
    table : Dataset
        The rows.
    labels : ndarray of shape (n,)
        Their clusters.
    frame : DataFrame, optional
        The user's columns, to be repeated before the clusters.
    names : sequence of str
        Names of the clusters, which are written in the place of their numbers.
    head : bool
        Whether the names of the columns come first.
    """
    found = [names[label] if names and label >= 0 else label for label in labels.tolist()]
    if frame is None:
        heads = [table.id_column or "row", "cluster"]
        rows: Iterable[Iterable[Any]] = zip(map(table.row_name, range(len(labels))), found, strict=True)
    else:
        name = "cluster"
        while name in frame:
            name += "_found"
        heads = [*frame.columns, name]
        rows = zip(*(frame[name].astype(str) for name in frame), found, strict=True)
    lines = (heads, *rows) if head else rows
    return "".join(cells.line(map(cells.guarded, map(str, row))) for row in lines)
