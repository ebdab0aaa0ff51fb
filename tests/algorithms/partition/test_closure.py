from types import SimpleNamespace

import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.partition._closure import Closure
from cscluster.errors import DataError


def violated_weight(closure, labels):
    return sum(constraints.cost.sum() for constraints in closure.violated(labels))


def test_weight_of_violated_constraints_is_that_of_the_expanded_closure():
    rng = np.random.default_rng(0)
    constraints = Constraints(
        [(0, 1), (1, 2), (4, 5), (6, 7)],
        [(2, 4), (0, 5), (5, 6), (8, 9)],
        n_samples=12,
        must_weights=[1, 3, 0.5, 1],
        cannot_weights=[2, 1, 1, 0.1],
    )
    closure, pairs = Closure.of(constraints), constraints.binding.closure() | constraints
    for _ in range(20):
        labels = rng.integers(0, 3, 12)
        violated = pairs.violated(labels)
        expected = violated.must_weights.sum() + violated.cannot_weights.sum()
        assert violated_weight(closure, labels[closure.points]) == pytest.approx(expected)


def test_only_the_largest_components_are_closed_where_the_authors_do_so():
    # {0, 1, 2} and {4, 5} are closed: 4 must-constraints and 6 cannot-constraints; of 6-7, 5-6 and 8-9 only what is given.
    constraints = Constraints(
        [(0, 1), (1, 2), (4, 5), (6, 7)],
        [(2, 4), (5, 6), (8, 9)],
        n_samples=12,
        must_weights=[1, 3, 1.5, 1],
        cannot_weights=[2, 1, 0.1],
    )
    pairs = Constraints(
        [(0, 1), (1, 2), (0, 2), (4, 5), (6, 7)],
        [(2, 4), (0, 4), (1, 4), (0, 5), (1, 5), (2, 5), (5, 6), (8, 9)],
        n_samples=12,
        must_weights=[1, 3, 1, 1.5, 1],
        cannot_weights=[2, 1, 1, 1, 1, 1, 1, 0.1],
    )
    closure, rng = Closure.of(constraints, largest=2), np.random.default_rng(0)
    for _ in range(20):
        labels = rng.integers(0, 3, 12)
        violated = pairs.violated(labels)
        expected = violated.must_weights.sum() + violated.cannot_weights.sum()
        assert violated_weight(closure, labels[closure.points]) == pytest.approx(expected)


def test_contradictory_constraints_are_named_and_not_closed():
    constraints = Constraints([(0, 1), (1, 2), (2, 3)], [(0, 2)], n_samples=5)
    with pytest.warns(UserWarning, match="Samples 0 and 2"):
        closure = Closure.of(constraints)
    assert violated_weight(closure, np.array([0, 1, 2, 3])) == 3
    assert violated_weight(closure, np.array([0, 0, 0, 0])) == 1


def test_a_closure_larger_than_memory_stays_in_component_form(monkeypatch):
    n = 40_000
    chain = np.column_stack([np.arange(n - 2), np.arange(2, n)])
    constraints = Constraints(chain, [(0, 1)], n_samples=n)
    monkeypatch.setattr("cscluster.arrays.psutil.virtual_memory", lambda: SimpleNamespace(available=2**30))
    with pytest.raises(DataError, match=r"closure.*799980000"):
        constraints.closure()
    closure = Closure.of(constraints)
    together = np.zeros(n, dtype=np.int64)
    assert violated_weight(closure, together) == (n // 2) ** 2
    assert violated_weight(closure, np.arange(n) % 2) == 0
