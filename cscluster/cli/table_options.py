"""What every command that reads a user's own table asks for in the same words."""

from __future__ import annotations

from typing import Annotated

import typer

from cscluster.cli import complete
from cscluster.data import formats

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help=f"{formats.titles()} file, or a data set by name.",
        autocompletion=complete.data,
    ),
]
IdColumn = Annotated[
    str | None, typer.Option("--id", metavar="COLUMN", help="Names the rows; links then use the names.")
]
