"""A small table with constraints, to try the commands with."""

from __future__ import annotations

import numpy as np
import pandas as pd

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
    table = pd.DataFrame(X, pd.Index(ids, name="id"), names)
    known = len(X) - N_NEW
    pairs = random_pairs(known, N_LINKS, np.random.default_rng(3))
    return {
        "flowers.csv": table[:known].to_csv(),
        "links.csv": links_csv(Constraints.from_labels(pairs, y[:known]), ids),
        "new.csv": table[known:].to_csv(),
        "species.csv": table.assign(species=np.array(data.classes)[y]).to_csv(),
    }
