"""What a person sees of a row: a picture, or its cells."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image
from scipy import sparse

from cscluster.arrays import dense
from cscluster.data import formats, readers
from cscluster.data.dataset import Dataset
from cscluster.errors import DataError

MAX_CELLS = 40


class ItemCell(NamedTuple):
    """One value of a row.

    Attributes
    ----------
    name, value : str
        The column, and its content.
    place : float, optional
        Where a number lies between the smallest, 0, and the largest of its column, 1.
    """

    name: str
    value: str
    place: float | None = None


class Pictures:
    """Rows as grey pictures.

    Parameters
    ----------
    values : ndarray or CSR array of shape (n, height * width)
        The pixels of each row.
    shape : tuple of int
        Height and width.
    """

    def __init__(self, values: Any, shape: tuple[int, int]) -> None:
        self.shape = shape
        self._values = values
        numbers = values.data if sparse.issparse(values) else values
        self._low, self._high = min(0.0, float(np.nanmin(numbers))), float(np.nanmax(numbers))

    def pixels(self, row: int) -> NDArray[np.uint8]:
        """Return a picture, of type uint8 and shape (height, width)."""
        values = dense(self._values[[row]])
        scaled = (values.reshape(self.shape) - self._low) / ((self._high - self._low) or 1)
        return np.asarray(np.round(255 * np.nan_to_num(scaled)), dtype=np.uint8)


class Items:
    """The rows of a table as a person sees them.

    Parameters
    ----------
    table : Dataset
        What is asked about.
    source : str
        Where it is from; a table that is a file is shown with all its columns, those that are
        not clustered by too.
    hidden : set of str
        Columns that are not shown: the true classes would give the answer away.
    pictures : Pictures, optional
        The rows as pictures, where they are.
    """

    def __init__(
        self, table: Dataset, source: str, hidden: set[str], pictures: Pictures | None = None
    ) -> None:
        self.table = table
        self.pictures = pictures
        self._columns = {} if pictures else _columns(table, source, hidden)
        numbers = pd.DataFrame(self._columns).select_dtypes("number")
        self._low, self._high = numbers.min(), numbers.max()

    def cells(self, row: int) -> list[ItemCell]:
        """Return the cells of a row, at most `MAX_CELLS` values."""
        if sparse.issparse(self.table.X) and not self._columns:
            return self._entries(row)
        return [self._cell(name, row) for name in list(self._columns)[:MAX_CELLS]]

    @property
    def n_hidden(self) -> int:
        """Number of columns that there is no room for."""
        return max(0, len(self._columns) - MAX_CELLS)

    def _cell(self, name: str, row: int) -> ItemCell:
        value = self._columns[name].iloc[row]
        if name not in self._low or pd.isna(value):
            return ItemCell(name, "" if pd.isna(value) else str(value))
        low, high = float(self._low[name]), float(self._high[name])
        place = (float(value) - low) / (high - low) if high > low else None
        return ItemCell(name, f"{float(value):.6g}", place)

    def _entries(self, row: int) -> list[ItemCell]:
        """Return the largest entries of a sparse row."""
        entries = sparse.csr_array(self.table.X[[row]])
        order = np.argsort(-np.abs(entries.data), kind="stable")[:MAX_CELLS]
        names = self.table.column_names
        return [
            ItemCell(names[j], f"{value:.6g}")
            for j, value in zip(entries.indices[order].tolist(), entries.data[order].tolist(), strict=True)
        ]


def _columns(table: Dataset, source: str, hidden: set[str]) -> dict[str, pd.Series]:
    """Return the columns that are shown."""
    path = Path(source).expanduser()
    if formats.is_table(path):
        frame = readers.read_frame(path, id_column=table.id_column)
        apart = hidden | {table.id_column, frame.attrs.get("target")}
        return {name: frame[name] for name in frame.columns if name not in apart}
    if sparse.issparse(table.X):
        return {}
    return {name: pd.Series(table.X[:, j]) for j, name in enumerate(table.column_names)}


def find_pictures(text: str, table: Dataset, source: str, hidden: set[str]) -> Pictures | None:
    """Return rows as pictures of a given shape, or of that of the data set with ``auto``, if it has one.

    In a file, pixels are all its columns but those that are not shown: a pixel that never changes is no
    feature, but part of the picture.

    Raises
    ------
    DataError
        If the text is no shape, or not that of the rows.
    """
    if text == "auto":
        height, width = table.image if table.image and len(table.image) == 2 else (0, 0)
        return Pictures(table.X, (height, width)) if height else None
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    if found is None:
        raise DataError(f"The shape of images must be HEIGHTxWIDTH, such as 8x8, or auto, got '{text}'.")
    shape = (int(found[1]), int(found[2]))
    values = table.X
    if formats.is_table(Path(source).expanduser()):
        columns = pd.DataFrame(_columns(table, source, hidden))
        values = columns.select_dtypes("number").to_numpy(np.float64)
    if shape[0] * shape[1] != values.shape[1]:
        raise DataError(
            f"Images of {text} need rows of {shape[0] * shape[1]} numbers, "
            f"but those of '{table.name}' have {values.shape[1]}."
        )
    return Pictures(values, shape)


def png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a grey picture as a PNG file."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()
