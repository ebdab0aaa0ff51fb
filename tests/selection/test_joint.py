"""Labels of constrained samples, chosen jointly."""

import itertools

import numpy as np
import pytest

from cscluster import Constraints
from cscluster.selection.joint import joint_labels


def objective(cost, labels, constraints, w):
    """Return the objective of labels, or of each row of labels."""
    (a, b), (c, d) = constraints.must_links.T, constraints.cannot_links.T
    penalty = (labels[..., a] != labels[..., b]) @ constraints.must_weights
    penalty = penalty + (labels[..., c] == labels[..., d]) @ constraints.cannot_weights
    return cost[np.arange(len(cost)), labels].sum(axis=-1) + w * penalty


def random_problem(seed, n=7, n_clusters=3, n_constraints=8):
    rng = np.random.default_rng(seed)
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    pairs = pairs[rng.permutation(len(pairs))[:n_constraints]]
    is_must = rng.random(n_constraints) < 0.4
    constraints = Constraints(
        pairs[is_must],
        pairs[~is_must],
        n_samples=n,
        must_weights=rng.uniform(0.5, 2, is_must.sum()),
        cannot_weights=rng.uniform(0.5, 2, (~is_must).sum()),
    )
    return rng.random((n, n_clusters)), constraints


def test_no_single_move_lowers_the_objective_and_most_minima_are_global():
    global_minima = 0
    for seed in range(30):
        cost, constraints = random_problem(seed)
        labels = joint_labels(cost, constraints, 1.0)
        value = objective(cost, labels, constraints, 1.0)
        every = np.array(list(itertools.product(range(3), repeat=7)))
        values = objective(cost, every, constraints, 1.0)
        neighbours = (every != labels).sum(axis=1) == 1
        assert value <= values[neighbours].min() + 1e-12
        lowest = values.min()
        global_minima += value <= lowest + 1e-12
    assert global_minima > 15


def test_without_a_penalty_every_sample_has_its_cluster_of_lowest_cost():
    cost, constraints = random_problem(0)
    assert np.array_equal(joint_labels(cost, constraints, 0.0), cost.argmin(axis=1))


def test_samples_without_constraints_are_left_alone():
    cost = np.array([[0.0, 1.0], [0.2, 0.0], [0.0, 1.0]])
    labels = joint_labels(cost, Constraints([(0, 1)], n_samples=3), 10.0)
    assert labels.tolist() == [0, 0, 0]  # sample 1 gives way: it loses 0.2, sample 0 would lose 1


def test_a_component_moves_as_one():
    # Each of three must-linked samples alone prefers its cluster as long as the others stay.
    cost = np.array([[0.0, 1.0], [0.6, 0.0], [0.6, 0.0]])
    constraints = Constraints([(0, 1), (1, 2), (0, 2)], n_samples=3)
    assert joint_labels(cost, constraints, 100.0).tolist() == [1, 1, 1]


@pytest.mark.parametrize("wrong", [(0, 5), (2, 7)])
def test_one_noisy_must_link_is_violated_rather_than_merging_two_groups(wrong):
    cost = np.where(np.arange(10)[:, None] // 5 == np.arange(2), 0.0, 1.0)
    chain = [(i, i + 1) for i in range(9) if i != 4]
    labels = joint_labels(cost, Constraints([*chain, wrong], n_samples=10), 3.0)
    assert labels.tolist() == [0] * 5 + [1] * 5


def test_scale_of_costs_and_penalty_together_is_immaterial():
    cost, constraints = random_problem(3)
    assert np.array_equal(joint_labels(cost, constraints, 1.0), joint_labels(1e6 * cost, constraints, 1e6))
