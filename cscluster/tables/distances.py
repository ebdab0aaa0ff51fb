"""Distances between the rows of a table, in the place of its columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cscluster.arrays import FloatArray, checked_distances
from cscluster.data.dataset import Dataset
from cscluster.errors import DataError, message


def distances_between(rows: Dataset, given: Any) -> FloatArray:
    """Return the distances between all rows.

    Parameters
    ----------
    rows : Dataset
        The rows.
    given : array, DataFrame or path
        Their distances: a file is one of NumPy, or CSV without a header; or CSV whose first line and first
        column hold the names of the rows.

    Raises
    ------
    DataError
        If there is no such file, or it holds no distances between these rows.
    """
    if isinstance(given, (str, Path)):
        given = _read(Path(given).expanduser(), rows)
    try:
        D = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"Distances must be numbers: {message(error)}.") from None
    D = checked_distances(D)
    if len(D) != rows.n_samples:
        raise DataError(
            f"There must be distances between all {rows.n_samples} rows, got a matrix of shape {D.shape}."
        )
    return D


def _read(path: Path, rows: Dataset) -> Any:
    """Return the distances of a file; names in it must be those of the rows, in their order."""
    try:
        if path.suffix.lower() == ".npy":
            return np.load(path, allow_pickle=False)
        cells = pd.read_csv(path, header=None, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise DataError(f"Cannot read distances from '{path}': {message(error)}.") from None
    if pd.notna(pd.to_numeric(cells.iloc[0, 0], errors="coerce")):
        return cells
    names = cells.iloc[1:, 0].tolist()
    for name, row in zip(names, rows.ids, strict=False):
        if name != row:
            raise DataError(f"The rows of '{path}' are in another order: '{name}' is where '{row}' is due.")
    return cells.iloc[1:, 1:]
