"""``cscluster predict``: put new rows into the clusters of a stored model."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from cscluster.cli import cluster_view as view
from cscluster.cli import console
from cscluster.cli.options import PredictOptions
from cscluster.models.files import load_model
from cscluster.tables.outputs import STDOUT, check, labels_csv
from cscluster.tables.table import read_cells
from cscluster.words import plural


def predict(options: PredictOptions) -> None:
    """Say which cluster each new row falls into."""
    model, data, out = options.model, options.data, options.out
    screen = console.err if out == STDOUT else console.out
    check([("--out", out)], [model, Path(data)])
    stored = load_model(model)
    table = stored.read_new(data, options.id_column)
    labels, confidence = stored.assign(table)
    screen.say(f"{model}: {stored.algorithm}, {stored.n_clusters} clusters")
    screen.say(f"{data}: {plural(table.n_samples, 'row')}", *table.notes, *stored.features.unknown(table))
    view.show_sizes(screen, np.bincount(labels, minlength=stored.n_clusters), stored.names)
    if out is not None:
        frame = read_cells(data) if options.with_table else None
        parts = [labels_csv(table, labels, frame, confidence=confidence, names=stored.names)]
        view.write_labels(screen, out, parts)
