"""A small table with constraints, to try the commands with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cscluster import cells
from cscluster.constraints import Constraints
from cscluster.constraints.files import links_csv
from cscluster.constraints.sampling import random_pairs
from cscluster.data.load import load_dataset

N_NEW = 20
N_LINKS = 30


def example_files() -> dict[str, str]:
    """Return a table, constraints, new rows and the table with its classes, made from the iris data.

    The constraints follow from the species, which only the last table, ``species.csv``, holds.
    """
    data = load_dataset("iris")
    order = np.random.default_rng(0).permutation(data.n_samples)
    X, y = np.round(data.X[order].astype(np.float64), 1), data.labels[order]
    ids = [f"f{number:03d}" for number in range(len(X))]
    names = [name.removesuffix(" (cm)").replace(" ", "_") for name in data.features]
    known = len(X) - N_NEW
    pairs = random_pairs(known, N_LINKS, np.random.default_rng(3))
    return {
        "flowers.csv": _table(ids[:known], X[:known], names),
        "links.csv": links_csv(Constraints.from_labels(pairs, y[:known]), ids),
        "new.csv": _table(ids[known:], X[known:], names),
        "species.csv": _table(ids, X, names, species=[data.classes[k] for k in y]),
    }


def _table(ids: list[str], X: NDArray[np.float64], names: list[str], **more: list[str]) -> str:
    rows = ([name, *row, *last] for name, row, *last in zip(ids, X.tolist(), *more.values(), strict=True))
    return "".join(map(cells.line, [["id", *names, *more], *rows]))
