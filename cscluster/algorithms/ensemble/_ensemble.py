"""What the ensembles share: partitions made offline, and links that arrive in tiers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import sklearn.cluster
from sklearn.utils.validation import check_is_fitted

from cscluster.algorithms import parameters
from cscluster.algorithms.base import FloatArray, IntArray, Samples, SeededClusterer
from cscluster.algorithms.ensemble import _partitions
from cscluster.algorithms.ensemble._labels import Labels, Table, allocate, largest_score
from cscluster.algorithms.ensemble._rows import ArrayRows, Rows, open_rows
from cscluster.algorithms.parameters import Choice, Integer, Null, Real, parameter
from cscluster.algorithms.shared import clock, is_shared, once
from cscluster.constraints import Constraints
from cscluster.errors import DataError, ParameterError

_STARTS = 5
_TOGETHER = 50
"""Partitions that are made, and shared by fits with more or fewer of them, together."""


@dataclass(frozen=True)
class FileName:
    """The name of a file that will be written."""

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is a path."""
        return isinstance(value, (str, Path))

    def __str__(self) -> str:
        return "the name of an NPY file"


class PartitionEnsemble(SeededClusterer):
    """An ensemble of partitions of the same samples, and what links make of it, tier after tier.

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
        20_000, "samples that partitions and consensus are learned from; all get labels", Integer(1)
    )
    labels_path: str | Path | None = parameter(
        None,
        "NPY file that the partitions are memory-mapped to; they are in memory if null",
        FileName(),
        Null(),
    )
    n_jobs: int | None = parameter(
        None, "number of parallel jobs of the offline step, as joblib has it", Integer(), Null()
    )

    @abstractmethod
    def _most_clusters(self) -> int:
        """Return the largest number of clusters that a partition has."""

    @abstractmethod
    def _prepare(self, counts: IntArray) -> None:
        """Prepare the consensus of partitions with these numbers of clusters, without links."""

    @abstractmethod
    def _take_in(self, links: Constraints) -> Self:
        """Update with new links and round to a hard partition."""

    def _look_at(self, rows: Rows | None, sample: FloatArray | None) -> None:
        """Keep what is needed of the samples beside the partitions; there are none to see if None."""

    def fit(self, X: Samples | str | Path, constraints: Constraints | None = None) -> Self:
        """Build the partitions (offline step), then take in the first links.

        `X` may also be memory-mapped, or the name of an NPY or Parquet file whose columns are all
        features; it is then read in blocks and never held in memory.
        """
        rows, constraints = self._open(X, constraints)
        start = clock()
        n, d = rows.shape
        seed = np.random.SeedSequence(self.random_state)
        building, rest = seed.spawn(2)
        sample = rows.take(self._sample(n, np.random.default_rng(rest)))
        r = self.n_clusters
        clusters = (r, self._most_clusters())
        L = allocate(self.n_partitions, n, clusters[1], self.labels_path)
        how = (self.partitions, self._n_features(d), clusters)
        for first in range(0, len(L), _TOGETHER):
            part = L[first : first + _TOGETHER]
            seeds = building.spawn(len(part))
            make = partial(_partitions.build, rows, part, *how, sample, seeds, self.n_jobs)
            if is_shared(X):
                key = ("partitions", *how, self.sample_size, first, len(part))
                part[:] = once(X, key, self.random_state, partial(_copy_of, make))
            else:
                make()
        self._look_at(rows, sample)
        return self._begin(L, constraints, rest, start)

    def fit_partitions(self, L: Labels, constraints: Constraints | None = None) -> Self:
        """Start from partitions made elsewhere, then take in the first links.

        Parameters
        ----------
        L : ndarray of shape (n_partitions, n_samples)
            Labels of an unsigned type, possibly memory-mapped; not copied, and renumbered in place
            by `SCSC`.
        constraints : Constraints, optional
            The first links.
        """
        parameters.check(type(self).__name__, self.parameters, self.get_params(deep=False))
        if L.ndim != 2 or L.dtype.kind != "u" or 0 in L.shape:
            raise DataError(
                f"Partitions must be a table of labels of an unsigned type, got {L.dtype} of shape {L.shape}."
            )
        constraints = self._validate_links(L.shape[1], constraints)
        start = clock()
        seed = np.random.SeedSequence(self.random_state).spawn(2)[1]
        self._look_at(None, None)
        return self._begin(L, constraints, seed, start)

    def partial_fit(self, constraints: Constraints) -> Self:
        """Take in the links of a new tier; earlier links are not needed again."""
        check_is_fitted(self)
        links = self._validate_links(self.partitions_.shape[1], constraints)
        return self._take_in(links) if len(links) else self

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

    def _open(self, X: Any, constraints: Constraints | None) -> tuple[Rows, Constraints]:
        """Check parameters, samples and links."""
        if not isinstance(X, (str, Path, np.memmap)):
            X, constraints = self._validate(X, constraints)
            return ArrayRows(X), constraints
        parameters.check(type(self).__name__, self.parameters, self.get_params(deep=False))
        rows = ArrayRows(X) if isinstance(X, np.memmap) else open_rows(X)
        self.n_features_in_ = rows.shape[1]
        return rows, self._validate_links(rows.shape[0], constraints)

    def _begin(self, L: Labels, links: Constraints, seed: np.random.SeedSequence, start: float) -> Self:
        """Prepare the consensus of the partitions without links, then take in the first ones."""
        rng = np.random.default_rng(seed)
        self.partitions_ = L
        self._drawn = self._sample(L.shape[1], rng)
        self._seed = int(rng.integers(2**31))
        self._prepare(np.array([int(row.max()) + 1 for row in L]))
        self.offline_seconds_ = clock() - start
        return self._take_in(links)

    def _cluster(self, Z: FloatArray | Table) -> sklearn.cluster.KMeans:
        return sklearn.cluster.KMeans(self.n_clusters, n_init=_STARTS, random_state=self._seed).fit(Z)


def _copy_of(make: Callable[[], Labels]) -> Labels:
    """Return a copy of what is made, which an ensemble may renumber."""
    return make().copy()


def nearest_centers(L: Labels, tables: Table, T: FloatArray, centers: FloatArray, *, unit: bool) -> IntArray:
    """Return the centre that is closest to each ``T^T e_i``: the largest ``e^T T c - ||c||^2 / 2``."""
    W = (T @ centers.T).astype(np.float32)
    offset = -(centers**2).sum(axis=1).astype(np.float32) / 2
    return largest_score(L, tables, W, offset, unit=unit)
