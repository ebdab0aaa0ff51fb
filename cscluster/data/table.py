"""From a data frame to a data set: which columns are numbers, dates or categories, and which are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cscluster.arrays import FloatArray, IntArray
from cscluster.data import readers
from cscluster.data.dataset import Dataset
from cscluster.data.numbers import decimals_of, plain_numbers
from cscluster.errors import DataError
from cscluster.words import plural

MAX_VALUES = 20
"""A column of strings with more different values than this says too little about groups."""

_NEARLY_ALL = 0.9
COMMAS = "decimal commas are read as points"
DATES = "dates, taken as days"
TEXT = "text with"
ENCODED = "text: read as Windows-1252, since it is not UTF-8"
_TIME = r"[T ]\d{1,2}:\d{1,2}(:\d{1,2}(\.\d+)?)? ?(Z|[+-]\d{2}:?\d{2})?"
_DATE = rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}({_TIME})?"
_LEAST_RISING = 10
_ANSWERS = {"class", "classes", "target", "label", "labels", "species"}
_EPOCH = pd.Timestamp("1970-01-01", tz="UTC")


@dataclass(frozen=True)
class Columns:
    """Which columns play which part, as the user says.

    Attributes
    ----------
    id : str, optional
        Names the rows.
    target : str, optional
        True classes: never a feature.
    features : sequence of str
        The only columns to cluster by; all others if there are none here.
    ignore : sequence of str
        Columns to leave out.
    labels : str, optional
        Classes that are known of some rows, empty for the others: never a feature.
    together, apart : str, optional
        Rows that share a cell of it belong together, or do not; empty cells say nothing.  Never features.
    """

    id: str | None = None
    target: str | None = None
    features: Sequence[str] = ()
    ignore: Sequence[str] = ()
    labels: str | None = None
    together: str | None = None
    apart: str | None = None

    @property
    def named(self) -> list[str]:
        """Return every column that the user names."""
        parts = [self.id, self.target, self.labels, self.together, self.apart, *self.features, *self.ignore]
        return [column for column in parts if column is not None]

    def wanted(self, names: Sequence[str]) -> list[str]:
        """Return the columns to cluster by, of all that there are."""
        others = {self.id, self.target, self.labels, self.together, self.apart, *self.ignore}
        return [name for name in self.features or names if name not in others]


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """How a column of a table is taken.

    Attributes
    ----------
    name : str
        The column.
    values : ndarray of shape (n,)
        Numbers, NaN where a cell is empty, or strings, empty there.
    note : str
        What had to be done to read them.
    left_out : str, optional
        Why the column says nothing about clusters.
    example : str
        A cell as it is written, and what it is read as where that is something else.
    """

    name: str
    values: NDArray[Any]
    note: str = ""
    left_out: str | None = None
    example: str = ""

    @property
    def is_numeric(self) -> bool:
        """Whether these are numbers, dates among them."""
        return self.values.dtype.kind == "f"

    @property
    def kind(self) -> str:
        """As what it is taken."""
        return ("dates" if self.note == DATES else "numbers") if self.is_numeric else "text"

    @property
    def n_missing(self) -> int:
        """Number of empty cells."""
        return int((np.isnan(self.values) if self.is_numeric else self.values == "").sum())


def read_column(column: pd.Series, decimal: str | None, forced: bool = False) -> ReadColumn:
    """Take a column as numbers, dates or categories.

    Parameters
    ----------
    column : Series
        Its cells.
    decimal : {".", ","}, optional
        What stands before the decimals elsewhere in the table; the column's own cells go first.
    forced : bool
        Whether it is kept even if it counts the rows.
    """
    name = str(column.name)
    there = column.dropna()
    example = str(there.iloc[0]).strip() if len(there) else ""
    numbers, note = _as_numbers(column, decimal)
    if numbers is not None:
        return ReadColumn(name, numbers, note, _useless_numbers(numbers, forced), example)
    strings = as_strings(column)
    useless = _useless_strings(strings)
    return ReadColumn(name, strings, "", f"{useless}{note}" if useless else None, example)


def from_pandas(frame: pd.DataFrame, columns: Columns, name: str = "table") -> Dataset:
    """Return a data frame as a data set; an index of names names the rows, unless a column does.

    Raises
    ------
    DataError
        If there is no such column, or nothing to cluster by.
    """
    frame = readers.with_names(frame.copy(deep=False), name)
    readers.require_columns(frame.columns, name, columns.named)
    columns = with_own_id(frame, columns)
    data = from_frame(frame, name, columns)
    if columns.id is None and not isinstance(frame.index, pd.RangeIndex) and frame.index.is_unique:
        data = replace(data, ids=readers.sample_names(pd.Series(frame.index, name="index"), name))
    return data


def require_most(data: Dataset) -> None:
    """Raise a DataError where more than half of the columns are left out as text."""
    lost = {name: why for name, why in data.left_out.items() if why.startswith(TEXT)}
    n_columns = len(data.left_out) + len(data.features) + len(data.categorical)
    if 2 * len(lost) > n_columns:
        listed = "\n".join(f"  {name}: {why}" for name, why in lost.items())
        raise DataError(
            f"Data set '{data.name}': {len(lost)} of {n_columns} columns say nothing about clusters:\n"
            f"{listed}\nName the columns to ignore, or those that are features."
        )


def require_rows(n_rows: int, name: str, least: int = 2) -> None:
    """Raise a DataError for too few rows."""
    if n_rows < least:
        raise DataError(f"Data set '{name}' has {plural(n_rows, 'row')}. Clusters need two or more.")


def with_own_id(frame: pd.DataFrame, columns: Columns) -> Columns:
    """Let a column called "id", or a first column that counts the rows, name them if the user names none."""
    if columns.id is not None or not len(frame):
        return columns
    free = [column for column in frame if column not in columns.named]
    own = next((column for column in free if column.lower() == "id" and frame[column].is_unique), None)
    first = frame.columns[0] if len(frame.columns) else None
    if own is None and first in free and pd.api.types.is_numeric_dtype(frame[first]):
        own = first if _counts(frame[first].to_numpy(dtype=np.float64, na_value=np.nan)) else None
    return replace(columns, id=own)


def is_complete(frame: pd.DataFrame, columns: Columns) -> bool:
    """Tell whether all columns to cluster by are numbers without gaps."""
    wanted = frame[columns.wanted(frame.columns)]
    return all(map(pd.api.types.is_numeric_dtype, wanted.dtypes)) and bool(wanted.notna().all(axis=None))


def from_frame(frame: pd.DataFrame, name: str, columns: Columns, keep_all: bool = False) -> Dataset:
    """Return a table as a data set of numbers, with gaps, and of categories.

    Parameters
    ----------
    frame : DataFrame
        The table; its columns have different names.
    name : str
        Name in messages.
    columns : Columns
        Which columns play which part.
    keep_all : bool
        Whether columns that say nothing about clusters are kept.

    Raises
    ------
    DataError
        If there are too few rows, or nothing to cluster by.
    """
    require_rows(len(frame), name, least=1 if keep_all else 2)
    y, classes = (None, []) if columns.target is None else readers.encode(frame[columns.target], name)
    ids = [] if columns.id is None else readers.sample_names(frame[columns.id], name)
    read = _read_columns(frame, columns)
    kept = [column for column in read if keep_all or not column.left_out]
    numbers = {column.name: column.values for column in kept if column.is_numeric}
    categorical = {column.name: column.values for column in kept if not column.is_numeric}
    reasons = {c.name: c.left_out for c in read if c.left_out and not keep_all}
    left_out = ", ".join(f"{column} ({why})" for column, why in reasons.items())
    if not kept:
        embed = (
            " Cluster embeddings of the text instead: docs/examples/text_embeddings.py makes them."
            if TEXT in left_out
            else ""
        )
        raise DataError(
            f"Data set '{name}' has no columns to cluster by{f': {left_out}' if left_out else ''}.{embed}"
        )
    return Dataset(
        name,
        np.column_stack([np.empty((len(frame), 0)), *numbers.values()]),
        y,
        classes,
        list(numbers),
        ids,
        categorical=categorical,
        id_column=columns.id,
        partial_labels=None if columns.labels is None else _known_labels(frame[columns.labels]),
        together=None if columns.together is None else _groups(frame[columns.together]),
        apart=None if columns.apart is None else _groups(frame[columns.apart]),
        dates=frozenset(column.name for column in read if column.note == DATES),
        naming=_naming_columns(read) if columns.id is None else {},
        left_out=reasons,
        notes=[
            *([ENCODED] if "encoding" in frame.attrs else []),
            *([] if keep_all else _notes(read, kept)),
            *([f"left out: {left_out}"] if left_out else []),
        ],
    )


def _read_columns(frame: pd.DataFrame, columns: Columns) -> list[ReadColumn]:
    wanted = columns.wanted(frame.columns)
    decimal = decimal_of(frame[wanted])
    return [read_column(frame[name], decimal, name in columns.features) for name in wanted]


def column_rows(frame: pd.DataFrame, columns: Columns, keep_all: bool) -> list[list[str]]:
    """Return name, kind, a cell, number of gaps and reason to leave out of each column of a table."""
    read = {column.name: column for column in _read_columns(frame, columns)}
    parts = {columns.id: "names of rows", columns.target: "true classes", columns.labels: "labels"}
    rows = []
    for name in frame:
        column = read.get(name) or replace(read_column(frame[name], None), left_out=None)
        kind = column.kind if name in read else parts.get(name, "nothing")
        left_out = "" if keep_all else column.left_out or ""
        rows.append([name, kind, column.example, str(column.n_missing), left_out])
    return rows


def _notes(read: Sequence[ReadColumn], kept: Sequence[ReadColumn]) -> list[str]:
    """Say what was done to read the columns, and what is strange about those that are clustered by."""
    commas, dates = ([c.name for c in read if c.note == note] for note in (COMMAS, DATES))
    notes = [f"column '{c.name}': {c.note}" for c in read if c.note not in ("", COMMAS, DATES)]
    if commas:
        named = f"column '{commas[0]}'" if len(commas) == 1 else f"{len(commas)} columns"
        notes.insert(0, f"{named}: {COMMAS}")
    if dates:
        notes.append(f"{_column_list(dates)}: {DATES}")
    notes += [
        f"column '{c.name}' rises from row to row like a number of the row: ignore it if it is one"
        for c in kept
        if c.is_numeric and c.note != DATES and _rises(c.values)
    ]
    answers = [c.name for c in kept if c.note != DATES and c.name.strip().lower() in _ANSWERS]
    if answers:
        notes.append(f"{_column_list(answers)}: clustered by: if these are true classes, name the target")
    return notes


def _rises(values: FloatArray) -> bool:
    return len(values) >= _LEAST_RISING and bool((values % 1 == 0).all() and (np.diff(values) > 0).all())


def _known_labels(column: pd.Series) -> IntArray:
    """Return the number of the class of each row, -1 where its cell is empty."""
    cells = as_strings(column)
    classes = sorted({*cells.tolist()} - {""})
    if len(classes) < 2:
        held = f"only the class '{classes[0]}'" if classes else "no labels"
        raise DataError(f"Column '{column.name}' holds {held}. Labels of two classes or more are needed.")
    return np.where(cells == "", -1, np.searchsorted(classes, cells)).astype(np.int64)


def _groups(column: pd.Series) -> IntArray:
    """Return the number of the cell of each row, -1 where it is empty."""
    cells = as_strings(column)
    return np.where(cells == "", -1, np.unique(cells, return_inverse=True)[1]).astype(np.int64)


def _naming_columns(read: Sequence[ReadColumn]) -> dict[str, list[str]]:
    """Return the columns of strings that are nearly all different."""
    return {
        column.name: column.values.tolist()
        for column in read
        if not column.is_numeric
        and len(column.values) > 2
        and len(np.unique(column.values)) >= _NEARLY_ALL * len(column.values)
    }


def _column_list(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5]) + (", ..." if len(names) > 5 else "")
    return f"column {shown}" if len(names) == 1 else f"columns {shown}"


def decimal_of(frame: pd.DataFrame) -> str | None:
    """Return what stands before the decimals in a table, as its separator or its columns tell."""
    if frame.attrs.get("has_decimal_commas"):
        return ","
    return decimals_of(frame)


def _as_numbers(column: pd.Series, decimal: str | None) -> tuple[FloatArray | None, str]:
    """Return a column as numbers, or None if it holds strings, and what had to be done or hinders it."""
    if pd.api.types.is_numeric_dtype(column) or column.isna().all():
        return column.to_numpy(dtype=np.float64, na_value=np.nan), ""
    days = _days_of(column)
    if days is not None:
        return days, DATES
    column = column.reset_index(drop=True)
    cells = column.dropna().astype(str)
    values = to_float(column)
    plain = pd.Series(values, column.index).reindex(cells.index)
    if plain.isna().any() or decimal == ",":
        written, note = _as_written(cells, decimal)
        if written.notna().sum() >= plain.notna().sum() + (decimal != ","):
            values = to_float(written.reindex(column.index))
            return _nearly_all(values, cells, written.isna(), note)
    return _nearly_all(values, cells, plain.isna(), "")


def _as_written(cells: pd.Series, decimal: str | None) -> tuple[pd.Series, str]:
    """Return numbers as a computer writes them, by the convention that more cells agree with, and say so."""
    points, commas = plain_numbers(cells, "."), plain_numbers(cells, ",")
    more = int(commas.notna().sum()) - int(points.notna().sum())
    taken = commas if more > 0 or (more == 0 and decimal == ",") else points
    changed = taken.notna() & (taken != cells.str.strip())
    if not changed.any():
        return taken, ""
    if taken is commas and cells[changed].str.fullmatch(r"\s*[-+]?\d+,\d+\s*").all():
        return taken, COMMAS
    is_open = points.notna() & commas.notna() & (points != commas)
    if more == 0 and decimal is None and is_open.any():
        first = is_open.idxmax()
        return taken, f"'{cells[first].strip()}' is read as {points[first]}, but may mean {commas[first]}"
    first = changed.idxmax()
    return taken, f"'{cells[first].strip()}' is read as {taken[first]}"


def _nearly_all(
    values: FloatArray, cells: pd.Series, strange: pd.Series, note: str
) -> tuple[FloatArray | None, str]:
    """Return numbers with gaps where few cells are something else; None where many are."""
    n_strange = int(strange.sum())
    if not n_strange:
        return values, note
    first = cells[strange].iloc[0]
    if n_strange > (1 - _NEARLY_ALL) * len(cells):
        says = f", '{first}' in row {strange.idxmax()} is not a number"
        return None, says if n_strange < len(cells) / 2 else ""
    more = f" and {n_strange - 1} more" if n_strange > 1 else ""
    return values, "; ".join(filter(None, [note, f"'{first}'{more} among numbers, taken as missing"]))


def _days_of(column: pd.Series) -> FloatArray | None:
    """Return a column of dates in days since 1970-01-01; None if it holds something else, or may.

    01/02/2024 may be a day of January or of February, so that such strings are not taken for dates.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        return _days(pd.to_datetime(column, utc=True))
    if pd.api.types.is_numeric_dtype(column):
        return None
    cells = column.dropna().astype(str).str.strip()
    cells = cells.str.replace(r"^(\d{1,2})\.(\d{1,2})\.(\d{4})$", r"\3-\2-\1", regex=True)
    if not len(cells) or not cells.str.fullmatch(_DATE).all():
        return None
    try:
        return _days(cells.astype("datetime64[us, UTC]").reindex(column.index))
    except ValueError:  # such as a thirteenth month
        return None


def _days(stamps: pd.Series) -> FloatArray:
    return ((stamps - _EPOCH).dt.total_seconds() / 86_400).to_numpy(dtype=np.float64, na_value=np.nan)


def to_float(column: pd.Series) -> FloatArray:
    """Return the numbers of a column, NaN where there is none."""
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def _useless_numbers(values: FloatArray, forced: bool) -> str | None:
    """Say why a column of numbers is of no use, or return None."""
    there = values[~np.isnan(values)]
    if not len(there):
        return "empty"
    if (there == there[0]).all():
        return "always the same"
    return "counts the rows" if _counts(values) and not forced else None


def _counts(values: FloatArray) -> bool:
    """Tell whether numbers count from 0 or 1."""
    return len(values) > 2 and values[0] in (0, 1) and bool((np.diff(values) == 1).all())


def as_strings(column: pd.Series) -> NDArray[np.str_]:
    """Return a column as strings, empty where a cell is."""
    strings = column.astype(str).str.strip().where(column.notna(), "")
    return strings.to_numpy(dtype=np.str_)


def _useless_strings(cells: NDArray[np.str_]) -> str | None:
    """Say why a column of strings is of no use, or return None."""
    values = len(np.unique(cells))
    if values == 1:
        return "always the same"
    if values > min(MAX_VALUES, len(cells) // 2):
        return f"{TEXT} {values} different values"
    return None
