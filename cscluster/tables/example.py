"""A small table with links, to try the commands with."""

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
    """Return the content of ``flowers.csv``, ``links.csv`` and ``new.csv``, made from the iris data.

    The constraints follow from the species, which the tables do not hold.
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
    }


def _table(ids: list[str], X: NDArray[np.float64], names: list[str]) -> str:
    rows = ([name, *row] for name, row in zip(ids, X.tolist(), strict=True))
    return "".join(map(cells.line, [["id", *names], *rows]))
