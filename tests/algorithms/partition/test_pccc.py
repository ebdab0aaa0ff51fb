from itertools import product

import numpy as np
import pytest

from cscluster import PCCC, Constraints, load_dataset
from cscluster.algorithms.partition._integer_assignment import (
    ConstrainedNodes,
    Sizes,
    cheapest_assignment,
    cover_by_cliques,
)
from cscluster.algorithms.partition._local_assignment import improve
from cscluster.errors import ConstraintError, InfeasibleError, ParameterError, SolverError
from cscluster.metrics.scores import satisfied
from tests.algorithms.samples import with_random_pairs


def random_program(rng, n=7, k=3, n_hard=4, n_soft=5):
    pairs = np.column_stack(np.triu_indices(n, k=1))
    rng.shuffle(pairs)
    constraints = ConstrainedNodes(
        n,
        pairs[:n_hard],
        pairs[n_hard : n_hard + n_soft],
        rng.choice([-1, 1], n_soft) * rng.uniform(0.1, 2, n_soft),
    )
    return rng.uniform(0, 3, size=(n, k)), constraints


def value(cost, constraints, labels):
    return cost[np.arange(len(labels)), labels].sum() + constraints.penalty(labels)


def satisfies_hard(constraints, labels):
    return (labels[constraints.hard[:, 0]] != labels[constraints.hard[:, 1]]).all()


@pytest.mark.parametrize(
    "kinds", [{"n_hard": 8, "n_soft": 0}, {"n_hard": 0, "n_soft": 9}, {"n_hard": 4, "n_soft": 6}]
)
def test_the_assignment_is_the_best_of_all(kinds):
    rng = np.random.default_rng(1)
    every = np.array(list(product(range(3), repeat=7)))
    for _ in range(25):
        cost, constraints = random_program(rng, **kinds)
        feasible = [labels for labels in every if satisfies_hard(constraints, labels)]
        best = min(value(cost, constraints, labels) for labels in feasible)
        labels = cheapest_assignment(cost, constraints)
        assert satisfies_hard(constraints, labels)
        assert value(cost, constraints, labels) == pytest.approx(best)


def test_local_search_satisfies_hard_constraints_and_never_costs_more():
    rng = np.random.default_rng(2)
    for _ in range(50):
        cost, constraints = random_program(rng, n=20, k=4, n_hard=25, n_soft=20)
        start = cheapest_assignment(rng.uniform(size=cost.shape), constraints, gap=0.5)
        labels = improve(cost, start, constraints.hard_graph, constraints.soft_graph)
        assert satisfies_hard(constraints, labels)
        assert value(cost, constraints, labels) <= value(cost, constraints, start) + 1e-9
        for u, h in product(range(20), range(4)):
            other = labels.copy()
            other[u] = h
            if satisfies_hard(constraints, other):
                assert value(cost, constraints, labels) <= value(cost, constraints, other) + 1e-9


def test_cliques_hold_every_edge_and_nothing_else():
    rng = np.random.default_rng(3)
    _, constraints = random_program(rng, n=12, n_hard=40, n_soft=0)
    clique, member = cover_by_cliques(constraints.hard_graph)
    edges = {(u, v) for c in set(clique) for u in member[clique == c] for v in member[clique == c] if u < v}
    assert edges == {tuple(pair) for pair in constraints.hard.tolist()}


@pytest.mark.parametrize("name", ["iris", "wine", "letterIJL", "ionosphere"])
@pytest.mark.parametrize("count", [40, 200])
def test_hard_constraints_hold_and_the_objective_falls(name, count):
    X, _, constraints = with_random_pairs(name, count)
    model = PCCC(n_clusters=3, random_state=0).fit(X, constraints=constraints.hardened())
    assert satisfied(constraints, model.labels_) == 1
    assert (np.diff(model.objective_) < 0).all()
    assert model.objective_[-1] == pytest.approx(((X - model.cluster_centers_[model.labels_]) ** 2).sum())


def test_objective_with_soft_constraints_of_both_kinds_between_the_same_nodes():
    X, _, constraints = with_random_pairs("iris", 60)
    rng = np.random.default_rng(0)
    weights = [
        rng.uniform(0.1, 2, len(pairs)) for pairs in (constraints.must_links, constraints.cannot_links)
    ]
    for w in weights:
        w[rng.random(len(w)) < 0.3] = np.inf
    mixed = Constraints(
        constraints.must_links,
        constraints.cannot_links,
        n_samples=len(X),
        must_weights=weights[0],
        cannot_weights=weights[1],
    )
    model = PCCC(n_clusters=3, penalty=0.1, random_state=0).fit(X, constraints=mixed)
    assert satisfied(mixed.hard, model.labels_) == 1
    violated = mixed.violated(model.labels_)
    P = 0.1 * ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    cost = P * violated.weights.sum()
    spread = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.objective_[-1] == pytest.approx(spread + cost)


def test_the_end_is_the_best_assignment_to_its_own_centers():
    rng = np.random.default_rng(4)
    constraints = Constraints([(0, 1)], [(1, 2), (2, 3), (3, 0), (4, 5)], n_samples=8).hardened()
    every = [np.array(labels) for labels in product(range(3), repeat=8)]
    feasible = [labels for labels in every if satisfied(constraints, labels) == 1]
    for _ in range(5):
        X = rng.normal(size=(8, 2))
        model = PCCC(n_clusters=3, gap=0, random_state=0).fit(X, constraints=constraints)
        cost = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
        best = min(cost[np.arange(8), labels].sum() for labels in feasible)
        assert cost[np.arange(8), model.labels_].sum() == pytest.approx(best)


def test_infeasible_hard_constraints_are_named():
    X = np.arange(12.0).reshape(6, 2)
    contradiction = Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=6).hardened()
    with pytest.raises(ConstraintError, match="Samples 0 and 2"):
        PCCC(n_clusters=2).fit(X, constraints=contradiction)
    triangle = Constraints([(4, 5)], [(0, 1), (1, 2), (0, 2), (2, 3)], n_samples=6).hardened()
    with pytest.raises(InfeasibleError, match=r"\b2 clusters.*0-1, 0-2, 1-2"):
        PCCC(n_clusters=2, random_state=0).fit(X, constraints=triangle)
    assert satisfied(triangle, PCCC(n_clusters=3, random_state=0).fit(X, constraints=triangle).labels_) == 1
    with pytest.raises(InfeasibleError, match=r"\b2 components.*\b3 clusters"):
        PCCC(n_clusters=3).fit(
            X, constraints=Constraints([(0, 1), (1, 2), (2, 3), (4, 5)], n_samples=6).hardened()
        )


def test_the_solver_that_does_not_end_says_how_far_it_is():
    rng = np.random.default_rng(0)
    cost, constraints = random_program(rng, n=150, k=6, n_hard=900, n_soft=900)
    with pytest.raises(SolverError, match=r"\b150\b.*nodes"):
        cheapest_assignment(cost, constraints, deadline=0.0)


def test_soft_constraints_may_be_violated_and_contradict_each_other():
    X = np.array([[0.0], [0.1], [9.0], [9.1]])
    constraints = Constraints([(0, 1)], [(0, 1), (0, 2)], n_samples=4)
    labels = PCCC(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_
    assert labels[0] == labels[1] != labels[2] == labels[3]
    apart = Constraints(cannot_links=[(0, 1)], n_samples=4)
    assert (
        len(
            apart.violated(PCCC(n_clusters=2, penalty=1e-3, random_state=0).fit(X, constraints=apart).labels_)
        )
        == 1
    )
    assert (
        len(apart.violated(PCCC(n_clusters=2, penalty=1e3, random_state=0).fit(X, constraints=apart).labels_))
        == 0
    )


def test_the_assignment_with_sizes_is_the_best_of_all():
    rng = np.random.default_rng(3)
    every = np.array(list(product(range(3), repeat=7)))
    for _ in range(15):
        cost, constraints = random_program(rng, n_hard=3, n_soft=3)
        weights = rng.integers(1, 4, 7)
        low, high = np.array([2, 1, 3]), np.array([5, 6, 20])
        sums = np.stack([weights @ (every == h).T.reshape(7, -1) for h in range(3)], axis=1)
        fits = ((sums >= low) & (sums <= high)).all(axis=1)
        feasible = [labels for labels in every[fits] if satisfies_hard(constraints, labels)]
        sizes = Sizes(low, high, weights)
        if not feasible:
            with pytest.raises(InfeasibleError):
                cheapest_assignment(cost, constraints, sizes=sizes)
            continue
        labels = cheapest_assignment(cost, constraints, sizes=sizes)
        found = np.bincount(labels, weights, minlength=3)
        assert satisfies_hard(constraints, labels)
        assert (found >= low).all()
        assert (found <= high).all()
        best = min(value(cost, constraints, labels) for labels in feasible)
        assert value(cost, constraints, labels) == pytest.approx(best)


@pytest.mark.parametrize(
    "limits", [{"size_min": 25}, {"size_max": 35}, {"size_min": [10, 20, 40], "size_max": [12, 48, 60]}]
)
def test_sizes_hold_with_constraints_and_the_objective_falls(limits):
    data = load_dataset("iris")
    rows = np.r_[0:20, 50:100, 100:130]
    constraints = Constraints.from_labels(np.random.default_rng(0).integers(0, 100, (30, 2)), data.y[rows])
    model = PCCC(n_clusters=3, random_state=0, **limits).fit(data.X[rows], constraints=constraints.hardened())
    sizes = np.bincount(model.labels_, minlength=3)
    assert (sizes >= limits.get("size_min", 1)).all()
    assert (sizes <= limits.get("size_max", 100)).all()
    assert len(constraints.violated(model.labels_)) == 0
    assert (np.diff(model.objective_) <= 0).all()


def test_sizes_that_cannot_hold_are_told():
    X = np.arange(10.0)[:, None]
    three = Constraints([(0, 1), (1, 2)], n_samples=10).hardened()
    cases = [
        ({"size_max": 4}, "cannot hold 10 samples"),
        ({"size_min": 6}, "cannot hold 10 samples"),
        ({"size_min": 4, "size_max": 3}, "cannot hold 10 samples"),
        ({"size_min": [1, 2, 3]}, "one for each of the 2 clusters"),
        ({"size_max": [0, 10]}, "must be a positive integer"),
    ]
    for limits, words in cases:
        with pytest.raises(ParameterError, match=words):
            PCCC(n_clusters=2, **limits).fit(X)
    with pytest.raises(InfeasibleError, match=r"\b5 clusters.*cannot-links.*sizes"):
        PCCC(n_clusters=5, size_max=2).fit(X, constraints=three)
