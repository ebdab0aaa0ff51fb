"""The transitive closure of the links, in component form.

Must-links join samples to components.  All pairs inside a component are must-linked, and one
cannot-link between two components separates all their pairs: 300 links on iris entail 5763.  What
the methods need are sums over these pairs, and sums follow from one total for each component and
cluster, so the pairs are never listed.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError


@dataclass(frozen=True)
class Closure:
    """Components, what separates them, and the links whose weight differs from one.

    Attributes
    ----------
    points : ndarray of shape (n_points,)
        The samples that some link touches; "points" below are positions in this array.
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
    def of(cls, constraints: Constraints) -> Closure:
        """Close the links; contradictory links are named and taken as they are, without entailed ones."""
        points = constraints.touched
        must = np.searchsorted(points, constraints.must_links)
        cannot = np.searchsorted(points, constraints.cannot_links)
        pairs = np.concatenate([must, cannot])
        is_must = np.arange(len(pairs)) < len(must)
        weights = np.concatenate([constraints.must_weights, constraints.cannot_weights])
        try:
            constraints.require_consistent()
        except ConstraintError as error:
            warnings.warn(f"{error} Only the given links count, not what they entail.", stacklevel=4)
            alone = np.arange(len(points))
            return cls(points, alone, _adjacency(pairs[:0], len(points)), pairs, is_must, weights)
        component = np.unique(constraints.components[points], return_inverse=True)[1]
        separated = _adjacency(component[cannot], int(component.max(initial=-1)) + 1)
        given = weights != 1
        return cls(points, component, separated, pairs[given], is_must[given], weights[given] - 1)

    @property
    def n_components(self) -> int:
        """Number of components that have points."""
        return self.separated.shape[0]

    @cached_property
    def membership(self) -> csr_array:
        """The 0-1 matrix of shape (n_components, n_points) that sums points to components."""
        n = len(self.points)
        return csr_array((np.ones(n), (self.component, np.arange(n))), shape=(self.n_components, n))

    def counts(self, labels: IntArray, n_clusters: int) -> FloatArray:
        """Count the points of each component in each cluster; `labels` are those of the points."""
        cells = np.bincount(self.component * n_clusters + labels, minlength=self.n_components * n_clusters)
        return cells.reshape(self.n_components, n_clusters).astype(np.float64)

    def broken(self, labels: IntArray) -> NDArray[np.bool_]:
        """Tell which of `pairs` the labels of the points break."""
        i, j = self.pairs.T
        return (labels[i] == labels[j]) != self.is_must

    def broken_weight(self, labels: IntArray, n_clusters: int) -> float:
        """Sum the weights of all links that the labels of the points break."""
        N = self.counts(labels, n_clusters)
        must = 0.5 * ((N.sum(axis=1) ** 2).sum() - (N**2).sum())
        cannot = 0.5 * (N * (self.separated @ N)).sum()
        return float(must + cannot + self.extra[self.broken(labels)].sum())


def _adjacency(edges: IntArray, n: int) -> csr_array:
    """Return the symmetric 0-1 matrix of a graph on n nodes."""
    ends = np.concatenate([edges, edges[:, ::-1]])
    graph = csr_array((np.ones(len(ends)), tuple(ends.T)), shape=(n, n))
    graph.data[:] = 1.0
    return graph
