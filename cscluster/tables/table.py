"""The user's data: columns of numbers and of texts, the names of the rows, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from cscluster.data import formats, readers
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.errors import DataError, did_you_mean
from cscluster.words import plural

MAX_VALUES = 20
"""A text column with more different values than this says too little about groups."""

_NEARLY_ALL = 0.9
_COMMAS = "decimal commas are read as points"
_DATES = "dates, taken as days"
_DATE_FORMATS = {r"\d{4}-\d{1,2}-\d{1,2}": "ISO8601", r"\d{1,2}\.\d{1,2}\.\d{4}$": "%d.%m.%Y"}
_LEAST_RISING = 10
_ANSWERS = {"class", "classes", "target", "label", "labels", "species"}
_DECIMAL_COMMA = r"\s*[+-]?\d+(,\d+)?\s*"
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
    """

    id: str | None = None
    target: str | None = None
    features: Sequence[str] = ()
    ignore: Sequence[str] = ()
    labels: str | None = None

    @property
    def named(self) -> list[str]:
        """Return every column that the user names."""
        parts = [self.id, self.target, self.labels, *self.features, *self.ignore]
        return [column for column in parts if column is not None]


@dataclass(frozen=True)
class Table:
    """Rows as numbers and texts.

    Attributes
    ----------
    name : str
        Name in messages.
    numbers : ndarray or CSR array of shape (n, d)
        The columns of numbers, NaN where a cell is empty.
    number_names : list of str
        Their names; empty where the source has none.
    texts : dict of ndarray of shape (n,)
        The columns of texts; an empty cell is an empty text.
    ids : list of str
        Names of the rows; empty if they have only numbers.
    id_column : str, optional
        The column these are from.
    y, classes : ndarray and list of str
        The true classes, where they are known.
    image : tuple of int, optional
        Shape of a row that is a picture, so that its numbers share one scale.
    labels : ndarray of shape (n,), optional
        The classes that are known of some rows, -1 for the others.
    dates : frozenset of str
        The columns of numbers that are dates, in days since 1970-01-01.
    naming : pair of str and str, optional
        A column of texts that could name the rows, and the text that it holds twice, if any.
    notes : list of str
        What was done to the columns, in sentences.
    """

    name: str
    numbers: Any
    number_names: list[str] = field(default_factory=list)
    texts: dict[str, NDArray[np.str_]] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    id_column: str | None = None
    y: NDArray[np.int64] | None = None
    classes: list[str] = field(default_factory=list)
    image: tuple[int, ...] | None = None
    labels: NDArray[np.int64] | None = None
    dates: frozenset[str] = frozenset()
    naming: tuple[str, str | None] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.numbers.shape[0])

    @property
    def columns_of_numbers(self) -> list[str]:
        """Names of the columns of numbers, or their places where the source has none."""
        return self.number_names or places(self.numbers.shape[1])

    @property
    def is_image(self) -> bool:
        """Whether a row is a picture."""
        return self.image is not None

    def row_name(self, row: int) -> str:
        """Return the name of a row, or its number."""
        return self.ids[row] if self.ids else str(row)


def places(n_columns: int) -> list[str]:
    """Return what columns without names are called."""
    return [f"column {j}" for j in range(n_columns)]


def read_table(source: str, columns: Columns) -> Table:
    """Read data to cluster: a file, or the name of a data set.

    Raises
    ------
    DataError
        If there is no such data, no such column, or nothing to cluster by.
    """
    if formats.is_table(source):
        frame, columns = _read_frame(source, columns)
        return _from_frame(frame, Path(source).stem, columns)
    if columns.labels is not None:
        raise DataError(f"'{source}' is not a table, so that it has no column '{columns.labels}' of labels.")
    data = load_dataset(source, target=columns.target, id_column=columns.id)
    _require_rows(data.n_samples, data.name)
    return _select(_from_dataset(data, columns.id), columns)


def from_pandas(frame: pd.DataFrame, columns: Columns, name: str = "table") -> Table:
    """Return a data frame as a table; an index of names names the rows, unless a column does.

    Raises
    ------
    DataError
        If there is no such column, or nothing to cluster by.
    """
    frame = readers.with_names(frame.copy(deep=False), name)
    readers.require_columns(frame, name, columns.named)
    columns = with_own_id(frame, columns)
    table = _from_frame(frame, name, columns)
    if columns.id is None and not isinstance(frame.index, pd.RangeIndex) and frame.index.is_unique:
        table = replace(table, ids=readers.sample_names(pd.Series(frame.index, name="index"), name))
    return table


def _require_rows(n_rows: int, name: str) -> None:
    if n_rows < 2:
        raise DataError(f"Data set '{name}' has {plural(n_rows, 'row')}; clusters need two or more.")


def read_cells(source: str, table: Table) -> pd.DataFrame:
    """Return the user's own columns, those of a file as they are written there.

    Raises
    ------
    DataError
        If the data have no columns, since they are sparse.
    """
    if formats.is_table(source):
        return readers.read_text(Path(source).expanduser())
    if sparse.issparse(table.numbers):
        raise DataError(f"'{source}' is sparse, so that there are no columns to repeat.")
    frame = pd.DataFrame(table.numbers, columns=table.columns_of_numbers)
    if table.ids:
        frame.insert(0, table.id_column or "id", table.ids)
    return frame if table.y is None else frame.assign(**{"class": np.array(table.classes)[table.y]})


def read_new(
    source: str | pd.DataFrame,
    id_column: str | None,
    usual_id: str | None,
    numbers: Sequence[str],
    texts: Collection[str],
    dates: Collection[str] | None = None,
) -> Table:
    """Read new rows for a model that knows its columns by name, if they have any.

    `id_column` must be there; `usual_id` names the rows if it is.  `dates` are the columns of numbers that
    held dates, where the model knows them.

    Raises
    ------
    DataError
        If a column is missing, or one of numbers holds a text, or dates where it held none.
    """
    if isinstance(source, pd.DataFrame):
        frame, name = readers.with_names(source.copy(deep=False), "table"), "table"
    elif not formats.is_table(source):
        table = _from_dataset(load_dataset(source, id_column=id_column), id_column)
        if texts:
            raise DataError(f"'{source}' has no column '{next(iter(texts))}', which the model needs.")
        return _select(table, Columns(features=numbers)) if numbers else table
    else:
        path = Path(source).expanduser()
        frame, name = readers.read_frame(path, id_column=id_column or usual_id), path.stem
        written = readers.read_text(path) if texts else frame
        frame = frame.assign(
            **{column: written[column].where(frame[column].notna()) for column in texts if column in frame}
        )  # 01 is a text where the model has texts
    if not (numbers or texts):
        raise DataError(f"The model was made from an array without names, but '{name}' is a table.")
    readers.require_columns(frame, name, [id_column] if id_column else [])
    for column in [*numbers, *texts]:
        if column not in frame:
            hint = did_you_mean(column, frame.columns)
            raise DataError(f"'{name}' has no column '{column}', which the model needs{hint}")
    if not len(frame):
        raise DataError(f"Data set '{name}' has 0 rows.")
    named = id_column or (usual_id if usual_id in frame else None)
    commas = _commas_are_decimal(frame)
    found = {column: _strict_numbers(frame[column], commas) for column in numbers}
    for column, (values, note) in found.items():
        if dates is not None and (note == _DATES) != (column in dates) and not np.isnan(values).all():
            held, holds = ("dates", "numbers") if column in dates else ("numbers", "dates")
            raise DataError(f"Column '{column}' must hold {held}, as it did for the model; it holds {holds}.")
    notes = [
        f"column '{column}': {note}"
        for column, (_, note) in found.items()
        if note not in ("", _COMMAS, _DATES)
    ]
    if missing := sum(int(np.isnan(values).sum()) for values, _ in found.values()):
        notes.append(f"{plural(missing, 'empty cell')} filled with the medians of the model")
    return Table(
        name,
        np.column_stack([np.empty((len(frame), 0)), *(values for values, _ in found.values())]),
        list(numbers),
        {column: as_texts(frame[column]) for column in texts},
        readers.sample_names(frame[named], name) if named else [],
        named,
        notes=notes,
    )


def _read_frame(source: str, columns: Columns) -> tuple[pd.DataFrame, Columns]:
    """Return the table, and the columns with those that it names itself: 'id', an ARFF class."""
    path = Path(source).expanduser()
    frame = readers.read_frame(path, id_column=columns.id)
    readers.require_columns(frame, path.stem, columns.named)
    default = readers.default_target(path, frame)
    if columns.target is None and default != columns.labels:
        columns = replace(columns, target=default)
    own = next((name for name in frame if name.lower() == "id" and name not in columns.named), None)
    if (
        columns.id is None
        and own is not None
        and frame[own].isna().any()
        and not pd.api.types.is_numeric_dtype(frame[own])
    ):
        frame = readers.read_frame(path, id_column=own)  # NA and None may be names
    found = with_own_id(frame, columns)
    if found.id != columns.id:
        frame = readers.read_frame(path, id_column=found.id)
    return frame, found


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


def _from_dataset(data: Dataset, id_column: str | None) -> Table:
    return Table(
        data.name,
        data.X,
        data.features,
        ids=data.ids,
        id_column=id_column if data.ids else None,
        y=data.y,
        classes=data.classes,
        image=data.image,
    )


def _select(table: Table, columns: Columns) -> Table:
    """Return a table of numbers reduced to the columns that are wanted."""
    if not (columns.features or columns.ignore):
        return table
    for name in [*columns.features, *columns.ignore]:
        if name not in table.number_names:
            hint = did_you_mean(name, table.number_names)
            raise DataError(f"Data set '{table.name}' has no column '{name}'{hint}")
    wanted = columns.features or table.number_names
    kept = [name for name in wanted if name not in columns.ignore]
    places = [table.number_names.index(name) for name in kept]
    if not kept:
        raise DataError(f"Data set '{table.name}' has no columns left to cluster by.")
    return replace(table, numbers=table.numbers[:, places], number_names=kept, image=None)


def _from_frame(frame: pd.DataFrame, name: str, columns: Columns) -> Table:
    _require_rows(len(frame), name)
    y, classes = (None, []) if columns.target is None else readers.encode(frame[columns.target], name)
    ids = [] if columns.id is None else readers.sample_names(frame[columns.id], name)
    apart = {columns.id, columns.target, columns.labels, *columns.ignore}
    wanted = [c for c in (columns.features or frame.columns) if c not in apart]
    numbers: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, NDArray[np.str_]] = {}
    notes: list[str] = []
    with_commas, dates, left_out = [], [], []
    commas = _commas_are_decimal(frame)
    for column in wanted:
        found, note = _numbers(frame[column], commas)
        if note == _COMMAS:
            with_commas.append(column)
        elif note == _DATES:
            dates.append(column)
        elif note:
            notes.append(f"column '{column}': {note}")
        if found is not None:
            reason = _useless_numbers(found, forced=column in columns.features)
            if reason is None:
                numbers[column] = found
        else:
            cells = as_texts(frame[column])
            reason = _useless_texts(cells)
            if reason is None:
                texts[column] = cells
        left_out += [f"{column} ({reason})"] if reason else []
    if with_commas:
        named = f"column '{with_commas[0]}'" if len(with_commas) == 1 else f"{len(with_commas)} columns"
        notes.insert(0, f"{named}: {_COMMAS}")
    if dates:
        notes.append(f"{_column_list(dates)}: {_DATES}")
    notes += _remarks({column: numbers[column] for column in numbers if column not in dates}, texts)
    if left_out:
        notes.append(f"left out: {', '.join(left_out)}")
    if not (numbers or texts):
        more = f": {', '.join(left_out)}" if left_out else ""
        raise DataError(f"Data set '{name}' has no columns to cluster by{more}.")
    return Table(
        name,
        np.column_stack([np.empty((len(frame), 0)), *numbers.values()]),
        list(numbers),
        texts,
        ids,
        columns.id,
        y,
        classes,
        labels=None if columns.labels is None else _known_labels(frame[columns.labels]),
        dates=frozenset(dates),
        naming=None
        if columns.id is not None
        else _naming_column(frame, [c for c in wanted if c not in numbers]),
        notes=notes,
    )


def _known_labels(column: pd.Series) -> NDArray[np.int64]:
    """Return the number of the class of each row, -1 where its cell is empty."""
    cells = as_texts(column)
    classes = sorted({*cells.tolist()} - {""})
    if len(classes) < 2:
        held = f"only the class '{classes[0]}'" if classes else "no labels"
        raise DataError(f"Column '{column.name}' holds {held}; labels of two classes or more are needed.")
    return np.where(cells == "", -1, np.searchsorted(classes, cells)).astype(np.int64)


def _naming_column(frame: pd.DataFrame, names: Sequence[str]) -> tuple[str, str | None] | None:
    """Return the first column of texts that are nearly all different, and a text that it holds twice."""
    for name in names:
        if pd.api.types.is_numeric_dtype(frame[name]) or pd.api.types.is_datetime64_any_dtype(frame[name]):
            continue
        cells = pd.Series(as_texts(frame[name]))
        if len(cells) > 2 and cells.nunique() >= _NEARLY_ALL * len(cells) and _days_of(frame[name]) is None:
            twice = cells[cells.duplicated()]
            return name, str(twice.iloc[0]) if len(twice) else None
    return None


def _remarks(numbers: dict[str, NDArray[np.float64]], texts: Collection[str]) -> list[str]:
    """Return what is strange about columns that are clustered by."""
    remarks = [
        f"column '{name}' rises from row to row like a number of the row; ignore it if it is one"
        for name, values in numbers.items()
        if len(values) >= _LEAST_RISING and (values % 1 == 0).all() and (np.diff(values) > 0).all()
    ]
    answers = [name for name in (*numbers, *texts) if name.strip().lower() in _ANSWERS]
    if answers:
        remarks.append(f"{_column_list(answers)}: clustered by; if these are true classes, name the target")
    return remarks


def _column_list(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:5]) + (", ..." if len(names) > 5 else "")
    return f"column {shown}" if len(names) == 1 else f"columns {shown}"


def _commas_are_decimal(frame: pd.DataFrame) -> bool:
    """Tell whether the file of a table keeps commas for decimals: a semicolon separates its cells."""
    return bool(frame.attrs.get("has_decimal_commas"))


def _numbers(column: pd.Series, commas: bool) -> tuple[NDArray[np.float64] | None, str]:
    """Return a column as numbers, or None if it holds texts, and what had to be done for it.

    `commas`: whether a comma is sure to be a decimal one.
    """
    if pd.api.types.is_numeric_dtype(column) or column.isna().all():
        return column.to_numpy(dtype=np.float64, na_value=np.nan), ""
    days = _days_of(column)
    if days is not None:
        return days, _DATES
    cells = column.dropna().astype(str)
    if _has_decimal_commas(cells, commas):
        points = column.astype(str).where(column.notna()).str.replace(",", ".", regex=False)
        return _to_float(points), _COMMAS
    values = _to_float(column)
    strange = column.notna().to_numpy() & np.isnan(values)
    if not strange.any():
        return values, ""
    if strange.sum() > (1 - _NEARLY_ALL) * len(cells):
        return None, ""
    first = column[strange].iloc[0]
    more = f" and {strange.sum() - 1} more" if strange.sum() > 1 else ""
    return values, f"'{first}'{more} among numbers, taken as missing"


def _days_of(column: pd.Series) -> NDArray[np.float64] | None:
    """Return a column of dates in days since 1970-01-01; None if it holds something else, or may.

    01/02/2024 may be a day of January or of February, so that such texts are not taken for dates.
    """
    if pd.api.types.is_datetime64_any_dtype(column):
        return _days(pd.to_datetime(column, utc=True))
    if pd.api.types.is_numeric_dtype(column):
        return None
    cells = column.dropna().astype(str).str.strip()
    for shape, written in _DATE_FORMATS.items():
        if len(cells) and cells.str.match(shape).all():
            stamps = pd.to_datetime(cells, format=written, errors="coerce", utc=True)
            return _days(stamps.reindex(column.index)) if stamps.notna().all() else None
    return None


def _days(stamps: pd.Series) -> NDArray[np.float64]:
    return ((stamps - _EPOCH) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64, na_value=np.nan)


def _to_float(column: pd.Series) -> NDArray[np.float64]:
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)


def _has_decimal_commas(cells: pd.Series, commas: bool) -> bool:
    """Tell whether all cells are numbers with a comma; 1,234 alone may else mean thousands."""
    if not cells.str.fullmatch(_DECIMAL_COMMA).all():
        return False
    if commas:
        return True
    decimals = cells.str.extract(r",(\d+)\s*$", expand=False).dropna().str.len()
    return bool((decimals != 3).any())


def _strict_numbers(column: pd.Series, commas: bool) -> tuple[NDArray[np.float64], str]:
    """Return a column that must hold numbers, and what had to be done for it."""
    values, note = _numbers(column, commas)
    if values is None:
        row = int(np.flatnonzero(np.isnan(_to_float(column)) & column.notna())[0])
        raise DataError(
            f"Column '{column.name}' must hold numbers, as it did for the model; row {row} holds "
            f"'{column.iloc[row]}'."
        )
    return values, note


def _useless_numbers(values: NDArray[np.float64], forced: bool) -> str | None:
    """Say why a column of numbers is of no use, or return None."""
    there = values[~np.isnan(values)]
    if not len(there):
        return "empty"
    if (there == there[0]).all():
        return "always the same"
    return "counts the rows" if _counts(values) and not forced else None


def _counts(values: NDArray[np.float64]) -> bool:
    """Tell whether numbers count from 0 or 1."""
    return len(values) > 2 and values[0] in (0, 1) and bool((np.diff(values) == 1).all())


def as_texts(column: pd.Series) -> NDArray[np.str_]:
    """Return a column as texts, empty where a cell is."""
    texts = column.astype(str).str.strip().where(column.notna(), "")
    return texts.to_numpy(dtype=np.str_)


def _useless_texts(cells: NDArray[np.str_]) -> str | None:
    """Say why a column of texts is of no use, or return None."""
    values = len(np.unique(cells))
    if values == 1:
        return "always the same"
    if values > min(MAX_VALUES, len(cells) // 2):
        return f"text with {values} different values"
    return None
