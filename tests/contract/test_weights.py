"""Weights of constraints count, or are refused by name."""

import numpy as np
import pytest

from cscluster.algorithms.registry import BUILT_IN
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError
from tests.contract.forms import FEWER

LINKED = [entry for entry in BUILT_IN if "constraints" in entry.tags and entry.family != "selection"]

SMALL = {"hdbscan": {"min_cluster_size": 2}}
"""Parameters with which so few samples leave a choice."""


def problem(seed, light_first):
    """Return two overlapping classes and noisy constraints, every other of which has next to no weight."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 12)
    X = np.column_stack([2.0 * y + 0.7 * rng.normal(size=24), 1.2 * rng.normal(size=24)])
    pairs = np.array([(i, j) for i in range(24) for j in range(i)])
    pairs = pairs[rng.choice(len(pairs), 24, replace=False)]
    same = (y[pairs[:, 0]] == y[pairs[:, 1]]) ^ (rng.random(24) < 0.3)
    weights = np.where((np.arange(24) % 2 == 0) == light_first, 1e-6, 1000.0)
    links = Constraints(
        pairs[same],
        pairs[~same],
        n_samples=24,
        must_weights=weights[same],
        cannot_weights=weights[~same],
    )
    return X, links


def result(entry, X, links):
    """Return the distances of a metric learner, or the pairs of rows that a clusterer puts together."""
    model = entry.load()(**entry.params, **FEWER.get(entry.name, {}), **SMALL.get(entry.name, {}))
    if "random_state" in entry.parameters():
        model.set_params(random_state=0)
    if entry.is_metric:
        Z = model.fit(X, constraints=links).transform(X)
        return np.linalg.norm(Z[:, None] - Z, axis=2)
    labels = model.fit(X, constraints=links).labels_
    return labels[:, None] == labels


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", LINKED, ids=lambda entry: entry.name)
def test_weights_count_or_are_refused_by_name(entry):
    if not entry.load().weighs_constraints:
        with pytest.raises(ConstraintError, match=f"{entry.load().__name__}.* weigh constraints"):
            result(entry, *problem(0, True))
        return
    differs = (
        not np.allclose(*(result(entry, *problem(seed, first)) for first in (True, False)))
        for seed in range(12)
    )
    assert any(differs)
