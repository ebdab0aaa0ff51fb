"""``cscluster predict``: put new rows into the clusters of a stored model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="Model file of 'cscluster cluster --model'.")
    ],
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="New rows, with the columns of the model in any order.")
    ],
    id_column: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="Names the rows; by default as for the model."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the clusters as CSV; - is standard output.")
    ] = None,
) -> None:
    """Put new rows into the clusters of a stored model."""
    import numpy as np
    from rich.console import Console

    from cscluster.cli import cluster_view as view
    from cscluster.models.files import read
    from cscluster.selection.heldout import title
    from cscluster.tables import outputs as files
    from cscluster.tables.table import read_new
    from cscluster.words import plural

    to_stdout = out == Path("-")
    screen = Console(stderr=to_stdout)
    if out is not None and not to_stdout:
        files.check([("--out", out)], [model, Path(data)])
    found = read(model)
    features = found.features
    table = read_new(data, id_column, found.id_column, features.names, list(features.values))
    labels = found.predict(table)
    lines = [f"{model}: {title(found.algorithm)}, {found.n_clusters} clusters"]
    lines += [f"{data}: {plural(table.n_rows, 'row')}", *table.notes, *features.unknown(table)]
    view.say(screen, *lines)
    view.show_sizes(screen, np.bincount(labels, minlength=found.n_clusters))
    if to_stdout:
        sys.stdout.write(files.labels_csv(table, labels))
    elif out is not None:
        files.put(out, files.labels_csv(table, labels).encode())
        view.say(screen, f"labels: {out}")
