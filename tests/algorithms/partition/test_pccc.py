from itertools import product

import numpy as np
import pytest

from cscluster import PCCC, Constraints, load_dataset
from cscluster.algorithms.partition._integer_assignment import (
    LinkedNodes,
    cheapest_assignment,
    cover_by_cliques,
)
from cscluster.algorithms.partition._local_assignment import improve
from cscluster.constraints.schedules import RandomPairs
from cscluster.errors import ConstraintError, InfeasibleError, SolverError
from cscluster.metrics.scores import satisfied


def draw(name, count, trial=0):
    data = load_dataset(name)
    return data.X, RandomPairs(counts=[count]).episode(count, data.y, 5, name, trial).tiers[0]


def random_program(rng, n=7, k=3, n_hard=4, n_soft=5):
    pairs = np.column_stack(np.triu_indices(n, k=1))
    rng.shuffle(pairs)
    links = LinkedNodes(
        n,
        pairs[:n_hard],
        pairs[n_hard : n_hard + n_soft],
        rng.choice([-1, 1], n_soft) * rng.uniform(0.1, 2, n_soft),
    )
    return rng.uniform(0, 3, size=(n, k)), links


def value(cost, links, labels):
    return cost[np.arange(len(labels)), labels].sum() + links.penalty(labels)


def keeps_hard(links, labels):
    return (labels[links.hard[:, 0]] != labels[links.hard[:, 1]]).all()


@pytest.mark.parametrize(
    "kinds", [{"n_hard": 8, "n_soft": 0}, {"n_hard": 0, "n_soft": 9}, {"n_hard": 4, "n_soft": 6}]
)
def test_the_assignment_is_the_best_of_all(kinds):
    rng = np.random.default_rng(1)
    every = np.array(list(product(range(3), repeat=7)))
    for _ in range(25):
        cost, links = random_program(rng, **kinds)
        feasible = [labels for labels in every if keeps_hard(links, labels)]
        best = min(value(cost, links, labels) for labels in feasible)
        labels = cheapest_assignment(cost, links)
        assert keeps_hard(links, labels)
        assert value(cost, links, labels) == pytest.approx(best)


def test_local_search_keeps_hard_links_and_never_costs_more():
    rng = np.random.default_rng(2)
    for _ in range(50):
        cost, links = random_program(rng, n=20, k=4, n_hard=25, n_soft=20)
        start = cheapest_assignment(rng.uniform(size=cost.shape), links, gap=0.5)
        labels = improve(cost, start, links.hard_graph, links.soft_graph)
        assert keeps_hard(links, labels)
        assert value(cost, links, labels) <= value(cost, links, start) + 1e-9
        for u, h in product(range(20), range(4)):
            other = labels.copy()
            other[u] = h
            if keeps_hard(links, other):
                assert value(cost, links, labels) <= value(cost, links, other) + 1e-9


def test_cliques_hold_every_edge_and_nothing_else():
    rng = np.random.default_rng(3)
    _, links = random_program(rng, n=12, n_hard=40, n_soft=0)
    clique, member = cover_by_cliques(links.hard_graph)
    edges = {(u, v) for c in set(clique) for u in member[clique == c] for v in member[clique == c] if u < v}
    assert edges == {tuple(pair) for pair in links.hard.tolist()}


@pytest.mark.parametrize("name", ["iris", "wine", "letterIJL", "ionosphere"])
@pytest.mark.parametrize("count", [40, 200])
def test_hard_links_hold_and_the_objective_falls(name, count):
    X, links = draw(name, count)
    model = PCCC(n_clusters=3, random_state=0).fit(X, links.hardened())
    assert satisfied(links, model.labels_) == 1
    assert (np.diff(model.objective_) < 0).all()
    assert model.objective_[-1] == pytest.approx(((X - model.cluster_centers_[model.labels_]) ** 2).sum())


def test_objective_with_soft_links_of_both_kinds_between_the_same_nodes():
    X, links = draw("iris", 60)
    rng = np.random.default_rng(0)
    weights = [rng.uniform(0.1, 2, len(pairs)) for pairs in (links.must_links, links.cannot_links)]
    for w in weights:
        w[rng.random(len(w)) < 0.3] = np.inf
    mixed = Constraints(
        links.must_links,
        links.cannot_links,
        n_samples=len(X),
        must_weights=weights[0],
        cannot_weights=weights[1],
    )
    model = PCCC(n_clusters=3, penalty=0.1, random_state=0).fit(X, mixed)
    assert satisfied(mixed.hard, model.labels_) == 1
    broken = mixed.violated(model.labels_)
    P = 0.1 * ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    cost = P * (broken.must_weights.sum() + broken.cannot_weights.sum())
    spread = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.objective_[-1] == pytest.approx(spread + cost)


def test_the_end_is_the_best_assignment_to_its_own_centres():
    rng = np.random.default_rng(4)
    links = Constraints([(0, 1)], [(1, 2), (2, 3), (3, 0), (4, 5)], n_samples=8).hardened()
    every = [np.array(labels) for labels in product(range(3), repeat=8)]
    feasible = [labels for labels in every if satisfied(links, labels) == 1]
    for _ in range(5):
        X = rng.normal(size=(8, 2))
        model = PCCC(n_clusters=3, gap=0, random_state=0).fit(X, links)
        cost = ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
        best = min(cost[np.arange(8), labels].sum() for labels in feasible)
        assert cost[np.arange(8), model.labels_].sum() == pytest.approx(best)


def test_hard_links_that_no_partition_keeps_are_named():
    X = np.arange(12.0).reshape(6, 2)
    contradiction = Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=6).hardened()
    with pytest.raises(ConstraintError, match="Samples 0 and 2 are cannot-linked"):
        PCCC(n_clusters=2).fit(X, contradiction)
    triangle = Constraints([(4, 5)], [(0, 1), (1, 2), (0, 2), (2, 3)], n_samples=6).hardened()
    with pytest.raises(InfeasibleError, match="into 2 clusters keeps the hard cannot-links 0-1, 0-2, 1-2"):
        PCCC(n_clusters=2, random_state=0).fit(X, triangle)
    assert satisfied(triangle, PCCC(n_clusters=3, random_state=0).fit(X, triangle).labels_) == 1
    with pytest.raises(InfeasibleError, match="leave 2 components, too few for 3 clusters"):
        PCCC(n_clusters=3).fit(X, Constraints([(0, 1), (1, 2), (2, 3), (4, 5)], n_samples=6).hardened())


def test_the_solver_that_does_not_end_says_how_far_it_is():
    rng = np.random.default_rng(0)
    cost, links = random_program(rng, n=150, k=6, n_hard=900, n_soft=900)
    with pytest.raises(SolverError, match="The assignment of 150 linked nodes did not end"):
        cheapest_assignment(cost, links, deadline=0.0)


def test_soft_links_may_break_and_contradictions_are_lived_with():
    X = np.array([[0.0], [0.1], [9.0], [9.1]])
    links = Constraints([(0, 1)], [(0, 1), (0, 2)], n_samples=4)
    labels = PCCC(n_clusters=2, random_state=0).fit(X, links).labels_
    assert labels[0] == labels[1] != labels[2] == labels[3]
    apart = Constraints(cannot_links=[(0, 1)], n_samples=4)
    assert len(apart.violated(PCCC(n_clusters=2, penalty=1e-3, random_state=0).fit(X, apart).labels_)) == 1
    assert len(apart.violated(PCCC(n_clusters=2, penalty=1e3, random_state=0).fit(X, apart).labels_)) == 0
