"""SCSC: clustering with links that arrive one tier after another, at the scale of millions."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import sklearn.cluster
from sklearn.utils.validation import check_is_fitted

from cscluster.algorithms import parameters
from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.ensemble import _partitions
from cscluster.algorithms.ensemble._consensus import LearnedKernel, align, cluster_coordinates
from cscluster.algorithms.ensemble._labels import (
    Labels,
    Table,
    allocate,
    embed,
    largest_score,
    normalized,
    round_votes,
)
from cscluster.algorithms.ensemble._rows import ArrayRows, Rows, open_rows
from cscluster.algorithms.ensemble._weights import broken_weight, full_update, link_loss, relaxed_update
from cscluster.algorithms.parameters import (
    N_CLUSTERS,
    RANDOM_STATE,
    Choice,
    Integer,
    Null,
    Parameter,
    Real,
)
from cscluster.constraints import Constraints
from cscluster.errors import DataError, ParameterError

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {"n_partitions": 30, "partitions": "graph", "features": 0.75, "consensus": "spectral"},
    "paper": {"n_partitions": 300, "partitions": "kernel", "features": 0.05, "consensus": "rounding"},
}

_STARTS = 5


@dataclass(frozen=True)
class FileName:
    """The name of a file that will be written."""

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is a path."""
        return isinstance(value, (str, Path))

    def __str__(self) -> str:
        return "the name of an NPY file"


class SCSC(Clusterer):
    r"""Semi-supervised clustering with sequential constraints: an ensemble that links re-weigh.

    DOCSTRING
    """

    parameters = {
        "n_clusters": N_CLUSTERS,
        "preset": Parameter("settings where nothing else is given", Choice(*PRESETS)),
        "n_partitions": Parameter("number of partitions m", Integer(1), Null()),
        "partitions": Parameter("how partitions are learned", Choice(*_partitions.LEARNERS), Null()),
        "features": Parameter(
            "features of a partition, as a share or as a whole number",
            Real(0, 1, open_low=True),
            Integer(1),
            Null(),
        ),
        "consensus": Parameter("hard partition", Choice("spectral", "rounding", "kmeans"), Null()),
        "update": Parameter("how links change weights", Choice("relaxed", "full")),
        "lam": Parameter("cost of changing the weights", Real(0, open_low=True)),
        "C": Parameter("weight of broken links in the relaxed update", Real(0)),
        "mu": Parameter("pull of the learned kernel towards the identity", Real(0, open_low=True)),
        "sample_size": Parameter("samples that partitions are learned from", Integer(1)),
        "max_iter": Parameter("iteration limit of the full update", Integer(1)),
        "tol": Parameter("relative gap at which the full update ends", Real(0)),
        "labels_path": Parameter("file that the partitions are memory-mapped to", FileName(), Null()),
        "n_jobs": Parameter("number of parallel jobs of the offline step", Integer(), Null()),
        "random_state": RANDOM_STATE,
    }

    partitions_: Labels
    weights_: FloatArray
    offline_seconds_: float

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        preset: str = "default",
        n_partitions: int | None = None,
        partitions: str | None = None,
        features: float | int | None = None,
        consensus: str | None = None,
        update: str = "relaxed",
        lam: float = 1.0,
        C: float = 1.0,
        mu: float = 5.0,
        sample_size: int = 20_000,
        max_iter: int = 10_000,
        tol: float = 1e-6,
        labels_path: str | Path | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.preset = preset
        self.n_partitions = n_partitions
        self.partitions = partitions
        self.features = features
        self.consensus = consensus
        self.update = update
        self.lam = lam
        self.C = C
        self.mu = mu
        self.sample_size = sample_size
        self.max_iter = max_iter
        self.tol = tol
        self.labels_path = labels_path
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Samples | str | Path, constraints: Constraints | None = None) -> Self:
        """Build the partitions (offline step), then take in the first links.

        `X` may also be memory-mapped, or the name of an NPY or Parquet file whose columns are all
        features; it is then read in blocks and never held in memory.
        """
        rows, constraints = self._open(X, constraints)
        start = time.perf_counter()
        n, d = rows.shape
        seed = np.random.SeedSequence(self.random_state)
        building, rest = seed.spawn(2)
        sample = rows.take(self._sample(n, np.random.default_rng(rest)))
        r = self.n_clusters
        clusters = (r, 2 * r if self._setting("consensus") == "spectral" else r)
        L = allocate(self._setting("n_partitions"), n, clusters[1], self.labels_path)
        _partitions.build(
            rows, L, self._setting("partitions"), self._n_features(d), clusters, sample, building, self.n_jobs
        )
        return self._begin(L, constraints, rest, start)

    def fit_partitions(self, L: Labels, constraints: Constraints | None = None) -> Self:
        """Start from partitions made elsewhere, then take in the first links.

        Parameters
        ----------
        L : ndarray of shape (n_partitions, n_samples)
            Labels of an unsigned type, possibly memory-mapped; not copied, and renumbered in place
            unless the consensus is 'spectral'.
        constraints : Constraints, optional
            The first links.
        """
        parameters.check(type(self).__name__, self.parameters, self.get_params(deep=False))
        if L.ndim != 2 or L.dtype.kind != "u" or 0 in L.shape:
            raise DataError(
                f"Partitions must be a table of labels of an unsigned type, got {L.dtype} of shape {L.shape}."
            )
        constraints = self._validate_links(L.shape[1], constraints)
        start = time.perf_counter()
        seed = np.random.SeedSequence(self.random_state).spawn(2)[1]
        return self._begin(L, constraints, seed, start)

    def partial_fit(self, constraints: Constraints) -> Self:
        """Take in the links of a new tier; earlier links are not needed again."""
        check_is_fitted(self)
        links = self._validate_links(self.partitions_.shape[1], constraints)
        return self._take_in(links) if len(links) else self

    def _setting(self, name: str) -> Any:
        """Return a parameter, as the preset has it where none is given."""
        value = getattr(self, name)
        return PRESETS[self.preset][name] if value is None else value

    def _n_features(self, d: int) -> int:
        """Return the size of the feature subsets."""
        features: float | int = self._setting("features")
        if not isinstance(features, float):
            if features > d:
                raise ParameterError(f"'features' of SCSC must not exceed the {d} features, got {features}.")
            return int(features)
        return math.ceil(features * d)

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
        m, n = L.shape
        sample = self._sample(n, rng)
        counts = np.array([int(row.max()) + 1 for row in L])
        self.partitions_ = L
        self.weights_ = np.full(m, 1 / m)
        self._seed = int(rng.integers(2**31))
        if self._setting("consensus") == "spectral":
            M = 2 * self.n_clusters
            self._tables, eigenvalues = cluster_coordinates(L[:, sample], counts, M)
            self._kernel = LearnedKernel.empty(eigenvalues)
        else:
            if counts.max() > self.n_clusters:
                raise DataError(
                    f"A partition has {counts.max()} clusters, but only the 'spectral' consensus "
                    f"joins partitions of more than the {self.n_clusters} that are wanted."
                )
            align(L, self.n_clusters, sample)
        self._drawn = sample
        self.offline_seconds_ = time.perf_counter() - start
        return self._take_in(links)

    def _take_in(self, links: Constraints) -> Self:
        """Update with new links and round to a hard partition."""
        consensus = self._setting("consensus")
        if consensus == "spectral":
            self._kernel = self._kernel.add(self.partitions_, self._tables, links)
            return self._spectral_partition()
        self._update_weights(links)
        if consensus == "kmeans":
            return self._soft_kmeans()
        self.labels_ = round_votes(self.partitions_, self.weights_, self.n_clusters)
        return self

    def _update_weights(self, links: Constraints) -> None:
        """Move the weights gamma, by (10) or (11)."""
        L, m = self.partitions_, len(self.partitions_)
        self.n_iter_, self.converged_, self.objective_ = 0, True, np.empty(0)
        if not len(links):
            return
        total = float(links.must_weights.sum() + links.cannot_weights.sum())
        if self.update == "relaxed":
            share = broken_weight(L, links) / total
            self.weights_ = relaxed_update(self.weights_, share / m, self.C, self.lam)
            self.n_iter_, self.objective_ = 1, np.array([share @ self.weights_])
        else:
            A = link_loss(L, links, self.n_clusters) / total
            self.weights_, self.objective_, self.converged_ = full_update(
                self.weights_, A, self.lam, max_iter=self.max_iter, tol=self.tol
            )
            self.n_iter_ = len(self.objective_) - 1

    def _soft_kmeans(self) -> Self:
        """Round by k-means on the soft labels P."""
        L, r = self.partitions_, self.n_clusters
        tables = (self.weights_[:, None, None] * np.eye(r)).astype(np.float32)
        model = self._cluster(embed(L, tables, self._drawn))
        self.labels_ = _assign(L, tables, np.eye(r), model.cluster_centers_, unit=False)
        return self

    def _spectral_partition(self) -> Self:
        """Round by k-means in the space of the learned kernel."""
        L, tables = self.partitions_, self._tables
        T = self._kernel.map(self.mu)
        model = self._cluster(normalized(embed(L, tables, self._drawn)) @ T)
        self.labels_ = _assign(L, tables, T, model.cluster_centers_, unit=True)
        self.n_iter_ = model.n_iter_
        self.converged_ = model.n_iter_ < model.max_iter
        self.objective_ = np.array([model.inertia_])
        return self

    def _cluster(self, Z: FloatArray | Table) -> sklearn.cluster.KMeans:
        return sklearn.cluster.KMeans(self.n_clusters, n_init=_STARTS, random_state=self._seed).fit(Z)


def _assign(L: Labels, tables: Table, T: FloatArray, centers: FloatArray, *, unit: bool) -> IntArray:
    """Return the centre that is closest to each ``T^T e_i``: the largest ``e^T T c - ||c||^2 / 2``."""
    W = (T @ centers.T).astype(np.float32)
    offset = -(centers**2).sum(axis=1).astype(np.float32) / 2
    return largest_score(L, tables, W, offset, unit=unit)
