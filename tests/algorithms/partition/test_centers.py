"""What methods with centers share: costs, predictions, empty clusters, hard constraints."""

from itertools import product

import numpy as np
import pytest

from cscluster import PCCC, Constraints, COPKMeans, MPCKMeans
from cscluster.algorithms import registry
from cscluster.algorithms.partition._centers import CenterClusterer, fill_empty
from cscluster.errors import ConstraintError, DataError, InfeasibleError
from tests.algorithms.samples import with_random_pairs

NAMES = [each.name for each in registry.BUILT_IN if each.family == "partition"]


@pytest.mark.parametrize("name", NAMES)
def test_a_prediction_is_the_cluster_of_least_cost(name):
    X, _, constraints = with_random_pairs("iris", 40)
    entry = registry.find(name)
    model = entry.load()(**entry.params, n_clusters=3, random_state=0).fit(X, constraints=constraints)
    new = X[::7] + 0.1
    assert model.costs(new).shape == (len(new), 3)
    assert np.array_equal(model.costs(new).argmin(axis=1), model.predict(new))
    if type(model).costs is CenterClusterer.costs:
        expected = ((new[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
        np.testing.assert_allclose(model.costs(new), expected)


def test_costs_under_learned_metrics():
    X, _, constraints = with_random_pairs("iris", 40)
    model = MPCKMeans(n_clusters=3, matrix="full", random_state=0).fit(X, constraints=constraints)
    A, R = model.metrics_[0], X[:5, None] - model.cluster_centers_
    expected = np.einsum("ikd,de,ike->ik", R, A, R) - np.linalg.slogdet(A)[1]
    np.testing.assert_allclose(model.costs(X[:5]), expected)


def small_cases(count, n=6):
    """Yield samples, hard constraints, a number of clusters, and whether some partition is feasible."""
    rng = np.random.default_rng(0)
    pairs = np.column_stack(np.triu_indices(n, k=1))
    every = {K: np.array([y for y in product(range(K), repeat=n) if len(set(y)) == K]) for K in (2, 3)}
    for _ in range(count):
        K, some = int(rng.integers(2, 4)), rng.permutation(pairs)[: rng.integers(1, 2 * n)]
        is_must = rng.random(len(some)) < 0.25
        y = every[K]
        feasible = ((y[:, some[:, 0]] == y[:, some[:, 1]]) == is_must).all(axis=1).any()
        hard = Constraints(some[is_must], some[~is_must], n_samples=n).hardened()
        yield rng.normal(size=(n, 2)), hard, K, feasible


@pytest.mark.parametrize("method", [COPKMeans, PCCC])
def test_hard_constraints_are_satisfied_wherever_that_is_possible(method):
    outcomes = []
    for X, hard, K, feasible in small_cases(300):
        try:
            labels = method(n_clusters=K, random_state=0).fit(X, constraints=hard).labels_
        except (ConstraintError, InfeasibleError):
            outcomes.append((feasible, False))
        else:
            outcomes.append((feasible, True))
            assert len(hard.violated(labels)) == 0
            assert len(set(labels.tolist())) == K
    assert set(outcomes) == {(True, True), (False, False)}


def test_an_empty_cluster_gets_the_component_that_costs_most():
    D = np.array([[1.0, 9.0, 9.0], [2.0, 9.0, 9.0], [2.5, 9.0, 9.0], [9.0, 0.5, 9.0]])
    labels = np.array([0, 0, 0, 1])
    assert fill_empty(D, labels, np.array([0, 0, 1, 2])) == 1
    assert labels.tolist() == [2, 2, 0, 1]  # 1 + 2 against 2.5; the last would leave cluster 1 empty
    labels = np.array([0, 0, 0, 1])
    fill_empty(D, labels)
    assert labels.tolist() == [0, 0, 2, 1]
    assert fill_empty(D, labels) == 0


def test_as_many_clusters_as_samples_leave_none_empty():
    labels = np.zeros(5, dtype=np.int64)
    assert fill_empty(np.ones((5, 5)), labels, np.array([0, 1, 1, 1, 2])) == 4
    assert sorted(labels) == [0, 1, 2, 3, 4]


def test_fewer_distinct_samples_than_clusters():
    with pytest.raises(DataError, match=r"3 clusters .* 2 samples"):
        fill_empty(np.ones((3, 3)), np.array([0, 0, 1]), X=np.array([[0.0], [0.0], [1.0]]))
