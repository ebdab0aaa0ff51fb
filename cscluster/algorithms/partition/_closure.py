"""The transitive closure of the constraints, in component form.

Must-links join samples to components.  All pairs inside a component are must-linked, and one
cannot-link between two components separates all their pairs: 300 constraints on iris entail 5763.  What
the methods need are sums over these pairs, and sums follow from one total for each component and
cluster, so the pairs are never listed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, triu

from cscluster.algorithms.base import FloatArray, IntArray, warn_of_contradictions
from cscluster.constraints import Constraints
from cscluster.linalg.graph import adjacency

GIVEN_ALONE = "Only the given constraints count, not what they entail."
"""What becomes of contradictory constraints."""


@dataclass(frozen=True)
class Closure:
    """Components, what separates them, and the constraints whose weight differs from one.

    Attributes
    ----------
    points : ndarray of shape (n_points,)
        The constrained samples; "points" below are positions in this array.
    component : ndarray of shape (n_points,)
        Component of each point, numbered from 0.
    separated : sparse array of shape (n_components, n_components)
        Ones where an entailed cannot-link separates two components; symmetric.
    pairs : ndarray of shape (n_pairs, 2)
        Pairs of points with a given weight other than one.
    is_must : ndarray of shape (n_pairs,)
        Whether such a pair is must-linked.
    extra : ndarray of shape (n_pairs,)
        The weight of such a pair beyond the one that its components account for.
    """

    points: IntArray
    component: IntArray
    separated: csr_array
    pairs: IntArray
    is_must: NDArray[np.bool_]
    extra: FloatArray

    @classmethod
    def of(cls, constraints: Constraints, largest: int | None = None) -> Closure:
        """Close the constraints; contradictory ones are named in a warning and entail nothing.

        Constraints lighter than one entail nothing either.  Where `largest` is given, only so many
        components, the largest, are closed.
        """
        points, n = constraints.touched, len(constraints.touched)
        pairs, is_must = np.searchsorted(points, constraints.pairs), constraints.is_must
        weights = constraints.weights
        if warn_of_contradictions(constraints, GIVEN_ALONE):
            component, is_closed = np.arange(n), np.zeros(n, dtype=bool)
        else:
            component = np.unique(constraints.binding.components[points], return_inverse=True)[1]
            is_closed = np.ones(n, dtype=bool)
        if largest is not None:
            sizes = np.bincount(component)
            order = np.argsort(-sizes, kind="stable")[:largest]
            is_closed &= np.isin(component, order[sizes[order] > 1])
            number = np.where(is_closed, component, len(sizes) + np.arange(n))
            component = np.unique(number, return_inverse=True)[1]
        n_components = int(component.max(initial=-1)) + 1
        entailing = is_closed[pairs].all(axis=1) & ~is_must & (weights >= 1)
        edges = component[pairs[entailing]]
        separated = adjacency(edges, np.ones(len(edges)), n_components)
        separated.data[:] = 1.0
        a, b = component[pairs].T
        p, q = (ends.astype(np.int64) for ends in separated.nonzero())
        is_apart = np.isin(a * n_components + b, p * n_components + q)
        entailed = np.where(is_must, a == b, is_apart)
        extra = np.maximum(weights, entailed) - entailed
        given = extra != 0
        return cls(points, component, separated, pairs[given], is_must[given], extra[given])

    @property
    def n_components(self) -> int:
        """Number of components that have points."""
        return self.separated.shape[0]

    def violated(self, labels: IntArray) -> list[Violations]:
        """Return what the labels of the points violate: constraints of the closure, and `pairs`."""
        K = int(labels.max(initial=0)) + 1
        place = self.component * K + labels
        cells = np.flatnonzero(np.bincount(place, minlength=self.n_components * K))
        number = np.full((self.n_components, K), -1)
        number.flat[cells] = np.arange(len(cells))
        cell = number.flat[place]
        split = number[(number >= 0).sum(axis=1) > 1]
        h, g = np.triu_indices(K, k=1)
        p, q = self._edges
        a = np.concatenate([split[:, h].ravel(), number[p].ravel()])
        b = np.concatenate([split[:, g].ravel(), number[q].ravel()])
        is_must = np.arange(len(a)) < len(split) * len(h)
        exist = (a >= 0) & (b >= 0)
        of_closure = Violations(
            cell, cells % K, a[exist], b[exist], is_must[exist], np.ones(np.count_nonzero(exist))
        )
        i, j = self.pairs.T
        of_pairs = Violations(np.arange(len(labels)), labels, i, j, self.is_must, self.extra)
        of_pairs = of_pairs.select((labels[i] == labels[j]) != self.is_must)
        return [each for each in (of_closure, of_pairs) if len(each.a)]

    @cached_property
    def _edges(self) -> tuple[IntArray, IntArray]:
        """Each pair of separated components once."""
        upper = triu(self.separated, format="coo")
        return upper.row, upper.col


@dataclass(frozen=True)
class Violations:
    """Violated constraints between cells: each joins all points of a cell with all points of another.

    Attributes
    ----------
    cell : ndarray of shape (n_points,)
        Cell of each point: the points of a component that share a label, or the point alone.
    label : ndarray of shape (n_cells,)
        Label of each cell.
    a, b : ndarrays of shape (n_violations,)
        The cells that each constraint joins.
    is_must : ndarray of shape (n_violations,)
        Whether they are must-linked.
    weight : ndarray of shape (n_violations,)
        Weight of each pair of points that a constraint stands for.
    """

    cell: IntArray
    label: IntArray
    a: IntArray
    b: IntArray
    is_must: NDArray[np.bool_]
    weight: FloatArray

    def at(self, h: int) -> Violations:
        """Return the constraints that have an end in cluster h."""
        return self.select((self.label[self.a] == h) | (self.label[self.b] == h))

    def select(self, chosen: NDArray[np.bool_]) -> Violations:
        """Return the chosen constraints."""
        return replace(
            self, a=self.a[chosen], b=self.b[chosen], is_must=self.is_must[chosen], weight=self.weight[chosen]
        )

    @cached_property
    def sizes(self) -> IntArray:
        """Number of points in each cell."""
        return np.bincount(self.cell, minlength=len(self.label))

    @property
    def cost(self) -> FloatArray:
        """Sum of the weights of the pairs that each constraint stands for."""
        return self.weight * self.sizes[self.a] * self.sizes[self.b]
