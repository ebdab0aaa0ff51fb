import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.partition._closure import Closure
from cscluster.errors import ConstraintError


def broken_weight(closure, labels):
    return sum(links.cost.sum() for links in closure.broken(labels))


def test_weight_of_broken_links_is_that_of_the_expanded_closure():
    rng = np.random.default_rng(0)
    links = Constraints(
        [(0, 1), (1, 2), (4, 5), (6, 7)],
        [(2, 4), (0, 5), (5, 6), (8, 9)],
        n_samples=12,
        must_weights=[1, 3, 0.5, 1],
        cannot_weights=[2, 1, 1, 0.1],
    )
    closure, pairs = Closure.of(links), links.binding.closure() | links
    for _ in range(20):
        labels = rng.integers(0, 3, 12)
        broken = pairs.violated(labels)
        expected = broken.must_weights.sum() + broken.cannot_weights.sum()
        assert broken_weight(closure, labels[closure.points]) == pytest.approx(expected)


def test_only_the_largest_components_are_closed_where_the_authors_do_so():
    # {0, 1, 2} and {4, 5} are closed: 4 must-links and 6 cannot-links; of 6-7, 5-6 and 8-9 only what is given.
    links = Constraints(
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
    closure, rng = Closure.of(links, largest=2), np.random.default_rng(0)
    for _ in range(20):
        labels = rng.integers(0, 3, 12)
        broken = pairs.violated(labels)
        expected = broken.must_weights.sum() + broken.cannot_weights.sum()
        assert broken_weight(closure, labels[closure.points]) == pytest.approx(expected)


def test_contradictory_links_are_named_and_not_closed():
    links = Constraints([(0, 1), (1, 2), (2, 3)], [(0, 2)], n_samples=5)
    with pytest.warns(UserWarning, match="Samples 0 and 2 are cannot-linked, but must-links"):
        closure = Closure.of(links)
    assert broken_weight(closure, np.array([0, 1, 2, 3])) == 3
    assert broken_weight(closure, np.array([0, 0, 0, 0])) == 1


def test_a_closure_larger_than_memory_stays_in_component_form():
    n = 40_000
    chain = np.column_stack([np.arange(n - 2), np.arange(2, n)])
    links = Constraints(chain, [(0, 1)], n_samples=n)
    with pytest.raises(ConstraintError, match="799980000 links"):
        links.closure()
    closure = Closure.of(links)
    together = np.zeros(n, dtype=np.int64)
    assert broken_weight(closure, together) == (n // 2) ** 2
    assert broken_weight(closure, np.arange(n) % 2) == 0
