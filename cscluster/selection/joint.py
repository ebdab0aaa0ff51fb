"""Labels of constrained samples, chosen jointly by the costs of samples in clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cscluster.algorithms.compiled import compiled, compiled_part
from cscluster.arrays import BoolArray, FloatArray, IntArray
from cscluster.constraints import Constraints
from cscluster.linalg.graph import incident_edges
from cscluster.linalg.scatter import group_sums

_RISING = (0.03, 0.1, 0.3, 1.0)
"""Shares of the cost of a violated constraint; each search starts where the one before ended."""
_MAX_SWEEPS = 50


def joint_labels(cost: FloatArray, constraints: Constraints, w: float) -> IntArray:
    r"""Return labels that weigh the costs of samples against violated constraints.

    Minimises by local search

    .. math:: \sum_i c_{i l_i} + w \sum_{(i,j) \in M} w_{ij} [l_i \ne l_j]
              + w \sum_{(i,j) \in C} w_{ij} [l_i = l_j]

    over the labels l of constrained samples; any other sample has the cluster of its lowest cost.  Moves are
    those of one sample and of a whole must-link component; starts are the cluster of lowest cost of each
    sample and of each component.  Only given constraints count, so that one noisy must-link can be violated
    at its own cost, however large the components are that it joins.

    Parameters
    ----------
    cost : ndarray of shape (n_samples, n_clusters)
        Cost of each sample in each cluster.
    constraints : Constraints
        Must-links and cannot-links.
    w : float
        Cost of violating a constraint of weight one.
    """
    labels = cost.argmin(axis=1).astype(np.int64)
    points = constraints.touched
    if not len(points):
        return labels
    c = np.ascontiguousarray(cost[points])
    component = np.unique(constraints.components[points], return_inverse=True)[1]
    largest_first = np.argsort(np.argsort(-np.bincount(component), kind="stable"), kind="stable")
    component = largest_first[component]
    members = np.argsort(component, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(component))])
    ends = np.searchsorted(points, constraints.pairs)
    is_must, weight = constraints.is_must, constraints.weights
    problem = _Problem(c, component, members, bounds, *incident_edges(ends, len(points)), is_must, w * weight)
    together = group_sums(c, component, len(bounds) - 1)
    best, lowest = labels[points], np.inf
    for start in (labels[points], together.argmin(axis=1)[component]):
        candidate = start.astype(np.int64)
        for share in _RISING:
            _descend(problem._replace(penalty=w * share * weight), candidate)
        violated = (candidate[ends[:, 0]] == candidate[ends[:, 1]]) != is_must
        value = c[np.arange(len(c)), candidate].sum() + w * weight[violated].sum()
        if value < lowest:
            best, lowest = candidate, value
    labels[points] = best
    return labels


class _Problem(NamedTuple):
    """Costs, the members of each component, the constraints of each sample, and their penalties."""

    c: FloatArray
    component: IntArray
    members: IntArray
    bounds: IntArray
    starts: IntArray
    neighbours: IntArray
    number: IntArray
    is_must: BoolArray
    penalty: FloatArray


@compiled()
def _descend(problem: _Problem, labels: IntArray) -> None:
    """Move components and samples, in place, as long as that lowers the objective."""
    for _ in range(_MAX_SWEEPS):
        moved = False
        for p in range(len(problem.bounds) - 1):
            group = problem.members[problem.bounds[p] : problem.bounds[p + 1]]
            if len(group) > 1:
                moved |= _move(group, problem, labels)
            for k in range(len(group)):
                moved |= _move(group[k : k + 1], problem, labels)
        if not moved:
            return


@compiled_part()
def _move(group: IntArray, problem: _Problem, labels: IntArray) -> bool:
    """Give a component, or one sample, the cluster of least cost; tell whether that is lower than before."""
    c, penalty, is_must = problem.c, problem.penalty, problem.is_must
    n_clusters = c.shape[1]
    cost, now = np.empty(n_clusters), 0.0
    for h in range(n_clusters):
        cost[h] = 0.0
    for i in group:
        for h in range(n_clusters):
            cost[h] += c[i, h]
        now += c[i, labels[i]]
        for e in range(problem.starts[i], problem.starts[i + 1]):
            j, number = problem.neighbours[e], problem.number[e]
            both_ends = len(group) > 1 and problem.component[j] == problem.component[i]
            p = penalty[number] / 2 if both_ends else penalty[number]  # one inside is counted from both ends
            if (labels[i] == labels[j]) != is_must[number]:
                now += p
            for h in range(n_clusters):
                same = both_ends or h == labels[j]
                if same != is_must[number]:
                    cost[h] += p
    best = 0
    for h in range(n_clusters):
        if cost[h] < cost[best]:
            best = h
    if not cost[best] < now - 1e-12 * (1 + abs(now)):
        return False
    for i in group:
        labels[i] = best
    return True
