"""More than two clusters by recursive binary splits (zhang2009, section IV-C)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.margin.alternating._alternating import Basis
from cscluster.errors import InfeasibleError
from cscluster.linalg.kernels import squared_norms

_ROWS = 4096


@dataclass(frozen=True)
class Split:
    """One binary split: the cluster it divides, and the machine that does."""

    cluster: int
    basis: Basis
    coefficients: FloatArray
    bias: float

    def decide(self, X: Samples) -> FloatArray:
        """Return ``w^T phi(x) + b`` of each sample, in blocks of bounded memory."""
        blocks = (X[start : start + _ROWS] for start in range(0, X.shape[0], _ROWS))
        return np.concatenate([self.basis(block) @ self.coefficients + self.bias for block in blocks])


def follow(splits: list[Split], X: Samples) -> IntArray:
    """Send samples through all splits; those with a positive decision get the split's new number."""
    labels = np.zeros(X.shape[0], dtype=np.int64)
    for new, split in enumerate(splits, start=1):
        members = np.flatnonzero(labels == split.cluster)
        if len(members):
            labels[members[split.decide(X[members]) > 0]] = new
    return labels


def probabilities(splits: list[Split], X: Samples) -> FloatArray:
    """Return the probability of each cluster: the product of those of the sides that lead to it."""
    P = np.zeros((X.shape[0], len(splits) + 1))
    P[:, 0] = 1
    for new, split in enumerate(splits, start=1):
        positive = expit(split.decide(X))
        P[:, new] = P[:, split.cluster] * positive
        P[:, split.cluster] *= 1 - positive
    return P


def scatter(X: Samples) -> float:
    """Return the sum of squared distances to the mean, exactly zero for equal samples."""
    norms = squared_norms(X)
    mean = np.asarray(X.mean(axis=0)).ravel()
    value = float(norms.sum() - X.shape[0] * (mean @ mean))
    return value if value > 1e-12 * float(norms.sum()) else 0.0


def choose_cluster(X: Samples, labels: IntArray) -> int:
    """Return the cluster to split next: the one with most scatter.

    Raises
    ------
    InfeasibleError
        If no cluster can be split.
    """
    spreads = [scatter(X[np.flatnonzero(labels == cluster)]) for cluster in range(labels.max() + 1)]
    if max(spreads) == 0:
        raise InfeasibleError(f"Cannot split {len(spreads)} clusters further: their samples are equal.")
    return max(range(len(spreads)), key=lambda cluster: (spreads[cluster], cluster))
