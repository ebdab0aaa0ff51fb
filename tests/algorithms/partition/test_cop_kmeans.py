from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import Constraints, COPKMeans, KMeans, load_dataset
from cscluster.algorithms.partition.cop_kmeans import colour
from cscluster.errors import ConstraintError, DataError, InfeasibleError
from cscluster.metrics.scores import satisfied
from tests.algorithms.samples import with_random_pairs


@pytest.mark.parametrize("name", ["iris", "wine", "letterIJL", "pendigit389"])
@pytest.mark.parametrize("count", [50, 300])
def test_satisfies_every_constraint_and_the_objective_falls(name, count):
    X, _, constraints = with_random_pairs(name, count)
    model = COPKMeans(n_clusters=3, random_state=0).fit(X, constraints=constraints)
    assert satisfied(constraints, model.labels_) == 1
    assert (np.diff(model.objective_) < 0).all()
    spread = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.objective_[-1] == pytest.approx(spread)


def test_against_all_partitions_of_a_tiny_case():
    # Both the order of components and the iterations are greedy, so the best is not always found.
    rng = np.random.default_rng(0)
    constraints = Constraints([(0, 1)], [(1, 2), (2, 3), (3, 0)], n_samples=7)
    every = [np.array(labels) for labels in product(range(3), repeat=7) if len(set(labels)) == 3]
    feasible = [labels for labels in every if satisfied(constraints, labels) == 1]
    n_best = 0
    for _ in range(10):
        X = rng.normal(size=(7, 2))
        best = min(sum((y == h).sum() * X[y == h].var(axis=0).sum() for h in range(3)) for y in feasible)
        found = (
            COPKMeans(n_clusters=3, n_init=30, random_state=0).fit(X, constraints=constraints).objective_[-1]
        )
        assert found >= best - 1e-9
        n_best += found <= best + 1e-9
    assert n_best >= 7


def test_without_constraints_it_is_kmeans():
    X = load_dataset("iris").X
    ours, theirs = COPKMeans(n_clusters=3, random_state=0).fit(X), KMeans(n_clusters=3, random_state=0).fit(X)
    assert ours.objective_[-1] == pytest.approx(theirs.objective_[-1], rel=1e-3)
    assert np.array_equal(ours.predict(X), ours.labels_)


def test_infeasible_constraints():
    X = np.arange(8.0).reshape(4, 2)
    triangle = Constraints([], [(0, 1), (1, 2), (0, 2)], n_samples=4)
    with pytest.raises(InfeasibleError, match=r"\b10 starts.*\b2 clusters"):
        COPKMeans(n_clusters=2, random_state=0).fit(X, constraints=triangle)
    with pytest.raises(InfeasibleError, match=r"\b1 component.*\b2 clusters"):
        COPKMeans(n_clusters=2).fit(X, constraints=Constraints([(0, 1), (1, 2), (2, 3)], n_samples=4))
    with pytest.raises(ConstraintError, match="Samples 0 and 2"):
        COPKMeans(n_clusters=2).fit(X, constraints=Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=4))


def test_the_order_finds_a_partition_where_the_order_of_samples_fails():
    # A ring of six: in the order 0, 3, 1, ... the samples 0 and 3 would take the same cluster.
    X = np.array([[0.0], [9.0], [1.0], [0.1], [9.1], [8.0]])
    ring = Constraints([], [(i, (i + 1) % 6) for i in range(6)], n_samples=6)
    labels = COPKMeans(n_clusters=2, n_init=1, random_state=0).fit(X, constraints=ring).labels_
    assert satisfied(ring, labels) == 1


def test_more_clusters_than_distinct_samples():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    with pytest.raises(DataError, match=r"3 clusters .* 2 samples"):
        COPKMeans(n_clusters=3, random_state=0).fit(X)


def test_the_next_component_is_always_the_first_of_those_with_fewest_clusters_left():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n, n_clusters = rng.integers(1, 20), rng.integers(2, 5)
        apart = np.triu(rng.random((n, n)) < 0.2, 1)
        apart = apart | apart.T
        cost = rng.integers(5, size=(n, n_clusters)).astype(float)
        order = rng.permutation(n)
        expected = np.full(n, -1)
        for _ in range(n):
            free = np.array(
                [[not (apart[u] & (expected == h)).any() for h in range(n_clusters)] for u in range(n)]
            )
            u = min(np.flatnonzero(expected[order] < 0), key=lambda r: (free[order[r]].sum(), r))
            u = order[u]
            if not free[u].any():
                break
            expected[u] = np.where(free[u], cost[u], np.inf).argmin()
        assert np.array_equal(colour(order, cost, csr_array(apart.astype(float))), expected)
