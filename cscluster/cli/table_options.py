"""What every command that reads a user's own table asks for in the same words."""

from __future__ import annotations

from typing import Annotated

import typer

from cscluster.cli import complete

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, Parquet, ARFF, LIBSVM, NPZ, NPY or MAT file, or a data set by name.",
        autocompletion=complete.data,
    ),
]
IdColumn = Annotated[
    str | None, typer.Option("--id", metavar="COLUMN", help="Names the rows; links then use the names.")
]
