"""The one list of data file formats: name, endings and reader; nothing numeric is imported here."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Format:
    """A kind of data file.

    Attributes
    ----------
    title : str
        Name in messages and help.
    endings : tuple of str
        Endings of its files.
    reader : str
        ``module:function``.  Of a table it takes the path and the column of names, or None, and
        returns a data frame; otherwise it takes the path and returns a dict of arrays.
    is_table : bool
        Whether the file has rows of named columns, which may hold strings and empty cells.
    """

    title: str
    endings: tuple[str, ...]
    reader: str
    is_table: bool = False

    def load(self) -> Callable[..., Any]:
        """Return the reader."""
        module, _, function = self.reader.partition(":")
        return getattr(importlib.import_module(module), function)


FORMATS = (
    Format("NPZ", (".npz",), "cscluster.data.readers:npz_arrays"),
    Format("NPY", (".npy",), "cscluster.data.readers:npy_arrays"),
    Format("MAT", (".mat",), "cscluster.data.mat:read_arrays"),
    Format("Parquet", (".parquet",), "cscluster.data.readers:parquet_frame", is_table=True),
    Format("CSV", (".csv", ".csv.gz"), "cscluster.data.readers:separated_frame", is_table=True),
    Format("TSV", (".tsv", ".tsv.gz"), "cscluster.data.readers:separated_frame", is_table=True),
    Format("Excel", (".xlsx",), "cscluster.data.readers:excel_frame", is_table=True),
    Format("ARFF", (".arff",), "cscluster.data.arff:read_arff", is_table=True),
    Format("LIBSVM", (".libsvm", ".svm"), "cscluster.data.readers:libsvm_arrays"),
)
"""In the order in which a data set is looked for in several formats."""

ENDINGS = tuple(ending for known in FORMATS for ending in known.endings)


def find(path: Path | str) -> Format | None:
    """Return the format that the ending of a path tells, if any."""
    name = Path(path).name.lower()
    return next((known for known in FORMATS if name.endswith(known.endings)), None)


def beside(path: Path | str) -> list[str]:
    """Return the names of the data files in the directory of a path."""
    try:
        return sorted(each.name for each in Path(path).parent.iterdir() if find(each))
    except (OSError, ValueError):
        return []


def is_table(path: Path | str) -> bool:
    """Tell whether a path is that of a table."""
    found = find(path)
    return found is not None and found.is_table


def titles() -> str:
    """Return the names of all formats as a phrase: ``NPZ, NPY, ... or LIBSVM``."""
    names = [known.title for known in FORMATS]
    return f"{', '.join(names[:-1])} or {names[-1]}"
