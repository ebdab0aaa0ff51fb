"""SCSC: clustering with links that arrive one tier after another, at the scale of millions."""

from __future__ import annotations

from typing import Self

import numpy as np

from cscluster.algorithms.base import IntArray
from cscluster.algorithms.cost import Cost
from cscluster.algorithms.ensemble._consensus import align
from cscluster.algorithms.ensemble._ensemble import PartitionEnsemble, nearest_centers
from cscluster.algorithms.ensemble._labels import embed, round_votes
from cscluster.algorithms.ensemble._weights import broken_weight, full_update, link_loss, relaxed_update
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.constraints import Constraints
from cscluster.errors import DataError

_SECONDS = (3.3e-6, 3e-7)
"""Time for each sample that a partition is learned from, and for each that it labels."""


class SCSC(PartitionEnsemble):
    r"""Semi-supervised clustering with sequential constraints: an ensemble that links re-weigh.

    An offline step makes m partitions P_1, ..., P_m of the samples, without links.  An online step
    takes in one tier of links after another, at a cost that does not depend on the number of
    samples, and rounds to a hard partition.  The links of a tier change the weights gamma of the soft
    partition :math:`F = \sum_k \gamma_k P_k` by

    .. math:: \min_{\gamma \ge 0,\, 1^T \gamma = 1} \sum_{M} \|F_i - F_j\|^2 + \sum_{C} \|F_i + F_j\|^2
              + \lambda \|\gamma - \gamma_{old}\|^2

    (8), or by the relaxation (11), in which each partition pays for the links that it breaks.

    Attributes
    ----------
    partitions_ : ndarray of shape (n_partitions, n_samples)
        Labels of the partitions, of type uint8 up to 255 clusters and wider beyond.
    weights_ : ndarray of shape (n_partitions,)
        The weights gamma.
    offline_seconds_ : float
        Time that the offline step took.

    Notes
    -----
    Readings.  The losses in (4)-(6) are swapped; (2), (3) and (8) are right.  Losses are means over
    the links of a tier, and broken links count in units of the mean weight 1/m, so that `lam` and `C`
    do not depend on the size of a tier.  Labels are aligned with a running vote: each partition is
    renumbered by the assignment that agrees most with the votes of those before it.  (11) has a fixed
    point that is one projection, so no step size is needed; (10) is solved to a certified gap.

    `LandmarkEnsemble` is another use of such partitions, far above this one on the data sets that it was
    chosen on (docs/measurements.md).

    Offline O(n m p d') with p landmarks and d' features of a subset, O(n m) bytes.  A tier of u links
    takes O(u m) for (11), O(u m^2) for (10); the hard partition O(n m).  Weights that are zero cost
    nothing.  Samples in memory whose partitions would take too long are refused; memory-mapped ones and
    files are not.

    References
    ----------
    .. [1] J. Yi, L. Zhang, T. Yang, W. Liu, J. Wang, "An Efficient Semi-Supervised Clustering
       Algorithm with Sequential Constraints", 2015, equations (8)-(11) and Algorithm 1.
       doi:10.1145/2783258.2783389

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

    version = 5

    consensus: str = parameter(
        "rounding",
        "hard partition: the largest entry of each row of F ('rounding'), or k-means on the rows of F",
        Choice("rounding", "kmeans"),
    )
    update: str = parameter(
        "relaxed", "update of the weights by (11), 'relaxed', or by (10), 'full'", Choice("relaxed", "full")
    )
    lam: float = parameter(1.0, "cost lambda of changing the weights", Real(0, open_low=True))
    C: float = parameter(10.0, "cost of broken links in the relaxed update; only C / lam matters", Real(0))
    max_iter: int = parameter(10_000, "iteration limit of the full update", Integer(1))
    tol: float = parameter(
        1e-6, "gap to the optimum, relative to the objective, at which the full update ends", Real(0)
    )

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        of_learning, of_labelling = _SECONDS
        seconds = of_learning * min(n, self.sample_size) + of_labelling * n
        advice = "use landmark_ensemble or pckmeans, or fewer partitions (n_partitions)"
        return Cost(advice, self.n_partitions * seconds)

    def _most_clusters(self) -> int:
        return self.n_clusters

    def _prepare(self, counts: IntArray) -> None:
        if counts.max() > self.n_clusters:
            raise DataError(
                f"A partition has {counts.max()} clusters, but SCSC joins partitions of at most the "
                f"{self.n_clusters} that are wanted."
            )
        self.weights_ = np.full(len(counts), 1 / len(counts))
        align(self.partitions_, self.n_clusters, self._drawn)

    def _take_in(self, links: Constraints) -> Self:
        self._update_weights(links)
        if self.consensus == "kmeans":
            return self._soft_kmeans()
        self.labels_ = round_votes(self.partitions_, self.weights_, self.n_clusters)
        return self

    def _update_weights(self, links: Constraints) -> None:
        """Move the weights gamma, by (10) or (11)."""
        L, m = self.partitions_, len(self.partitions_)
        self.n_iter_, self.converged_, self.objective_ = 1, True, np.empty(0)
        if not len(links):
            return
        total = float(links.weights.sum())
        if self.update == "relaxed":
            share = broken_weight(L, links) / total
            self.weights_ = relaxed_update(self.weights_, share / m, self.C, self.lam)
            self.objective_ = np.array([share @ self.weights_])
        else:
            A = link_loss(L, links) / total
            self.weights_, self.objective_, self.converged_ = full_update(
                self.weights_, A, self.lam, max_iter=self.max_iter, tol=self.tol
            )
            self.n_iter_ = max(1, len(self.objective_) - 1)

    def _soft_kmeans(self) -> Self:
        """Round by k-means on the soft labels P."""
        L, r = self.partitions_, self.n_clusters
        tables = (self.weights_[:, None, None] * np.eye(r)).astype(np.float32)
        model = self._cluster(embed(L, tables, self._drawn))
        self.labels_ = nearest_centers(L, tables, np.eye(r), model.cluster_centers_, unit=False)
        return self
