"""Small digits as a person meets them, with a session over them."""

import numpy as np
import pytest

from cscluster import load_dataset
from cscluster.labelling.ensemble import Ensemble
from cscluster.labelling.items import Items
from cscluster.labelling.session import Session
from cscluster.tables.table import Table

N_DIGITS = 500


@pytest.fixture(scope="session")
def digits():
    """500 handwritten digits of ten classes."""
    data = load_dataset("optdigits_test")
    rows = np.random.default_rng(0).choice(data.n_samples, N_DIGITS, replace=False)
    data = data.take(rows)
    return Table("digits", data.X, y=data.y, classes=data.classes, image=data.image)


@pytest.fixture(scope="session")
def ensemble(digits):
    return Ensemble.fit(digits.numbers, 10)


@pytest.fixture
def session(digits, ensemble, tmp_path):
    with Session(digits, ensemble, tmp_path / "links.csv") as opened:
        yield opened


@pytest.fixture
def items(digits):
    return Items(digits, "digits", set(), digits.image)


@pytest.fixture(scope="session")
def beads():
    """Three heaps of twenty beads with names, far apart."""
    y = np.repeat(np.arange(3), 20)
    X = np.random.default_rng(1).normal(size=(60, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[y]
    return Table("beads", X, ["x", "y"], ids=[f"b{i}" for i in range(60)], id_column="name", y=y)


@pytest.fixture(scope="session")
def heaps(beads):
    return Ensemble.fit(beads.numbers, 3)
