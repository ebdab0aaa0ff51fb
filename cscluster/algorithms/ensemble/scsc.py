"""SCSC: clustering with links that arrive one tier after another, at the scale of millions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import sklearn.cluster
from sklearn.utils.validation import check_is_fitted

from cscluster.algorithms import parameters
from cscluster.algorithms.base import FloatArray, IntArray, Samples, SeededClusterer
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
from cscluster.algorithms.fallback import beats_kmeans
from cscluster.algorithms.joint import LINK_PRICE, joint_labels
from cscluster.algorithms.parameters import Boolean, Choice, Integer, Null, Real, parameter
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.constraints import Constraints
from cscluster.errors import DataError, ParameterError

PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {
        "n_partitions": 30,
        "partitions": "graph",
        "features": 0.75,
        "consensus": "spectral",
        "joint": True,
        "fallback": True,
    },
    "paper": {
        "n_partitions": 300,
        "partitions": "kernel",
        "features": 0.05,
        "consensus": "rounding",
        "joint": False,
        "fallback": False,
    },
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


class SCSC(SeededClusterer):
    r"""Semi-supervised clustering with sequential constraints: an ensemble that links re-weigh.

    An offline step makes m partitions P_1, ..., P_m of the samples, without links.  An online step
    takes in one tier of links after another, at a cost that does not depend on the number of
    samples, and rounds to a hard partition.  As printed, the links of a tier change the weights
    gamma of the soft partition :math:`F = \sum_k \gamma_k P_k` by

    .. math:: \min_{\gamma \ge 0,\, 1^T \gamma = 1} \sum_{M} \|F_i - F_j\|^2 + \sum_{C} \|F_i + F_j\|^2
              + \lambda \|\gamma - \gamma_{old}\|^2

    (8), or by the relaxation (11), in which each partition pays for the links that it breaks.  The
    default consensus instead lets links change the kernel :math:`u_i^T Q u_j` between coordinates u
    of the samples in the bipartite graph of samples and clusters: must-links ask for one, cannot-links
    for zero, and ``mu`` holds Q near its start (see Notes).

    Attributes
    ----------
    partitions_ : ndarray of shape (n_partitions, n_samples)
        Labels of the partitions, of type uint8 up to 255 clusters and wider beyond.
    weights_ : ndarray of shape (n_partitions,)
        The weights gamma; all alike with 'spectral'.
    offline_seconds_ : float
        Time that the offline step took.

    Notes
    -----
    Readings.  The losses in (4)-(6) are swapped; (2), (3) and (8) are right.  Losses are means over
    the links of a tier, and broken links count in units of the mean weight 1/m, so that `lam` and `C`
    do not depend on the size of a tier.  Labels are aligned with a running vote: each partition is
    renumbered by the assignment that agrees most with the votes of those before it.  (11) has a fixed
    point that is one projection, so no step size is needed; (10) is solved to a certified gap.

    With 'spectral' the partitions have r to 2r clusters each, and the coordinates are the 2r leading
    eigenvectors of the bipartite graph, each sample's scaled to length one.  Links enter through sums
    over pairs of coordinates: links in tiers give the same result as all at once, and earlier links are
    not needed again.

    On the data sets that it was chosen on, the default consensus is far above the printed one
    (docs/measurements.md).  It learns from `sample_size` samples and places all others in blocks,
    so that it needs little memory beside the partitions, whatever n is.

    Offline O(n m p d') with p landmarks and d' features of a subset, O(n m) bytes.  A tier of u links
    takes O(u m) for (11), O(u m^2) for (10), O(u r^4 + r^6) for the kernel; the hard partition
    O(n m), or O(n m r) with 'spectral'.  Weights that are zero cost nothing.

    References
    ----------
    .. [1] J. Yi, L. Zhang, T. Yang, W. Liu, J. Wang, "An Efficient Semi-Supervised Clustering
       Algorithm with Sequential Constraints", 2015, equations (8)-(11) and Algorithm 1.
       doi:10.1145/2783258.2783389
    .. [2] X. Fern, C. Brodley, "Solving Cluster Ensemble Problems by Bipartite Graph Partitioning",
       2004. doi:10.1145/1015330.1015414
    .. [3] X. Chen, D. Cai, "Large Scale Spectral Clustering with Landmark-Based Representation", 2011.

    Examples
    --------
    >>> from cscluster import SCSC, Constraints
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = SCSC(n_clusters=2, n_partitions=5, random_state=0)
    >>> model = model.fit(X, Constraints([(0, 1)], n_samples=6))
    >>> labels = model.partial_fit(Constraints([], [(2, 3)], n_samples=6)).labels_
    >>> bool(labels[0] == labels[2] != labels[3] == labels[5])
    True
    """

    version = 3

    preset: str = parameter(
        "default",
        "where the next six parameters come from if they are null: 'paper' has 300 'kernel' partitions of "
        "ceil(d / 20) features and 'rounding', 'default' has 30 'graph' partitions of three quarters of the "
        "features and 'spectral', and both of the last two",
        Choice(*PRESETS),
    )
    n_partitions: int | None = parameter(None, "number of partitions m", Integer(1), Null())
    partitions: str | None = parameter(
        None,
        "how partitions are learned: spectral clustering of a landmark graph, or approximate kernel k-means",
        Choice(*_partitions.LEARNERS),
        Null(),
    )
    features: float | int | None = parameter(
        None,
        "features that a partition sees, drawn at random: a share of all, rounded up, or their number",
        Real(0, 1, open_low=True),
        Integer(1),
        Null(),
    )
    consensus: str | None = parameter(
        None,
        "hard partition: k-means in the space of the learned kernel ('spectral'), the largest entry of each "
        "row of F ('rounding'), or k-means on the rows of F ('kmeans')",
        Choice("spectral", "rounding", "kmeans"),
        Null(),
    )
    joint: bool | None = parameter(
        None,
        "label the linked samples of all tiers together: a broken link costs as much as three samples; used "
        "with 'spectral'",
        Boolean(),
        Null(),
    )
    fallback: bool | None = parameter(
        None,
        "take the clusters of k-means where these break no more links of all tiers than the consensus; used "
        "with 'spectral'",
        Boolean(),
        Null(),
    )
    update: str = parameter(
        "relaxed",
        "update of the weights by (11), 'relaxed', or by (10), 'full'; not used with 'spectral'",
        Choice("relaxed", "full"),
    )
    lam: float = parameter(1.0, "cost lambda of changing the weights", Real(0, open_low=True))
    C: float = parameter(10.0, "cost of broken links in the relaxed update; only C / lam matters", Real(0))
    mu: float = parameter(
        5.0,
        "pull of the learned kernel towards its start, in links; used with 'spectral'",
        Real(0, open_low=True),
    )
    sample_size: int = parameter(
        20_000, "samples that partitions and consensus are learned from; all get labels", Integer(1)
    )
    max_iter: int = parameter(10_000, "iteration limit of the full update", Integer(1))
    tol: float = parameter(
        1e-6, "gap to the optimum, relative to the objective, at which the full update ends", Real(0)
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
        self._kmeans_labels = self._kmeans(rows, sample) if self._setting("fallback") else None
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
        self._kmeans_labels = None
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
        self._links = Constraints.empty(n)
        self.offline_seconds_ = time.perf_counter() - start
        return self._take_in(links)

    def _take_in(self, links: Constraints) -> Self:
        """Update with new links and round to a hard partition."""
        consensus = self._setting("consensus")
        self._links = self._links | links
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
            A = link_loss(L, links) / total
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
        self._settle(lambda samples: model.transform(normalized(embed(L, tables, samples)) @ T) ** 2)
        self.n_iter_ = model.n_iter_
        self.converged_ = model.n_iter_ < model.max_iter
        self.objective_ = np.array([model.inertia_])
        return self

    def _settle(self, cost: Callable[[IntArray], FloatArray]) -> None:
        """Fall back to k-means where it breaks no more links; label linked samples together.

        `cost` gives the costs of samples in the clusters of the consensus.
        """
        links, kmeans = self._links, self._kmeans_labels
        if not len(links):
            return
        linked = links.touched
        of_linked = links.renumbered(linked)
        if kmeans is not None and not beats_kmeans("SCSC", of_linked, self.labels_[linked], kmeans[linked]):
            self.labels_ = kmeans.copy()
            costs, price = (kmeans[linked, None] != np.arange(self.n_clusters)).astype(np.float64), LINK_PRICE
        else:
            costs = cost(linked).astype(np.float64)
            price = LINK_PRICE * float(costs.min(axis=1).mean())
        if self._setting("joint"):
            self.labels_[linked] = joint_labels(costs, of_linked, price)

    def _kmeans(self, rows: Rows, sample: FloatArray) -> IntArray:
        """Return the labels of k-means that is learned from a sample."""
        model = KMeans(n_clusters=self.n_clusters, random_state=self.random_state).fit(sample)
        return np.concatenate([model.predict(block) for block in rows.blocks()])

    def _cluster(self, Z: FloatArray | Table) -> sklearn.cluster.KMeans:
        return sklearn.cluster.KMeans(self.n_clusters, n_init=_STARTS, random_state=self._seed).fit(Z)


def _assign(L: Labels, tables: Table, T: FloatArray, centers: FloatArray, *, unit: bool) -> IntArray:
    """Return the centre that is closest to each ``T^T e_i``: the largest ``e^T T c - ||c||^2 / 2``."""
    W = (T @ centers.T).astype(np.float32)
    offset = -(centers**2).sum(axis=1).astype(np.float32) / 2
    return largest_score(L, tables, W, offset, unit=unit)
