"""Samples and constraints on which a choice can be foretold."""

import numpy as np

from cscluster import Constraints
from cscluster.constraints.sampling import random_pairs

Y = np.repeat([0, 1, 2], 30)


def rows(seed=0):
    """Return three classes along the second feature, and a first feature of large scale without information."""
    rng = np.random.default_rng(seed)
    return np.column_stack([6 * rng.normal(size=90), 4 * Y + rng.normal(size=90)])


def constraints(number, seed=0, y=Y):
    """Return random constraints."""
    return Constraints.from_labels(random_pairs(len(y), number, np.random.default_rng(seed)), y)
