"""Weights of links count, or are refused by name."""

import numpy as np
import pytest

from cscluster.algorithms.registry import BUILT_IN
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError

LINKED = [entry for entry in BUILT_IN if "constraints" in entry.tags and entry.family != "selection"]


def problem(seed, light_first):
    """Return two overlapping groups and links of which a third are wrong; every other link hardly counts."""
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
    """Return what links decide: the distances of a metric learner, the pairs of rows that are together else."""
    model = entry.load()(**entry.preset)
    chosen = {"random_state": 0, "fallback": False}  # k-means would hide what links do
    model.set_params(**{name: value for name, value in chosen.items() if name in entry.parameters()})
    if entry.is_metric:
        Z = model.fit(X, links).transform(X)
        return np.linalg.norm(Z[:, None] - Z, axis=2)
    labels = model.fit(X, links).labels_
    return labels[:, None] == labels


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", LINKED, ids=lambda entry: entry.name)
def test_weights_count_or_are_refused_by_name(entry):
    if not entry.load().weighs_links:
        with pytest.raises(ConstraintError, match=f"{entry.load().__name__} cannot weigh links"):
            result(entry, *problem(0, True))
        return
    differs = (
        not np.allclose(*(result(entry, *problem(seed, first)) for first in (True, False)))
        for seed in range(6)
    )
    assert any(differs)
