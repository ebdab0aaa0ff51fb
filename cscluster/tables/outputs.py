"""Files that are written: checked before the work begins, and put in place in one step."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cscluster import cells
from cscluster.arrays import FloatArray
from cscluster.data.dataset import Dataset
from cscluster.errors import StoreError

STDOUT = Path("-")
"""Stands for standard output."""


def check(outputs: Sequence[tuple[str, Path | None]], inputs: Sequence[Path]) -> None:
    """Check that every output, an option and its file, has a place of its own.

    Raises
    ------
    StoreError
        If one would overwrite an input or another output, or its directory is missing.
    """
    taken = {Path(os.path.realpath(path)): "an input" for path in inputs}
    for option, path in outputs:
        if path is None or path == STDOUT:
            continue
        place = Path(os.path.realpath(path))
        if place in taken:
            raise StoreError(f"{option} '{path}' is the file of {taken[place]}. Choose another name.")
        if os.path.isdir(path):
            raise StoreError(f"{option} '{path}' is a directory. Name a file in it.")
        if not os.path.isdir(place.parent):
            raise StoreError(f"{option} '{path}': there is no directory '{path.parent}'.")
        if not os.access(place.parent, os.W_OK):
            raise StoreError(f"{option} '{path}': no permission to write in '{path.parent}'.")
        taken[place] = option


def labels_csv(
    table: Dataset,
    labels: NDArray[np.int64],
    frame: pd.DataFrame | None = None,
    *,
    confidence: FloatArray | None = None,
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
    confidence : ndarray of shape (n,), optional
        Probabilities of the clusters, which are written after them.
    names : sequence of str
        Names of the clusters, which are written in the place of their numbers.
    head : bool
        Whether the names of the columns come first.
    """
    given: dict[str, Iterable[Any]] = (
        {table.id_column or "row": map(table.row_name, range(len(labels)))}
        if frame is None
        else {name: frame[name].astype(str) for name in frame}
    )
    found = {"cluster": [names[label] if names and label >= 0 else label for label in labels.tolist()]}
    if confidence is not None:
        found["confidence"] = [f"{share:.3f}" for share in confidence.tolist()]
    heads = [*given, *(_other_than(given if frame is not None else (), name) for name in found)]
    rows = zip(*given.values(), *found.values(), strict=True)
    return "".join(
        cells.line(map(cells.guarded, map(str, row))) for row in ((heads, *rows) if head else rows)
    )


def _other_than(taken: Collection[str], name: str) -> str:
    """Return the name of a column that is not taken."""
    while name in taken:
        name += "_found"
    return name
