"""``cscluster data``: look at, find and fetch data sets, and clear the cache of prepared ones."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cscluster.cli.console import out
from cscluster.cli.options import DataClearOptions, DataFetchOptions, DataInfoOptions
from cscluster.data import index, openml, prepared
from cscluster.data.load import column_rows, load_dataset, missing
from cscluster.data.table import Columns
from cscluster.errors import DataError
from cscluster.words import plural, size

_LONGEST = 20


def info(options: DataInfoOptions) -> None:
    """Load a data set and say what is in it; of a table, as what each column is taken."""
    rows = column_rows(options.name, Columns(options.id_column, options.target))
    if rows:
        heads = ["column", "taken as", "example", "missing", "left out because"]
        shown = [[name, kind, example[:_LONGEST], *rest] for name, kind, example, *rest in rows]
        out.table(heads, shown, numbers=["missing"])
        out.say("")
    data = load_dataset(options.name, target=options.target, id_column=options.id_column)
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
    out.say(f"data set {data.name}")
    out.table(["", ""], rows)
    out.say(*data.notes)


def fetch(options: DataFetchOptions) -> None:
    """Fetch a data set from OpenML, and say how to name it.

    Raises
    ------
    DataError
        If it is not there.
    """
    name = options.name
    known = index.files().get(name) or index.external().get(name) or {}
    if not name.startswith("openml:") and "openml" not in known:
        raise DataError(missing(name, known))
    source = str(known["openml"]["id"]) if "openml" in known else name.removeprefix("openml:")
    data = openml.fetch(source, name)
    out.say(f"fetched {data.n_samples} x {data.n_features}, in experiments it is called openml:{source}")


def clear(options: DataClearOptions) -> None:
    """Delete the cache of prepared data, and say how much there was."""
    files, n_bytes = prepared.clear()
    out.say(f"deleted {plural(files, 'file')} of prepared data ({size(n_bytes)})")
