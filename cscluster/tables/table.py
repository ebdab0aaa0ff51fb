"""A user's own rows: as they are written, and new ones for a model."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cscluster.constraints.files import linked_names
from cscluster.data import formats, readers
from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.data.load import load_dataset
from cscluster.data.table import (
    COMMAS,
    DATES,
    Columns,
    ReadColumn,
    as_strings,
    decimal_of,
    read_column,
    require_rows,
    to_float,
)
from cscluster.errors import ConstraintError, DataError
from cscluster.words import integer, plural


def read_cells(source: str) -> pd.DataFrame:
    """Return the columns of a table as they are written in its file.

    Raises
    ------
    DataError
        If it is not the file of a table.
    """
    if not formats.is_table(source):
        raise DataError(f"'{source}' is not the file of a table, whose columns could be repeated.")
    return readers.read_text(Path(source).expanduser())


def read_named(read: Callable[[Columns], Dataset], columns: Columns, links: Any) -> Dataset:
    """Read a table; where constraints name values of a column, it names the rows.

    Parameters
    ----------
    read : callable
        Reads the table.
    columns : Columns
        Which columns play which part.
    links : path, list of tuples, data frame, ...
        The constraints; see `as_links`.

    Raises
    ------
    ConstraintError
        If the constraints name values of more than one column.
    """
    table = read(columns)
    named = [] if table.ids else _named_columns(table, linked_names(links))
    if not named:
        return table
    if len(named) > 1:
        listed = " and ".join(f"'{column}'" for column in named)
        raise ConstraintError(f"The constraints name values of columns {listed}. Say which one is the id.")
    table = read(replace(columns, id=named[0]))
    note = f"column '{named[0]}' names the rows, since the constraints name its values"
    return replace(table, notes=[note, *table.notes])


def _named_columns(table: Dataset, names: set[str]) -> list[str]:
    """Return the columns that hold most of some names that are no row indices."""
    if all((row := integer(name)) is not None and row < table.n_samples for name in names):
        return []
    values = dict(table.naming)
    if table.features and not sparse.issparse(table.X):
        for name, column in zip(table.features, table.X.T, strict=True):
            if (column % 1 == 0).all() and len(np.unique(column)) == len(column):
                values[name] = [str(int(value)) for value in column]
    held = {column: len(names.intersection(cells)) for column, cells in values.items()}
    most = max(held.values(), default=0)
    return [column for column, count in held.items() if count == most > len(names) / 2]


def read_new(
    source: str | pd.DataFrame, features: Features, id_column: str | None, usual_id: str | None
) -> Dataset:
    """Read new rows for a model that knows its columns by name, if they have any.

    `id_column` must be there; `usual_id` names the rows if it is.

    Raises
    ------
    DataError
        If a column is missing, or one of numbers holds a string, or dates where it held none.
    """
    numbers, categorical = features.names, list(features.values)
    if isinstance(source, pd.DataFrame):
        frame, name = readers.with_names(source.copy(deep=False), "table"), "table"
    elif not formats.is_table(source):
        if categorical:
            raise DataError(f"'{source}' has no column '{categorical[0]}', which the model needs.")
        return load_dataset(source, id_column=id_column, features=numbers)
    else:
        path = Path(source).expanduser()
        frame, name = readers.read_frame(path, id_column=id_column or usual_id), path.stem
        for column in frame.columns.intersection(categorical):  # 01 is a string where the model has strings
            frame[column] = readers.read_text(path)[column].where(frame[column].notna())
    if not (numbers or categorical):
        raise DataError(f"The model was made from an array without names, but '{name}' is a table.")
    needed = [*([id_column] if id_column else []), *numbers, *categorical]
    readers.require_columns(frame.columns, name, needed)
    require_rows(len(frame), name, least=1)
    named = id_column or (usual_id if usual_id in frame else None)
    decimal = decimal_of(frame[numbers])
    read = [read_column(frame[column], decimal) for column in numbers]
    for one in read:
        _require_numbers(one, frame[one.name], features.dates)
    notes = [f"column '{c.name}': {c.note}" for c in read if c.note not in ("", COMMAS, DATES)]
    if missing := sum(column.n_missing for column in read):
        notes.append(f"{plural(missing, 'empty cell')} filled with the medians of the model")
    return Dataset(
        name,
        np.column_stack([np.empty((len(frame), 0)), *(column.values for column in read)]),
        features=numbers,
        ids=readers.sample_names(frame[named], name) if named else [],
        categorical={column: as_strings(frame[column]) for column in categorical},
        id_column=named,
        notes=notes,
    )


def _require_numbers(column: ReadColumn, cells: pd.Series, dates: Collection[str]) -> None:
    """Raise a DataError for a column that does not hold numbers, or dates, as it did for the model."""
    must = f"Column '{column.name}' must hold"
    if not column.is_numeric:
        row = int(np.flatnonzero(np.isnan(to_float(cells)) & cells.notna())[0])
        raise DataError(f"{must} numbers, as it did for the model. Row {row} holds '{cells.iloc[row]}'.")
    is_date = column.name in dates
    if (column.note == DATES) != is_date and not np.isnan(column.values).all():
        held, holds = ("dates", "numbers") if is_date else ("numbers", "dates")
        raise DataError(f"{must} {held}, as it did for the model. It holds {holds}.")
