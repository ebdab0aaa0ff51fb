"""Constraints on two clusters as signed groups: samples whose labels flip together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError


@dataclass(frozen=True)
class SignedGroups:
    """Groups of samples whose labels are ``y_i = sign_i t_g`` with one free sign t_g each.

    Attributes
    ----------
    group : ndarray of shape (n_samples,)
        Number g of each sample's group.
    sign : ndarray of shape (n_samples,)
        1 or -1, chosen such that no group's sum is negative.
    """

    group: IntArray
    sign: FloatArray

    @classmethod
    def free(cls, n_samples: int) -> SignedGroups:
        """Return groups of one sample each."""
        return cls(np.arange(n_samples), np.ones(n_samples))

    @classmethod
    def from_constraints(cls, constraints: Constraints) -> SignedGroups:
        """Join samples whose labels determine each other in two clusters.

        In a graph with two nodes for each sample, "i positive" and "i negative", a constraint joins
        what implies each other; each group appears as two mirrored components.

        Raises
        ------
        ConstraintError
            If no partition into two clusters satisfies all constraints.
        """
        constraints.require_consistent()
        n = constraints.n_samples
        (a, b), (c, d) = constraints.must_links.T, constraints.cannot_links.T
        i = np.concatenate([a, a + n, c, c + n])
        j = np.concatenate([b, b + n, d + n, d])
        graph = coo_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(2 * n, 2 * n))
        component = connected_components(graph, directed=False)[1]
        positive, negative = component[:n], component[n:]
        odd = np.flatnonzero(positive == negative)
        if len(odd):
            raise ConstraintError(
                f"No two clusters satisfy all constraints: the cannot-links around sample {odd[0]} "
                "lead back to it in an odd number of steps."
            )
        group = np.unique(np.minimum(positive, negative), return_inverse=True)[1].astype(np.int64)
        sign = np.where(positive < negative, 1.0, -1.0)
        return cls(group, sign * np.where(np.bincount(group, sign) < 0, -1.0, 1.0)[group])

    @cached_property
    def weight(self) -> FloatArray:
        """Sum of the signs of each group: how much its flip changes the balance, halved."""
        return np.bincount(self.group, self.sign).astype(np.float64)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.weight)

    @property
    def can_be_split(self) -> bool:
        """Whether some labelling that satisfies the constraints has both labels."""
        return self.n_groups > 1 or bool((self.sign < 0).any())

    def restrict(self, members: IntArray) -> SignedGroups:
        """Return the groups of some samples, which hold whole groups."""
        group = np.unique(self.group[members], return_inverse=True)[1].astype(np.int64)
        return SignedGroups(group, self.sign[members])

    def signed_sums(self, scores: FloatArray) -> FloatArray:
        """Return ``sum_i sign_i scores_i`` for each group."""
        return np.bincount(self.group, self.sign * scores).astype(np.float64)

    def labels(self, t: FloatArray) -> FloatArray:
        """Return the labels ``y_i = sign_i t_g``."""
        return self.sign * t[self.group]

    def project(self, y: FloatArray) -> FloatArray:
        """Return the labels that satisfy the constraints and agree with most of `y` in each group."""
        return self.labels(np.where(self.signed_sums(y) < 0, -1.0, 1.0))
