"""From a name, a file or a recipe to a data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from cscluster import seeds
from cscluster.data import formats, index, openml, readers, recipe, synthetic, table
from cscluster.data.dataset import Dataset
from cscluster.data.features import encoded
from cscluster.data.recipe import Recipe
from cscluster.data.table import Columns
from cscluster.errors import DataError, did_you_mean


def load_dataset(
    source: str | Path | Recipe,
    *,
    name: str | None = None,
    target: str | None = None,
    id_column: str | None = None,
    features: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Dataset:
    """Load a data set.

    A table of numbers without gaps is taken as it is.  In any other table columns are numbers, dates or
    categories, as in ``cscluster cluster``: gaps are filled with medians, and a category becomes a column of
    zeros and ones for each of its values.

    Parameters
    ----------
    source : str, Path or Recipe
        A name from ``cscluster list datasets``, ``openml:NAME``, the path of a data file, or a
        recipe that selects from one of these.
    name : str, optional
        Name in tables, taken from the source by default.
    target, id_column : str, optional
        For files: the columns of the true classes and of the samples' names.
    features, ignore : sequence of str
        The only columns to cluster by, and columns to leave out.

    Examples
    --------
    >>> from cscluster import load_dataset
    >>> data = load_dataset("letterIJL")
    >>> data.X.shape, data.classes, data.X_unseen.shape
    ((227, 16), ['I', 'J', 'L'], (2036, 16))
    """
    if isinstance(source, Recipe):
        return _from_recipe(source, name or "recipe")
    return _read(str(source), Columns(id_column, target, features, ignore), name, _complete_table)


def outline(wanted: Recipe, name: str) -> Dataset:
    """Return a data set as a plan needs it: pictures that are made of others have their targets only.

    Parameters
    ----------
    wanted : Recipe
        What to load.
    name : str
        Name in tables.
    """
    data = _from_recipe(wanted.model_copy(update={"enlarge": None}), name)
    return data if wanted.enlarge is None else recipe.enlarged_outline(data, wanted.enlarge)


def read_table(source: str, columns: Columns) -> Dataset:
    """Read data to cluster, a file or the name of a data set, with gaps and categories.

    Parameters
    ----------
    source : str
        Path or name.
    columns : Columns
        Which columns play which part.

    Raises
    ------
    DataError
        If there is no such data, no such column, or nothing to cluster by.
    """
    data = _read(source, columns, None, _read_table)
    table.require_rows(data.n_samples, data.name)
    table.require_most(data)
    return data


def _read(
    source: str, columns: Columns, name: str | None, read: Callable[[Path, str, Columns], Dataset]
) -> Dataset:
    """Read a data set; `read` reads a table."""
    if source in index.recipes():
        return _select(_from_recipe(Recipe(**index.recipes()[source]), name or source), columns)
    if source.startswith("openml:"):
        return _select(openml.fetch(source.removeprefix("openml:"), name or source), columns)
    known = index.files().get(source) or index.external().get(source) or {}
    file = index.find_file(source)
    path = Path(source).expanduser()
    if file is None and (formats.find(path) or os.path.isfile(path)):
        file = path
    if file is None:
        raise DataError(missing(source, known))
    checksum = readers.checksum(file)
    if known.get("sha256", checksum) != checksum:
        raise DataError(
            f"The bundled file of '{source}' is damaged: its checksum is not the one in index.yaml."
        )
    if formats.is_table(file):
        data = read(file, name or path.stem, columns)
    else:
        data = _select(readers.read_arrays(file, name or path.stem, columns.target, columns.id), columns)
    return replace(data, checksum=checksum, image=tuple(known["image"]) if "image" in known else None)


def _complete_table(path: Path, name: str, columns: Columns) -> Dataset:
    """Read a table and fill its gaps; one of numbers without gaps keeps all its columns."""
    return encoded(_read_table(path, name, columns, keep_all=True)).check()


def _read_table(path: Path, name: str, columns: Columns, keep_all: bool = False) -> Dataset:
    """Read a table; the columns 'id' and the class of an ARFF file play their part unnamed."""
    frame, found = _frame(path, name, columns, keep_all)
    return table.from_frame(frame, name, found, keep_all and table.is_complete(frame, found))


def _frame(path: Path, name: str, columns: Columns, keep_all: bool) -> tuple[pd.DataFrame, Columns]:
    """Read a table, and find out which of its columns play which part."""
    frame = readers.read_frame(path, id_column=columns.id)
    readers.require_columns(frame.columns, name, columns.named)
    default = frame.attrs.get("target")
    if columns.target is None and default != columns.labels:
        columns = replace(columns, target=default)
    if keep_all and table.is_complete(frame, columns):
        return frame, columns
    own = next((column for column in frame if column.lower() == "id" and column not in columns.named), None)
    may_name = columns.id is None and own is not None and not pd.api.types.is_numeric_dtype(frame[own])
    if may_name and frame[own].isna().any():
        frame = readers.read_frame(path, id_column=own)  # NA and None may be names
    found = table.with_own_id(frame, columns)
    if found.id != columns.id:
        frame = readers.read_frame(path, id_column=found.id)
    return frame, found


def column_rows(source: str, columns: Columns) -> list[list[str]]:
    """Say as what each column of a table is taken (see `table.column_rows`); other data have no such columns.

    Parameters
    ----------
    source : str
        Path or name.
    columns : Columns
        Which columns play which part.

    Raises
    ------
    DataError
        If the table cannot be read.
    """
    path = index.find_file(source) or Path(source).expanduser()
    if not formats.is_table(path):
        return []
    frame, found = _frame(path, path.stem, columns, keep_all=True)
    return table.column_rows(frame, found, table.is_complete(frame, found))


def _select(data: Dataset, columns: Columns) -> Dataset:
    """Return a data set of numbers reduced to the columns that are wanted."""
    if column := columns.labels or columns.together or columns.apart:
        raise DataError(f"'{data.name}' is not a table, so that it has no column '{column}'.")
    data = replace(data, id_column=columns.id if data.ids else None)
    if not (columns.features or columns.ignore):
        return data
    readers.require_columns(data.features, data.name, [*columns.features, *columns.ignore])
    names = replace(columns, id=None, target=None).wanted(data.features)
    if not names:
        raise DataError(f"Data set '{data.name}' has no columns left to cluster by.")
    return data.with_columns([data.features.index(name) for name in names])


def missing(name: str, known: dict[str, Any]) -> str:
    """Say why a data set is not there and what would bring it.

    Parameters
    ----------
    name : str
        What was asked for.
    known : dict
        Its entry in the index; empty if it has none.
    """
    if not known:
        return f"There is no data set '{name}'{did_you_mean(name, [*formats.beside(name), *index.names()])}"
    where = f"put {known.get('file', name)}.npz into the directory that CSCLUSTER_DATA names"
    if "openml" in known:
        where += f", or run 'cscluster data fetch {name}' and call it openml:{known['openml']['id']}"
    return f"Data set '{name}' is not bundled: {where}."


def _from_recipe(wanted: Recipe, name: str) -> Dataset:
    if wanted.generator is not None:
        rng = seeds.generator(wanted.seed, "generate", wanted.generator)
        made = synthetic.generate(wanted.generator, wanted.size or 400, rng)
        return recipe.apply(wanted.model_copy(update={"size": None}), made, name).check()
    assert wanted.base is not None
    base = load_dataset(
        wanted.base,
        target=wanted.target,
        id_column=wanted.id,
        features=wanted.features or (),
        ignore=wanted.ignore or (),
    )
    if wanted.id is not None and not base.ids:
        raise DataError(f"'{wanted.base}' has no column '{wanted.id}' that names the samples.")
    return recipe.apply(wanted, base, name).check()
