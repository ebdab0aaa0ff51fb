"""Weights of constraints count, or are refused by name."""

import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.build import build
from cscluster.algorithms.partition._closure import Closure
from cscluster.errors import ConstraintError

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(0, 1, (30, 2)), RNG.normal(12, 1, (30, 2))])
MUST = [(0, 1), (1, 2), (30, 31), (31, 32), (2, 30)]


def with_bridge(weight):
    """Return two groups of must-links inside clusters, and one of some weight between the groups."""
    return Constraints(MUST, n_samples=60, must_weights=[1, 1, 1, 1, weight])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", ["pckmeans", "mpckmeans"])
def test_a_light_constraint_is_violated_and_a_heavy_one_satisfied(name):
    light, heavy = (
        build(name, {}, 2, 0).fit(X, constraints=with_bridge(weight)).labels_ for weight in (1e-6, 1000.0)
    )
    assert light[2] != light[30]
    assert heavy[2] == heavy[30]


@pytest.mark.parametrize("name", ["cop_kmeans", "supervised_means", "rca", "dca", "itml", "lmnn"])
def test_methods_without_weights_refuse_them_by_name(name):
    with pytest.raises(ConstraintError, match="cannot weigh constraints"):
        build(name, {}, 2, 0).fit(X, constraints=with_bridge(0.5))


def test_a_light_constraint_entails_nothing():
    labels = np.array([0, 0, 0, 1, 1, 1])
    costs = [
        sum(links.cost.sum() for links in Closure.of(with_bridge(weight)).violated(labels))
        for weight in (0.5, 1.0)
    ]
    assert costs == [0.5, 9.0]  # the link alone, or all pairs of the two groups
