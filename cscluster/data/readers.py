"""Readers of data files; `formats` lists them.

No reader ever unpickles anything.  Tables become data frames, which `table` reads; other files become arrays.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from cscluster.cells import CP1252, read_header
from cscluster.data import formats
from cscluster.data.dataset import Dataset
from cscluster.data.formats import Format
from cscluster.data.numbers import decimals_of, plain_numbers
from cscluster.errors import DataError, did_you_mean, ended, reason

MAX_COLUMNS = 50_000
"""Of a table: each column has a type of its own, which takes time."""

MAX_FEATURES = 10_000_000
"""Of a sparse matrix: it can declare more columns than any memory holds."""


def checksum(path: Path) -> str:
    """Return the SHA-256 of a data file.

    Raises
    ------
    DataError
        If the file is missing, empty or of an unknown format.
    """
    with reader_errors(path), path.open("rb") as file:
        if not path.stat().st_size:
            raise ValueError("the file is empty")
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_arrays(path: Path, name: str, target: str | None = None, id_column: str | None = None) -> Dataset:
    """Read a file of arrays.

    Parameters
    ----------
    path : Path
        The file; its ending tells the format.
    name : str
        Name of the data set.
    target : str, optional
        Array that holds the true classes; "y" by default.
    id_column : str, optional
        Array that names the samples.

    Raises
    ------
    DataError
        If the file is damaged or without the named arrays.
    """
    with reader_errors(path) as known:
        return from_arrays(known.load()(path), name, target, id_column).check()


def read_frame(path: Path, *, id_column: str | None = None) -> pd.DataFrame:
    """Read a table as it is, with its strings and its missing values.

    `id_column`, if the table has it, is read as text.

    Raises
    ------
    DataError
        If the file is missing or damaged, or has a column twice.
    """
    with reader_errors(path) as known:
        frame = known.load()(path, id_column)
    return with_names(frame, path.stem)


def read_text(path: Path) -> pd.DataFrame:
    """Read a table with every cell as it is written; an empty cell is an empty text.

    Raises
    ------
    DataError
        If the file is missing or damaged, or has a column twice.
    """
    with reader_errors(path) as known:
        read = known.load()
        frame = separated_frame(path, None, dtype=str) if read is separated_frame else read(path, None)
    return with_names(frame.astype(object).where(frame.notna(), ""), path.stem)


@contextlib.contextmanager
def reader_errors(path: Path) -> Iterator[Format]:
    """Yield the format of a file, and turn whatever goes wrong while it is read into one sentence."""
    if not os.path.isfile(path):  # which takes any string for a path
        raise DataError(f"There is no data file '{path}'{did_you_mean(path.name, formats.beside(path))}")
    known = formats.find(path)
    if known is None:
        endings = ", ".join(formats.ENDINGS)
        raise DataError(f"Cannot read '{path.name}': the ending '{path.suffix}' is not one of {endings}.")
    try:
        yield known
    except DataError:
        raise
    except PermissionError:
        raise DataError(f"No permission to read '{path}'.") from None
    except UnicodeDecodeError:
        says = f"Cannot read '{path}' as {known.title}: it is no text in UTF-8 or Windows-1252."
        raise DataError(says) from None
    except ImportError:
        extra = f"cscluster[{known.title.lower()}]"
        raise DataError(f"Reading '{path.name}' needs more packages: pip install '{extra}'.") from None
    except Exception as error:  # the parsers meet a damaged file with errors of every kind
        raise DataError(ended(f"Cannot read '{path}' as {known.title}: {reason(error)}")) from error


def _check_width(n_columns: int) -> None:
    if n_columns > MAX_COLUMNS:
        raise DataError(
            f"The table has {n_columns:,} columns. At most {MAX_COLUMNS:,} are read: store it as an NPZ file."
        )


def with_names(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table whose columns are called by strings, each differently."""
    _check_width(frame.shape[1])
    frame.columns = frame.columns.map(str)
    if frame.columns.has_duplicates:
        twice = frame.columns[frame.columns.duplicated()][0]
        raise DataError(f"Data set '{name}' has two columns called '{twice}'.")
    return frame


def require_columns(columns: Collection[str], name: str, wanted: Iterable[str]) -> None:
    """Raise a DataError for the first wanted column that a table has not."""
    for column in wanted:
        if column not in columns:
            raise DataError(f"Data set '{name}' has no column '{column}'{did_you_mean(column, columns)}")


def sample_names(column: pd.Series, name: str) -> list[str]:
    """Return the names of the samples; each sample has one, and no two have the same."""
    names = pd.Series([str(value).strip() for value in _without_fractions(column)], dtype=object)
    missing = column.isna().to_numpy() | (names == "").to_numpy()
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise DataError(f"Column '{column.name}' of data set '{name}' has no value in row {row}.")
    if names.duplicated().any():
        twice = names[names.duplicated()].iloc[0]
        raise DataError(
            f"Column '{column.name}' of data set '{name}' holds '{twice}' more than once. "
            "It must name each sample differently."
        )
    return list(names)


def from_arrays(
    arrays: dict[str, Any], name: str, target: str | None, id_column: str | None = None
) -> Dataset:
    """Build a data set from arrays called X, y and so on."""
    if "X_data" in arrays:
        parts = (arrays["X_data"], arrays["X_indices"].astype(np.int64), arrays["X_indptr"].astype(np.int64))
        X: Any = sparse.csr_array(parts, shape=tuple(int(v) for v in arrays["X_shape"]))
        X.check_format(full_check=True)
    elif "X" in arrays:
        X = arrays["X"]
    else:
        raise DataError(f"Data set '{name}' has no array 'X' (it has {', '.join(arrays) or 'none'}).")
    if X.ndim == 2 and X.shape[1] > MAX_FEATURES:
        raise DataError(f"Data set '{name}' has {X.shape[1]:,} features. At most {MAX_FEATURES:,} are read.")
    if X.ndim != 2 or X.dtype.kind not in "buif":
        raise DataError(
            f"'X' of data set '{name}' must be a table of numbers, got {X.dtype} of shape {X.shape}."
        )
    target = target or ("y" if "y" in arrays else None)
    y, classes = None, []
    if target is not None:
        codes = _one_for_each(arrays, target, X.shape[0], name)
        named = arrays.get("classes")
        if named is not None and codes.dtype.kind in "iu" and np.isin(codes, np.arange(len(named))).all():
            y, classes = codes.astype(np.int64), [str(c) for c in named]
        else:
            y, classes = encode(pd.Series(codes), name)
    ids = []
    if id_column is not None:
        ids = sample_names(
            pd.Series(_one_for_each(arrays, id_column, X.shape[0], name), name=id_column), name
        )
    features = [str(f) for f in arrays.get("feature_names", ())]
    features = features if len(features) == X.shape[1] else []
    test = arrays.get("is_test")
    is_test = None if test is None or len(test) != X.shape[0] else np.asarray(test, dtype=bool)
    return Dataset(name, X, y, classes, features, ids, is_test=is_test)


def _one_for_each(arrays: dict[str, Any], wanted: str, n_samples: int, name: str) -> Any:
    """Return the array called `wanted`, which must have one value for each sample."""
    if wanted not in arrays:
        raise DataError(f"Data set '{name}' has no array '{wanted}'{did_you_mean(wanted, arrays)}")
    values = np.asarray(arrays[wanted]).ravel()
    if len(values) != n_samples:
        raise DataError(f"'{wanted}' of data set '{name}' has {len(values)} values for {n_samples} samples.")
    return values


def _without_fractions(column: pd.Series) -> pd.Series:
    """Return a column of integers as such, even if they are stored as fractions."""
    if column.dtype.kind == "f" and ((column % 1 == 0) & (column.abs() < 2**53)).all():
        return column.astype(np.int64)
    return column


def encode(column: pd.Series, name: str) -> tuple[Any, list[str]]:
    """Return the number of the class of each sample, and the classes' names."""
    if column.isna().any():
        row = int(np.flatnonzero(column.isna())[0])
        raise DataError(f"The target of data set '{name}' has no value in row {row}.")
    codes, values = pd.factorize(_without_fractions(column), sort=True)
    return codes.astype(np.int64), [str(v) for v in values]


def separated_frame(path: Path, id_column: str | None, dtype: type[str] | None = None) -> pd.DataFrame:
    """Read a CSV file, whose header tells the separator, or a TSV file, in UTF-8 or as Excel writes it."""
    try:
        return _separated_frame(path, id_column, dtype, "utf-8-sig")
    except UnicodeDecodeError:
        frame = _separated_frame(path, id_column, dtype, CP1252)
    frame.attrs["encoding"] = CP1252
    return frame


def _separated_frame(
    path: Path, id_column: str | None, dtype: type[str] | None, encoding: str
) -> pd.DataFrame:
    names, separator = read_header(path, encoding)
    _check_width(len(names))
    if twice := next((name for name, count in Counter(names).items() if name and count > 1), None):
        raise DataError(f"'{path}' has two columns called '{twice}'.")
    if _are_values(names):
        raise DataError(f"The first line of '{path}' holds numbers. Put the names of the columns there.")
    read = partial(pd.read_csv, path, sep=separator, encoding=encoding, index_col=False)
    try:
        with warnings.catch_warnings(action="error", category=pd.errors.ParserWarning):
            frame = read(
                dtype=dtype,
                keep_default_na=dtype is None,
                converters={} if id_column is None else {id_column: str},  # 007 is a name, not seven
            )
    except pd.errors.ParserWarning:
        raise DataError(f"'{path}' has more values in a row than the header has names.") from None
    except pd.errors.ParserError as error:
        if wrong := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error)):
            wanted, line, found = wrong.groups()
            raise DataError(f"Line {line} of '{path}' has {found} values, but the header {wanted}.") from None
        raise
    if id_column in frame and frame[id_column].isna().any():  # NA and None may be names
        frame[id_column] = read(usecols=[id_column], dtype=str, keep_default_na=False)[id_column]
    frame.attrs["has_decimal_commas"] = separator == ";"
    if separator == ";" and dtype is None:
        _restore_thousands(frame, partial(read, dtype=str))
    return frame


def _restore_thousands(frame: pd.DataFrame, read: Callable[..., pd.DataFrame]) -> None:
    """Put 1.053 back as it is written, where other columns show that points separate thousands."""
    floats = [name for name in frame if frame[name].dtype.kind == "f"]
    if not floats or decimals_of(frame) != ",":
        return
    written = read(usecols=floats)
    for name in floats:
        cells = written[name].dropna()
        if cells.str.contains(".", regex=False).any() and plain_numbers(cells, ",").notna().all():
            frame[name] = written[name]


def _are_values(names: list[str]) -> bool:
    """Tell whether a header is a line of data: fractions, or only numbers in no order."""
    numbers = [float(name) for name in names if re.fullmatch(r"\s*[+-]?\d+(\.\d*)?(e[+-]?\d+)?\s*", name)]
    fractions = any(number % 1 for number in numbers)
    return fractions or (len(numbers) == len(names) and numbers != sorted(set(numbers)))


def parquet_frame(path: Path, id_column: str | None) -> pd.DataFrame:
    """Read a Parquet file."""
    return pd.read_parquet(path)


def excel_frame(path: Path, id_column: str | None) -> pd.DataFrame:
    """Read the first sheet of an Excel file."""
    return pd.read_excel(path, engine="openpyxl", converters={} if id_column is None else {id_column: str})


def libsvm_arrays(path: Path) -> dict[str, Any]:
    """Read a LIBSVM file; one whose labels are all the same has no classes."""
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(path))
    dense = X.nnz > 0.3 * X.shape[0] * X.shape[1]
    arrays = {"X": X.toarray() if dense else sparse.csr_array(X)}
    return {**arrays, "y": y} if len(np.unique(y)) > 1 else arrays


def npz_arrays(path: Path) -> dict[str, Any]:
    """Read an archive of arrays."""
    if not zipfile.is_zipfile(path):
        raise ValueError("it is not an archive of arrays, or a damaged one")
    with np.load(path, allow_pickle=False) as archive:
        return {key: archive[key] for key in archive.files}


def npy_arrays(path: Path) -> dict[str, Any]:
    """Map one array into memory."""
    return {"X": np.load(path, allow_pickle=False, mmap_mode="r")}
