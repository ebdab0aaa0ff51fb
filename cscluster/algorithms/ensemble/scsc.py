"""SCSC: clustering with constraints that arrive one tier after another, at the scale of millions."""

from __future__ import annotations

from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._consensus import align
from cscluster.algorithms.ensemble._ensemble import PartitionEnsemble, nearest_centers
from cscluster.algorithms.ensemble._labels import embed, round_votes
from cscluster.algorithms.ensemble._weights import (
    constraint_loss,
    full_update,
    relaxed_update,
    violated_weight,
)
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.constraints import Constraints


class SCSC(PartitionEnsemble):
    r"""Semi-supervised clustering with sequential constraints: an ensemble that constraints re-weigh.

    An offline step makes m partitions P_1, ..., P_m of the samples, without constraints.  An online step
    follows one tier of constraints after another, at a cost that does not depend on the number of
    samples, and rounds to a hard partition.  The constraints of a tier change the weights gamma of the soft
    partition :math:`F = \sum_k \gamma_k P_k` by

    .. math:: \min_{\gamma \ge 0,\, 1^T \gamma = 1} \sum_{M} \|F_i - F_j\|^2 + \sum_{C} \|F_i + F_j\|^2
              + \lambda \|\gamma - \gamma_{old}\|^2

    (8), or by the relaxation (11), in which each partition pays for the constraints that it violates.

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
    Readings.  The losses in (4)-(6) are swapped.  (2), (3) and (8) are right.  Losses are means over
    the constraints of a tier, and violated ones count in units of the mean weight 1/m, so that `lam` and
    `C` do not depend on the size of a tier.  Labels are aligned with a running vote: each partition is
    renumbered by the assignment that agrees most with the votes of those before it.  (11) has a fixed
    point that is one projection, so no step size is needed.  (10) is solved to a certified gap.

    Offline O(n m p d') with p landmarks and d' features of a subset, O(n m) bytes.  A tier of u constraints
    takes O(u m) for (11), O(u m^2) for (10), and the hard partition O(n m).  Weights that are zero cost
    nothing.  `LandmarkEnsemble` is another use of such partitions.

    References
    ----------
    .. [1] J. Yi, L. Zhang, T. Yang, W. Liu, J. Wang, "An Efficient Semi-Supervised Clustering
       Algorithm with Sequential Constraints", 2015, equations (8)-(11) and Algorithm 1.
       doi:10.1145/2783258.2783389

    Examples
    --------
    >>> from cscluster import SCSC
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = SCSC(n_clusters=2, n_partitions=5, random_state=0)
    >>> model = model.fit(X, constraints=[(0, 1, "must")])
    >>> labels = model.partial_fit(constraints=[(2, 3, "cannot")]).labels_
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
    C: float = parameter(
        10.0, "cost of violated constraints in the relaxed update. Only C / lam matters", Real(0)
    )
    max_iter: int = parameter(10_000, "iteration limit of the full update", Integer(1))
    tol: float = parameter(
        1e-6, "gap to the optimum, relative to the objective, at which the full update ends", Real(0)
    )

    def _initialise_consensus(self, counts: IntArray) -> None:
        self.weights_ = np.full(len(counts), 1 / len(counts))
        align(self.partitions_, self.n_clusters, self._sample_rows)

    def _update_consensus(self, constraints: Constraints) -> Self:
        """Update the weights gamma and round the soft partition F."""
        objective, converged = np.empty(0), True
        if len(constraints):
            objective, converged = self._update_weights(constraints)
        if self.consensus == "kmeans":
            labels = self._soft_kmeans()
        else:
            labels = round_votes(self.partitions_, self.weights_, self.n_clusters)
        n_iter = max(1, len(objective) - 1)
        return self._set_partition(labels, objective=objective, n_iter=n_iter, converged=converged)

    def _update_weights(self, constraints: Constraints) -> tuple[FloatArray, bool]:
        """Move the weights gamma, by (10) or (11); return the objective and whether it converged."""
        L, m, total = self.partitions_, len(self.partitions_), float(constraints.weights.sum())
        if self.update == "relaxed":
            share = violated_weight(L, constraints) / total
            self.weights_ = relaxed_update(self.weights_, share / m, self.C, self.lam)
            return np.array([share @ self.weights_]), True
        A = constraint_loss(L, constraints) / total
        self.weights_, objective, converged = full_update(
            self.weights_, A, self.lam, max_iter=self.max_iter, tol=self.tol
        )
        return objective, converged

    def _soft_kmeans(self) -> IntArray:
        """Return the clusters of k-means on the rows of F."""
        L, r = self.partitions_, self.n_clusters
        tables = (self.weights_[:, None, None] * np.eye(r)).astype(np.float32)
        model = self._kmeans(embed(L[:, self._sample_rows], tables))
        return nearest_centers(L, tables, np.eye(r), model.cluster_centers_, unit=False)
