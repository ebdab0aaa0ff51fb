"""What the ensembles share: partitions made offline, and constraints that arrive in tiers."""

from __future__ import annotations

import math
from abc import abstractmethod
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.cluster
from sklearn.utils.validation import check_is_fitted

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.ensemble import _partitions
from cscluster.algorithms.ensemble._labels import Labels, Table, allocate, largest_score
from cscluster.algorithms.ensemble._rows import ArrayRows
from cscluster.algorithms.parameters import Choice, Integer, Null, ParameterRule, Real, parameter
from cscluster.algorithms.shared import clock, is_shared, of_samples
from cscluster.constraints import Constraints
from cscluster.errors import ParameterError

_STARTS = 5
_TOGETHER = 50
"""Partitions that are made, and shared by fits with more or fewer of them, together."""


class FileName(ParameterRule):
    """The name of a file that will be written."""

    words = "the name of an NPY file"

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is a path."""
        return isinstance(value, (str, Path))


class PartitionEnsemble(Clusterer):
    """An ensemble of partitions of the same samples, whose consensus follows constraints tier after tier.

    Attributes
    ----------
    partitions_ : ndarray of shape (n_partitions, n_samples)
        Labels of the partitions, of type uint8 up to 255 clusters and wider beyond.
    offline_seconds_ : float
        Time that the offline step took.
    """

    n_partitions: int = parameter(300, "number of partitions m", Integer(1))
    partitions: str = parameter(
        "kernel",
        "how partitions are learned: spectral clustering of a landmark graph, or approximate kernel k-means",
        Choice(*_partitions.LEARNERS),
    )
    features: float | int = parameter(
        0.05,
        "features that a partition sees, drawn at random: a share of all, rounded up, or their number",
        Real(0, 1, open_low=True),
        Integer(1),
    )
    sample_size: int = parameter(
        20_000, "samples that partitions and consensus are learned from. All samples get labels", Integer(1)
    )
    labels_path: str | Path | None = parameter(
        None,
        "NPY file that the partitions are memory-mapped to (null: they are in memory)",
        FileName(),
        Null(),
    )
    n_jobs: int | None = parameter(
        None, "number of parallel jobs of the offline step, as joblib has it", Integer(), Null()
    )

    _most_times: ClassVar[int] = 1
    """So many times `n_clusters` is the largest number of clusters that a partition has."""

    @abstractmethod
    def _initialise_consensus(self, counts: IntArray) -> None:
        """Initialise the consensus of partitions with these numbers of clusters, without constraints."""

    @abstractmethod
    def _update_consensus(self, constraints: Constraints) -> Self:
        """Update the consensus by the constraints of a tier and round it to a hard partition."""

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Build the partitions (offline step), then update their consensus by the first constraints.

        The parameters are those of `ConstrainedEstimator.fit`.  Where `X` is memory-mapped, as by
        ``numpy.load(path, mmap_mode="r")``, it is read in blocks and never held in memory.
        """
        rows, constraints = self._validate_rows(X, y, constraints)
        start = clock()
        n, d = rows.shape
        building, rest = np.random.SeedSequence(self._seed).spawn(2)
        sample = rows.take(self._sample(n, np.random.default_rng(rest)))
        clusters = (self.n_clusters, self._most_times * self.n_clusters)
        L = allocate(self.n_partitions, n, clusters[1], self.labels_path)
        how = (self.partitions, self._n_features(d), clusters)
        for first in range(0, len(L), _TOGETHER):
            part = L[first : first + _TOGETHER]
            seeds = building.spawn(len(part))
            make = partial(_partitions.build, rows, part, how, sample, seeds, self.n_jobs)
            if is_shared(X) and self._seed is not None:
                key = ("partitions", *how, self.sample_size, first, len(part), self._seed)
                part[:] = of_samples(X, key, lambda: make().copy())  # noqa: B023  # called at once
            else:
                make()
        return self._fit_consensus(L, constraints, rest, start)

    def partial_fit(self, constraints: Any) -> Self:
        """Update the consensus by the constraints of a new tier.  Earlier ones are not needed again.

        Parameters
        ----------
        constraints : Constraints, list of (i, j, "must" | "cannot") or DataFrame
            Must-links and cannot-links between the samples of `fit`.
        """
        check_is_fitted(self)
        constraints = self._validate_constraints(self.partitions_.shape[1], None, constraints)
        return self._update_consensus(constraints) if len(constraints) else self

    def _n_features(self, d: int) -> int:
        """Return the size of the feature subsets."""
        if isinstance(self.features, float):
            return math.ceil(self.features * d)
        if self.features > d:
            raise ParameterError(
                f"'features' of {type(self).__name__} must not exceed the {d} features, got {self.features}."
            )
        return int(self.features)

    def _sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Return the numbers of the samples that partitions and consensus are learned from."""
        return np.sort(rng.choice(n, min(self.sample_size, n), replace=False))

    def _validate_rows(self, X: Any, y: Any, constraints: Any) -> tuple[ArrayRows, Constraints]:
        """Check parameters, samples, partial labels and constraints, as `_validate`; return rows to read."""
        if not isinstance(X, np.memmap):
            X, constraints = self._validate(X, y, constraints)
            return ArrayRows(X), constraints
        self._check_parameters()
        rows = ArrayRows(X)
        self.n_features_in_ = rows.shape[1]
        return rows, self._validate_constraints(rows.shape[0], y, constraints)

    def _fit_consensus(
        self, L: Labels, constraints: Constraints, seed: np.random.SeedSequence, start: float
    ) -> Self:
        """Initialise the consensus of the partitions, then update it by the first constraints."""
        rng = np.random.default_rng(seed)
        self.partitions_ = L
        self._sample_rows = self._sample(L.shape[1], rng)
        self._kmeans_seed = int(rng.integers(2**31))
        self._initialise_consensus(np.array([int(row.max()) + 1 for row in L]))
        self.offline_seconds_ = clock() - start
        return self._update_consensus(constraints)

    def _kmeans(self, Z: FloatArray | Table) -> sklearn.cluster.KMeans:
        """Return k-means fitted to the rows of Z."""
        return sklearn.cluster.KMeans(self.n_clusters, n_init=_STARTS, random_state=self._kmeans_seed).fit(Z)


def nearest_centers(L: Labels, tables: Table, T: FloatArray, centers: FloatArray, *, unit: bool) -> IntArray:
    """Return the centre that is closest to each ``T^T e_i``: the largest ``e^T T c - ||c||^2 / 2``."""
    W = (T @ centers.T).astype(np.float32)
    offset = -(centers**2).sum(axis=1).astype(np.float32) / 2
    return largest_score(L, tables, W, offset, unit=unit)
