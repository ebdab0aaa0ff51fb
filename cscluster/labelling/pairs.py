"""Which pair to ask about next, by the disagreement of the partitions.

Explore and Consolidate (see `cscluster.constraints.active`), with the ensemble's view of the rows:

- The distance between two rows is the share of partitions that separate them.  Of rows that are
  equally far, the most typical one is taken: its clusters are the largest.
- Once all groups are found, the most uncertain row is placed: with p_g the share of partitions
  that put the row with the members of group g, made to sum to one, the entropy of p divided by the
  expected number of questions until its group is found, the likeliest being asked first [1]_.

References
----------
.. [1] S. Xiong, J. Azimi, X. Fern, "Active Learning of Constraints for Semi-Supervised
   Clustering", 2014. doi:10.1109/TKDE.2013.22
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cscluster.constraints.active import Rule

FloatArray = NDArray[np.float64]

_FLOOR = 1e-3


def make_rule(partitions: NDArray[Any], n_clusters: int) -> Rule:
    """Return the rule for an ensemble of partitions, of shape (m, n)."""
    return Rule(
        n_clusters,
        distance=lambda row: (partitions != partitions[:, [row]]).mean(axis=0),
        preference=typicality(partitions),
        interest=lambda groups: uncertainty(membership(partitions, groups)),
    )


def typicality(partitions: NDArray[Any]) -> FloatArray:
    """Return the mean share of the rows that lie in a row's clusters."""
    sizes = [np.bincount(labels)[labels] for labels in partitions]
    return np.mean(sizes, axis=0) / partitions.shape[1]


def membership(partitions: NDArray[Any], groups: Sequence[ArrayLike]) -> FloatArray:
    """Return the shares of partitions that put each row with the members of each group, of shape (n, g)."""
    total = np.zeros((partitions.shape[1], len(groups)))
    for labels in partitions:
        n_labels = int(labels.max()) + 1
        counts = [np.bincount(labels[np.asarray(group)], minlength=n_labels) for group in groups]
        shares = np.array(counts) / np.sum(counts, axis=1, keepdims=True)
        total += shares[:, labels].T
    return total / len(partitions)


def uncertainty(shares: FloatArray) -> FloatArray:
    """Return the entropy of each row divided by the expected number of questions that resolve it."""
    p = shares + _FLOOR
    p /= p.sum(axis=1, keepdims=True)
    questions = -np.sort(-p, axis=1) @ np.arange(1, p.shape[1] + 1)
    return np.asarray(-(p * np.log(p)).sum(axis=1) / questions)
