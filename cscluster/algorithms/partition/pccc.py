"""PCCC: k-means whose assignment step is an integer program with hard and soft constraints."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.cluster import kmeans_plusplus

from cscluster.algorithms.base import FloatArray, IntArray, Samples, require_components
from cscluster.algorithms.parameters import Array, Integer, Null, Real, parameter
from cscluster.algorithms.partition._centers import (
    N_INIT,
    CenterClusterer,
    LocalMinimum,
    fill_empty,
    lowest,
    squared_distances,
)
from cscluster.algorithms.partition._integer_assignment import ConstrainedNodes, Sizes, cheapest_assignment
from cscluster.algorithms.partition._local_assignment import improve
from cscluster.algorithms.partition.cop_kmeans import colour
from cscluster.constraints import Constraints
from cscluster.errors import InfeasibleError, ParameterError
from cscluster.linalg.scatter import group_sums

_COLOURINGS = 10
"""Greedy colourings that are tried in a start, which take milliseconds where the solver can take hours."""


@dataclass(frozen=True)
class Contracted:
    """Samples that hard must-links join are one node: their mean, with their number as its weight.

    The squared distances of its members to a center sum to the node's, times its weight, plus a
    constant that no assignment changes.

    Attributes
    ----------
    node : ndarray of shape (n_samples,)
        Node of each sample.
    X : ndarray of shape (n_nodes, n_features)
        Means of the members.
    size : ndarray of shape (n_nodes,)
        Numbers of members.
    spread : float
        Sum of the squared distances between the samples and their nodes.
    constraints : ConstrainedNodes
        The constraints between nodes; those inside a node are satisfied, or violated, by every partition.
    """

    node: IntArray
    X: FloatArray
    size: IntArray
    spread: float
    constraints: ConstrainedNodes

    @classmethod
    def of(cls, X: FloatArray, constraints: Constraints, w: float) -> Contracted:
        """Contract the samples; a violated soft constraint of weight one costs `w`."""
        hard = constraints.hard
        hard.require_consistent()
        node, n = hard.components, hard.n_components
        size = np.bincount(node)
        means = group_sums(X, node, n) / size[:, None]
        between = ConstrainedNodes(n, hard.component_cannot_links, *_soft_pairs(constraints, node, n, w))
        return cls(node, means, size, float(((X - means[node]) ** 2).sum()), between)

    def constant(self, constraints: Constraints, w: float, labels: IntArray) -> float:
        """Return what all partitions of the nodes have in common, found from one of them."""
        penalty = w * float(constraints.violated(labels[self.node]).weights.sum())
        return self.spread + penalty - self.constraints.penalty(labels)

    def cost(self, mu: FloatArray) -> FloatArray:
        """Return the cost of each node in each cluster, without penalties and the spread."""
        return self.size[:, None] * squared_distances(self.X, mu)

    def centers(self, labels: IntArray, n_clusters: int) -> FloatArray:
        """Return the means of the clusters."""
        sums = group_sums(self.size[:, None] * self.X, labels, n_clusters)
        return sums / np.bincount(labels, self.size, minlength=n_clusters)[:, None]

    def inertia(self, labels: IntArray, mu: FloatArray) -> FloatArray:
        """Return the cost of each node in its cluster."""
        return self.size * ((self.X - mu[labels]) ** 2).sum(axis=1)

    def objective(self, labels: IntArray, mu: FloatArray) -> float:
        """Return the objective without what all partitions have in common."""
        return float(self.inertia(labels, mu).sum()) + self.constraints.penalty(labels)


def _soft_pairs(constraints: Constraints, node: IntArray, n: int, w: float) -> tuple[IntArray, FloatArray]:
    """Return the pairs of nodes that soft constraints join, and their strengths.

    Constraints between the same two nodes add up, a must-link against a cannot-link.
    """
    soft = constraints.select(np.isfinite(constraints.weights))
    pairs = np.sort(node[soft.pairs], axis=1)
    weights = w * np.where(soft.is_must, soft.weights, -soft.weights)
    between = pairs[:, 0] != pairs[:, 1]
    codes, which = np.unique(pairs[between] @ [n, 1], return_inverse=True)
    strength = np.bincount(which, weights[between], minlength=len(codes))
    some = strength != 0
    return np.column_stack(np.divmod(codes[some], n)), strength[some]


class PCCC(CenterClusterer):
    r"""K-means with hard and soft constraints, whose assignment step is solved to optimality.

    Finds a local minimum over partitions l and centers mu of

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2
              + P \sum_{(i,j) \in M} w_{ij} [l_i \ne l_j] + P \sum_{(i,j) \in C} \bar w_{ij} [l_i = l_j]

    among the partitions that satisfy all hard constraints, those of infinite weight, and whose clusters have
    `size_min` to `size_max` samples.  M and C are the other, soft constraints.

    Use it where constraints must be satisfied, or clusters have limits of size.  Do not use it for clusters
    that are far from round, nor with limits for more than a few thousand samples.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.

    Raises
    ------
    ConstraintError
        If hard constraints contradict each other.
    InfeasibleError
        If no partition into K clusters satisfies all hard constraints.
    SolverError
        If the time limit is reached.

    Notes
    -----
    Samples that hard must-links join are one weighted node [1]_.  From a k-means++ start and a greedy
    colouring, Kempe chains [2]_ and means alternate.  Then the cluster of least inertia is moved into the
    one of most, as long as the objective falls ("cluster repositioning").  For the lowest of the starts, an
    integer program, solved by HiGHS, tells whether the partition is the best one for its centers.  If not,
    the descent goes on from the better one.  [1]_ solves the program in each iteration, with a commercial
    solver.

    Other readings: distances are squared, so that the means are the best centers and the objective never
    rises (the code of [1]_ uses plain distances).  P is fixed for a fit, not the mean distance in each
    iteration.  Instead of the q nearest centers, a node with d cannot-links is offered its d + 1
    nearest, which loses nothing.

    With limits of sizes, each assignment is the integer program with a row for each cluster, over all samples
    at once: a thousand samples take up to half a minute, several thousand many minutes, of which `n_init`
    of one takes a tenth.  The clusters of new samples have no limits.

    A sweep takes O(n K d) for the samples and O(K c) for each node with c cannot-links.  The integer program
    can take time that is exponential in the number of constrained nodes: `time_limit` ends it.

    References
    ----------
    .. [1] P. Baumann, D. S. Hochbaum, "An algorithm for clustering with confidence-based must-link
       and cannot-link constraints", INFORMS Journal on Computing, 2024. doi:10.1287/ijoc.2023.0419
    .. [2] Y. Ren, S. Deng, "Kempe Swap K-Means: A Scalable Near-Optimal Solution for Semi-Supervised
       Clustering", 2026. arXiv:2603.27417

    Examples
    --------
    >>> from cscluster import PCCC, Constraints
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    >>> constraints = Constraints([(2, 3)], [(1, 2)], n_samples=5).hardened()
    >>> labels = PCCC(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_
    >>> labels.tolist() in ([0, 0, 1, 1, 1], [1, 1, 0, 0, 0])
    True
    """

    satisfies_hard_constraints = True
    version = 2

    penalty: float = parameter(
        1.0,
        "cost P of a violated soft constraint of weight one, relative to the mean squared distance to the "
        "mean",
        Real(0),
    )
    n_init: int = N_INIT
    max_iter: int = parameter(300, "iteration limit of a descent", Integer(1))
    gap: float = parameter(1e-4, "relative distance from its optimum that an assignment may have", Real(0))
    exact_limit: int = parameter(
        500,
        "largest number of nodes that constraints join for which the integer program is solved.  More are "
        "left to local search",
        Integer(0),
    )
    size_min: Any = parameter(
        None,
        "smallest number of samples in a cluster",
        Integer(1),
        Array("one number for each cluster"),
        Null(),
    )
    size_max: Any = parameter(
        None,
        "largest number of samples in a cluster",
        Integer(1),
        Array("one number for each cluster"),
        Null(),
    )
    time_limit: float | None = parameter(
        None, "seconds after which the fit fails (None: no limit)", Real(0, open_low=True), Null()
    )

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        random = np.random.RandomState(self._seed)
        origin = X.mean(axis=0)
        X = X - origin
        w = self.penalty * float((X**2).sum(axis=1).mean())
        nodes = Contracted.of(X, constraints, w)
        require_components(constraints.hard, self.n_clusters)
        sizes = self._sizes(nodes.size)
        try:
            best = self._start(nodes, sizes, random, deadline)
            for _ in range(self.n_init - 1):
                best = lowest([best, self._start(nodes, sizes, random, deadline, best.labels)])
        except InfeasibleError:
            limited = "" if sizes is None else " and the sizes"
            raise InfeasibleError(
                f"No partition into {self.n_clusters} clusters satisfies the hard cannot-links{limited}",
                infeasible_core(constraints.hard, self.n_clusters).tolist(),
            ) from None
        if sizes is None:
            best = self._finish(nodes, best, deadline)
        objective = best.objective + nodes.constant(constraints, w, best.labels)
        return self._set_minimum(replace(best, labels=best.labels[nodes.node], objective=objective), origin)

    def _sizes(self, of_nodes: IntArray) -> Sizes | None:
        """Return the limits of sizes, if there are any, or raise an error that says why none can hold."""
        if self.size_min is None and self.size_max is None:
            return None
        n = int(of_nodes.sum())
        low = self._limit("size_min", 1 if self.size_min is None else self.size_min)
        high = self._limit("size_max", n if self.size_max is None else self.size_max)
        if (low > high).any() or not low.sum() <= n <= high.sum():
            raise ParameterError(
                f"{self.n_clusters} clusters of {low} to {high} samples cannot hold {n} samples."
            )
        return Sizes(low, high, of_nodes)

    def _limit(self, name: str, value: Any) -> IntArray:
        """Return a limit for each cluster."""
        given = np.asarray(value)
        if given.shape not in ((), (self.n_clusters,)) or given.dtype.kind not in "iu" or given.min() < 1:
            raise ParameterError(
                f"{name!r} of PCCC must be a positive integer, or one for each of the {self.n_clusters} "
                f"clusters, got {value!r}."
            )
        return np.broadcast_to(given, self.n_clusters).astype(np.int64)

    def _start(
        self,
        nodes: Contracted,
        sizes: Sizes | None,
        random: np.random.RandomState,
        deadline: float,
        known: IntArray | None = None,
    ) -> LocalMinimum:
        """Descend from one random start, and reposition clusters as long as that helps.

        `known` are labels that satisfy the hard constraints.
        """
        mu = kmeans_plusplus(nodes.X, self.n_clusters, sample_weight=nodes.size, random_state=random)[0]
        if sizes is None:
            labels = self._feasible(nodes, nodes.cost(mu), random, deadline, known)
            descend = partial(self._descend, nodes, partial(_local, nodes))
        else:
            labels = np.zeros(len(nodes.X), dtype=np.int64)
            program = partial(
                cheapest_assignment, nodes=nodes.constraints, gap=self.gap, deadline=deadline, sizes=sizes
            )
            descend = partial(self._descend, nodes, lambda cost, _: program(cost))
        best = descend(mu, labels)
        while True:
            other = descend(reposition(nodes, best), best.labels)
            if other.objective[-1] >= best.objective[-1]:
                return best
            best = after(best, other)

    def _descend(
        self, nodes: Contracted, assign: Callable[..., IntArray], mu: FloatArray, labels: IntArray
    ) -> LocalMinimum:
        """Alternate between assignment and means until the objective stops falling."""
        history: list[float] = []
        while len(history) < self.max_iter:
            labels_new = assign(nodes.cost(mu), labels)
            mu_new = nodes.centers(labels_new, self.n_clusters)
            objective = nodes.objective(labels_new, mu_new)
            if history and objective >= history[-1]:
                return LocalMinimum(labels, mu, np.array(history), True)
            labels, mu = labels_new, mu_new
            history.append(objective)
        return LocalMinimum(labels, mu, np.array(history), False)

    def _finish(self, nodes: Contracted, solution: LocalMinimum, deadline: float) -> LocalMinimum:
        """Go on until the partition is the best assignment to its own centers."""
        while solution.converged:
            labels = cheapest_assignment(
                nodes.cost(solution.mu),
                nodes.constraints,
                gap=self.gap,
                deadline=deadline,
                start=solution.labels,
                limit=self.exact_limit,
            )
            if nodes.objective(labels, solution.mu) >= solution.objective[-1] * (1 - self.gap):
                return solution
            other = self._descend(nodes, partial(_local, nodes), solution.mu, labels)
            if other.objective[-1] >= solution.objective[-1]:
                return solution
            solution = after(solution, other)
        return solution

    def _feasible(
        self,
        nodes: Contracted,
        cost: FloatArray,
        random: np.random.RandomState,
        deadline: float,
        known: IntArray | None,
    ) -> IntArray:
        """Return first labels, which satisfy hard constraints: greedy ones, known ones, or the solver's."""
        for _ in range(_COLOURINGS):
            labels = colour(random.permutation(len(cost)), cost, nodes.constraints.hard_graph)
            if (labels >= 0).all():
                return labels
        if known is not None:
            return known
        return cheapest_assignment(cost, nodes.constraints, gap=self.gap, deadline=deadline)


def _local(nodes: Contracted, cost: FloatArray, labels: IntArray) -> IntArray:
    """Return the labels that local search reaches; none of the clusters is empty."""
    improved = improve(cost, labels, nodes.constraints.hard_graph, nodes.constraints.soft_graph)
    fill_empty(cost, improved, X=nodes.X)
    return improved


def infeasible_core(hard: Constraints, n_clusters: int) -> IntArray:
    """Return the cannot-links that need more clusters.

    A component with fewer than K cannot-links always finds a cluster, so it is left out, and then
    perhaps others; the fault is in what remains.
    """
    edges = hard.component_cannot_links
    while len(edges):
        ends = np.bincount(edges.ravel())[edges]
        needed = (ends >= n_clusters).all(axis=1)
        if needed.all():
            break
        edges = edges[needed]
    return hard.cannot_links[np.isin(hard.components[hard.cannot_links], edges).all(axis=1)]


def after(first: LocalMinimum, second: LocalMinimum) -> LocalMinimum:
    """Return the second solution with the objectives of both, as far as they fall."""
    lower = second.objective[second.objective < first.objective[-1]]
    return replace(second, objective=np.concatenate([first.objective, lower]))


def reposition(nodes: Contracted, solution: LocalMinimum) -> FloatArray:
    """Return the centers, that of the cheapest cluster moved to the costliest node of the costliest."""
    inertia = nodes.inertia(solution.labels, solution.mu)
    by_cluster = np.bincount(solution.labels, inertia, minlength=len(solution.mu))
    mu = solution.mu.copy()
    worst = solution.labels == np.argmax(by_cluster)
    mu[np.argmin(by_cluster)] = nodes.X[np.argmax(np.where(worst, inertia, -1.0))]
    return mu
