"""Small digits as a person meets them, with a session over them."""

import numpy as np
import pytest

from cscluster import load_dataset
from cscluster.data.dataset import Dataset
from cscluster.labelling.clusters import AnswerClusterer
from cscluster.labelling.items import Items, Pictures
from cscluster.labelling.session import Session

N_DIGITS = 200


@pytest.fixture(scope="session")
def digits():
    """200 handwritten digits of ten classes."""
    data = load_dataset("optdigits_test")
    rows = np.random.default_rng(0).choice(data.n_samples, N_DIGITS, replace=False)
    data = data.take(rows)
    return Dataset("digits", data.X, y=data.y, classes=data.classes, image=data.image)


@pytest.fixture
def session(digits, tmp_path):
    with Session(AnswerClusterer(digits, digits.X, 10, "pckmeans"), tmp_path / "links.csv") as opened:
        yield opened


@pytest.fixture
def items(digits):
    return Items(digits, "digits", set(), Pictures(digits.X, digits.image))


@pytest.fixture(scope="session")
def beads():
    """Three heaps of twenty beads with names, far apart."""
    y = np.repeat(np.arange(3), 20)
    X = np.random.default_rng(1).normal(size=(60, 2)) + np.array([[0, 0], [9, 0], [0, 9]])[y]
    return Dataset("beads", X, features=["x", "y"], ids=[f"b{i}" for i in range(60)], id_column="name", y=y)


@pytest.fixture
def heaps(beads):
    return AnswerClusterer(beads, beads.X, 3, "pckmeans")
