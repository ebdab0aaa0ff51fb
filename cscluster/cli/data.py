"""``cscluster data``: look at, find and fetch data sets."""

from __future__ import annotations

from typing import Annotated

import typer

from cscluster.cli import complete

app = typer.Typer(help="Look at, find and fetch data sets.", no_args_is_help=True)

Name = Annotated[
    str,
    typer.Argument(metavar="DATA", help="Data set, openml:NAME or file.", autocompletion=complete.datasets),
]
Target = Annotated[str | None, typer.Option(help="Column of the true classes, for files.")]


@app.command()
def info(name: Name, target: Target = None) -> None:
    """Load a data set and say what is in it."""
    import numpy as np
    from scipy import sparse

    from cscluster.cli.listing import print_table
    from cscluster.data.load import load_dataset

    data = load_dataset(name, target=target)
    rows = [["samples", str(data.n_samples)], ["features", str(data.n_features)]]
    if data.y is not None:
        counts = np.bincount(data.y, minlength=data.n_classes)
        rows.append(["classes", ", ".join(f"{c} ({n})" for c, n in zip(data.classes, counts, strict=True))])
    if data.X_unseen is not None:
        rows.append(["unseen samples", str(data.X_unseen.shape[0])])
    if data.image:
        rows.append(["images", " x ".join(map(str, data.image))])
    values = data.X.data if sparse.issparse(data.X) else data.X
    rows.append(["values", f"{values.dtype}, from {values.min():g} to {values.max():g}"])
    if sparse.issparse(data.X):
        rows.append(["filled", f"{data.X.nnz / np.prod(data.X.shape):.2%} (sparse)"])
    rows.append(["checksum", data.checksum])
    typer.echo(f"data set {data.name}")
    print_table(["", ""], rows)


@app.command()
def path(name: Name) -> None:
    """Print the file of a data set."""
    from cscluster.data import index
    from cscluster.data.load import missing
    from cscluster.errors import DataError

    base = index.recipes().get(name, {}).get("base", name)
    if "generator" in index.recipes().get(name, {}):
        raise DataError(f"Data set '{name}' is generated; it has no file.")
    found = index.find_file(base)
    if found is None:
        raise DataError(missing(base, index.external().get(base, {})))
    typer.echo(str(found))


@app.command()
def fetch(name: Name) -> None:
    """Fetch a data set from OpenML, and say how to name it."""
    from cscluster.data import index, openml
    from cscluster.data.load import missing
    from cscluster.errors import DataError

    known = index.files().get(name) or index.external().get(name) or {}
    source = name.removeprefix("openml:")
    if not name.startswith("openml:"):
        if "openml" not in known:
            raise DataError(missing(name, known))
        source = str(known["openml"]["id"])
    data = openml.fetch(source, name)
    typer.echo(f"fetched {data.n_samples} x {data.n_features}; in experiments it is called openml:{source}")
