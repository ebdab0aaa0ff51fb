"""The cheapest assignment of nodes to clusters under hard and soft constraints, by integer programming.

With cost c_uh of node u in cluster h, hard cannot-links E, and a strength s_uv for each softly constrained
pair, positive where the two should be together and negative where they should be apart,

    min  sum_uh c_uh x_uh + sum_uv |s_uv| sum_h z_uvh
    s.t. sum_h x_uh = 1,                        x binary, z >= 0
         x_uh + x_vh <= 1                       (u, v) in E
         x_uh - x_vh <= z_uvh                   s_uv > 0
         x_uh + x_vh <= 1 + z_uvh               s_uv < 0
         low_h <= sum_u n_u x_uh <= high_h      sizes, where they are limited; n_u samples are in node u

is solved exactly, in parts if sizes are free.  Constraints join nodes to independent blocks, and a block
whose nodes can all have their cheapest cluster is done; the solver sees the others.  There, a node with d
constraints, none of them a soft must-link, needs only its d + 1 cheapest clusters: one of them is
free of its partners, and no costlier one is better.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from cscluster.algorithms.compiled import compiled
from cscluster.arrays import BoolArray, FloatArray, IntArray
from cscluster.errors import InfeasibleError, SolverError
from cscluster.linalg.graph import adjacency

_BATCH = 64
"""Small blocks are solved together, up to so many nodes."""

_STATUS_OPTIMAL, _STATUS_INFEASIBLE = 0, 2
"""Of `scipy.optimize.milp`."""


@dataclass(frozen=True)
class ConstrainedNodes:
    """Nodes and the constraints between them.

    Attributes
    ----------
    n_nodes : int
        Number of nodes.
    hard : ndarray of shape (n_hard, 2)
        Pairs that must not share a cluster.
    soft : ndarray of shape (n_soft, 2)
        Pairs that had better share a cluster, or had better not.
    strength : ndarray of shape (n_soft,)
        Cost of violating each soft constraint: positive for must-links, negative for cannot-links.
    """

    n_nodes: int
    hard: IntArray
    soft: IntArray
    strength: FloatArray

    @cached_property
    def block(self) -> IntArray:
        """Number of the block of each node."""
        u, v = np.concatenate([self.hard, self.soft]).T
        graph = coo_array((np.ones(len(u), dtype=np.int8), (u, v)), shape=(self.n_nodes,) * 2)
        return connected_components(graph, directed=False)[1].astype(np.int64)

    @cached_property
    def n_candidates(self) -> IntArray:
        """How many of its cheapest clusters each node needs, were there clusters enough."""
        ends = np.concatenate([self.hard.ravel(), self.soft.ravel()])
        count = np.bincount(ends, minlength=self.n_nodes) + 1
        count[self.soft[self.strength > 0]] = np.iinfo(np.int64).max
        return count

    @cached_property
    def hard_graph(self) -> csr_array:
        """Ones where two nodes must not share a cluster."""
        return adjacency(self.hard, np.ones(len(self.hard)), self.n_nodes)

    @cached_property
    def soft_graph(self) -> csr_array:
        """Strengths of the soft constraints."""
        return adjacency(self.soft, self.strength, self.n_nodes)

    def penalty(self, labels: IntArray) -> float:
        """Return the cost of the soft constraints that labels violate."""
        return float(np.abs(self.strength[self._violated_soft(labels)]).sum())

    def violating(self, labels: IntArray) -> IntArray:
        """Return the nodes with a constraint that labels violate."""
        u, v = self.hard.T
        violated = [self.hard[labels[u] == labels[v]], self.soft[self._violated_soft(labels)]]
        return np.unique(np.concatenate(violated))

    def among(self, nodes: IntArray) -> ConstrainedNodes:
        """Return whole blocks on their own, their nodes numbered anew."""
        place = np.full(self.n_nodes, -1)
        place[nodes] = np.arange(len(nodes))
        hard, soft = place[self.hard], place[self.soft]
        inside = soft[:, 0] >= 0
        return ConstrainedNodes(len(nodes), hard[hard[:, 0] >= 0], soft[inside], self.strength[inside])

    def _violated_soft(self, labels: IntArray) -> BoolArray:
        u, v = self.soft.T
        return (labels[u] == labels[v]) != (self.strength > 0)


@dataclass(frozen=True)
class Sizes:
    """Limits of the number of samples in each cluster: `low` and `high`, of shape (n_clusters,)."""

    low: IntArray
    high: IntArray
    of_nodes: IntArray


def cheapest_assignment(
    cost: FloatArray,
    nodes: ConstrainedNodes,
    *,
    gap: float = 0.0,
    deadline: float = np.inf,
    start: IntArray | None = None,
    limit: float = np.inf,
    sizes: Sizes | None = None,
) -> IntArray:
    """Return the labels of least cost, of shape (n_nodes,).

    Parameters
    ----------
    cost : ndarray of shape (n_nodes, n_clusters)
        Cost of each node in each cluster, without penalties.
    nodes : ConstrainedNodes
        The constraints.
    gap : float
        Relative distance from the optimum that is good enough.
    deadline : float
        Value of ``time.monotonic()`` at which the solver gives up.
    start : ndarray of shape (n_nodes,), optional
        Labels that stay as they are in blocks of more than `limit` nodes.
    limit : float
        Number of nodes that are too many for the solver, where there is a `start`.
    sizes : Sizes, optional
        Limits of the sizes of the clusters; they join all nodes to one program.

    Raises
    ------
    InfeasibleError
        If no assignment satisfies the hard constraints.
    SolverError
        If the deadline passes.
    """
    if sizes is not None:
        return _solved(cost, nodes, gap, deadline, sizes)
    labels = cost.argmin(axis=1).astype(np.int64, copy=False)
    for part in _batches(nodes, nodes.violating(labels)):
        if start is not None and len(part) > limit:
            labels[part] = start[part]
        else:
            labels[part] = _solved(cost[part], nodes.among(part), gap, deadline)
    return labels


def _batches(nodes: ConstrainedNodes, wanted: IntArray) -> Iterator[IntArray]:
    """Yield the nodes of the blocks with a wanted node, whole blocks, some together."""
    members = np.flatnonzero(np.isin(nodes.block, nodes.block[wanted]))
    members = members[np.argsort(nodes.block[members], kind="stable")]
    ends = (np.flatnonzero(np.diff(nodes.block[members], append=-1)) + 1).tolist()
    start = 0
    for number, here in enumerate(ends):
        if number + 1 == len(ends) or ends[number + 1] - start > _BATCH:
            yield members[start:here]
            start = here


def cover_by_cliques(graph: csr_array) -> tuple[IntArray, IntArray]:
    """Return cliques that together hold every edge of a graph: number of the clique, member."""
    degree = np.diff(graph.indptr)
    order = np.argsort(-degree, kind="stable").astype(np.int64)
    return _cover(order, graph.indptr, graph.indices)


@compiled()
def _cover(order: IntArray, starts: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
    """Grow a clique around each edge that no clique holds yet, nodes of high degree first."""
    n = len(order)
    covered = np.zeros(len(ends), dtype=np.bool_)
    adjacent = np.zeros(n, dtype=np.int64)
    inside = np.zeros(n, dtype=np.bool_)
    clique, member = [order[0] for _ in range(0)], [order[0] for _ in range(0)]
    number = np.int64(0)
    for u in order:
        for first in range(starts[u], starts[u + 1]):
            if covered[first]:
                continue
            members = [u, np.int64(ends[first])]
            for w in members:
                for e in range(starts[w], starts[w + 1]):
                    adjacent[ends[e]] += 1
            for e in range(starts[u], starts[u + 1]):
                w = np.int64(ends[e])
                if adjacent[w] == len(members):
                    members.append(w)
                    for f in range(starts[w], starts[w + 1]):
                        adjacent[ends[f]] += 1
            for w in members:
                inside[w] = True
            for w in members:
                clique.append(number)
                member.append(w)
                for e in range(starts[w], starts[w + 1]):
                    adjacent[ends[e]] = 0
                    covered[e] |= inside[ends[e]]
            for w in members:
                inside[w] = False
            number += 1
    return np.array(clique, dtype=np.int64), np.array(member, dtype=np.int64)


def _solved(
    cost: FloatArray, nodes: ConstrainedNodes, gap: float, deadline: float, sizes: Sizes | None = None
) -> IntArray:
    """Solve the integer program of a few blocks; return the best labels of the nodes."""
    n_clusters = cost.shape[1]
    rank = cost.argsort(axis=1, kind="stable").argsort(axis=1)
    node, cluster = np.nonzero(rank < (nodes.n_candidates[:, None] if sizes is None else n_clusters))
    x = np.arange(len(node))
    variable = np.full((nodes.n_nodes, n_clusters), -1)
    variable[node, cluster] = x

    clique, member = cover_by_cliques(nodes.hard_graph)
    entry, h = np.nonzero(variable[member] >= 0)
    code = clique[entry] * n_clusters + h
    shared = np.bincount(code)[code] > 1
    in_clique = np.unique(code[shared], return_inverse=True)[1]

    cannot_first = np.argsort(nodes.strength > 0, kind="stable")
    ends, strength = variable[nodes.soft[cannot_first]], nodes.strength[cannot_first]
    pair, k = np.nonzero((ends >= 0).all(axis=1))
    z = np.arange(len(pair))
    is_must, one = strength[pair] > 0, np.ones(len(pair))

    rows: list[tuple[IntArray, IntArray, FloatArray, Any, Any]] = [
        (node, x, np.ones(len(x)), 1.0, 1.0),
        (in_clique, variable[member[entry], h][shared], np.ones(len(in_clique)), -np.inf, 1.0),
        (
            np.tile(z, 3),
            np.concatenate([ends[pair, 0, k], ends[pair, 1, k], len(x) + z]),
            np.concatenate([one, np.where(is_must, -one, one), -one]),
            -np.inf,
            np.where(is_must, 0.0, 1.0),
        ),
    ]
    if sizes is not None:
        rows.append((cluster, x, sizes.of_nodes[node].astype(np.float64), sizes.low, sizes.high))
    constraints = []
    for row, column, value, low, high in rows:
        shape = (int(row.max(initial=-1)) + 1, len(x) + len(z))
        constraints.append(LinearConstraint(coo_array((value, (row, column)), shape=shape), low, high))
    options: dict[str, float] = {"mip_rel_gap": gap}
    if np.isfinite(deadline):
        options["time_limit"] = max(deadline - time.monotonic(), 0.0)
    outcome = milp(
        np.concatenate([cost[node, cluster], np.abs(strength[pair])]),
        integrality=np.arange(len(x) + len(z)) < len(x),
        bounds=Bounds(0, 1),
        constraints=constraints,
        options=options,
    )
    if outcome.status == _STATUS_INFEASIBLE:
        raise InfeasibleError("No assignment satisfies all hard constraints.")
    if outcome.status != _STATUS_OPTIMAL:
        so_far = "no assignment" if outcome.x is None else f"one within {outcome.mip_gap:.1%} of the best"
        raise SolverError(f"The assignment of {len(cost)} constrained nodes did not end: {so_far} so far.")
    chosen = outcome.x[: len(x)] > 0.5
    labels = np.empty(len(cost), dtype=np.int64)
    labels[node[chosen]] = cluster[chosen]
    return labels
