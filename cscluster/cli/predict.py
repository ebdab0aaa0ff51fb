"""``cscluster predict``: put new rows into the clusters of a stored model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cscluster.atomic import put
from cscluster.cli import cluster_view as view
from cscluster.cli import console, options
from cscluster.models.files import load_model
from cscluster.selection.heldout import title
from cscluster.tables.outputs import check, labels_csv
from cscluster.tables.table import read_cells
from cscluster.words import plural


def predict(model: Path, data: str, id_column: str | None, out: Path | None, with_table: bool) -> None:
    """Say which cluster each new row falls into; `out` is a file, or "-" for standard output."""
    options.require_out(out, with_table)
    to_stdout = out == Path("-")
    screen = console.err if to_stdout else console.out
    if out is not None and not to_stdout:
        check([("--out", out)], [model, Path(data)])
    stored = load_model(model)
    table = stored.read_new(data, id_column)
    labels = stored.predict(table)
    screen.say(f"{model}: {title(stored.algorithm)}, {stored.n_clusters} clusters")
    screen.say(f"{data}: {plural(table.n_rows, 'row')}", *table.notes, *stored.features.unknown(table))
    view.show_sizes(screen, np.bincount(labels, minlength=stored.n_clusters))
    written = labels_csv(table, labels, read_cells(data, table) if with_table else None)
    if to_stdout:
        console.data(written)
    elif out is not None:
        put(out, written)
        screen.whole(f"labels: {out}")
