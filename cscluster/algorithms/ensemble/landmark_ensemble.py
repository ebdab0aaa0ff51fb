"""The landmark ensemble: partitions by landmark graphs, and a kernel learned from constraints."""

from __future__ import annotations

from typing import Self

from cscluster.algorithms.base import IntArray
from cscluster.algorithms.ensemble._consensus import LearnedKernel, cluster_coordinates
from cscluster.algorithms.ensemble._ensemble import PartitionEnsemble, nearest_centers
from cscluster.algorithms.ensemble._labels import embed, normalized
from cscluster.algorithms.parameters import Real, parameter
from cscluster.constraints import Constraints


class LandmarkEnsemble(PartitionEnsemble):
    r"""An ensemble of spectral partitions that learns a kernel from constraints, tier after tier.

    As in `SCSC`, an offline step makes m partitions of the samples without constraints, and an online step
    follows one tier of constraints after another.  They change the kernel :math:`u_i^T Q u_j` between
    coordinates u of the samples in the bipartite graph of samples and clusters [1]_: must-links ask for
    one, cannot-links for zero, and ``mu`` holds Q near its start.

    Attributes
    ----------
    partitions_ : ndarray of shape (n_partitions, n_samples)
        Labels of the partitions, of type uint8 up to 255 clusters and wider beyond.
    offline_seconds_ : float
        Time that the offline step took.

    Notes
    -----
    Partitions have r to 2r clusters each, by default from landmark graphs [2]_, and the coordinates are
    the 2r leading eigenvectors of the bipartite graph, each sample's scaled to length one.  Constraints
    enter through sums over pairs of coordinates: in tiers they give the same result as all at once, and
    earlier ones are not needed again.

    It learns from `sample_size` samples and places all others in blocks, so that it needs little memory
    beside the partitions, whatever n is.

    Offline O(n m p d') with p landmarks and d' features of a subset, O(n m) bytes.  A tier of u constraints
    takes O(u r^4 + r^6), the hard partition O(n m r).

    References
    ----------
    .. [1] X. Fern, C. Brodley, "Solving Cluster Ensemble Problems by Bipartite Graph Partitioning",
       2004. doi:10.1145/1015330.1015414
    .. [2] X. Chen, D. Cai, "Large Scale Spectral Clustering with Landmark-Based Representation", 2011.

    Examples
    --------
    >>> from cscluster import LandmarkEnsemble
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = LandmarkEnsemble(n_clusters=2, n_partitions=5, random_state=0)
    >>> model = model.fit(X, constraints=[(0, 1, "must")])
    >>> labels = model.partial_fit(constraints=[(2, 3, "cannot")]).labels_
    >>> bool(labels[0] == labels[2] != labels[3] == labels[5])
    True
    """

    version = 5
    _most_times = 2

    n_partitions: int = 30
    partitions: str = "graph"
    features: float | int = 0.75
    mu: float = parameter(
        5.0, "pull of the learned kernel towards its start, in constraints", Real(0, open_low=True)
    )

    def _initialise_consensus(self, counts: IntArray) -> None:
        L = self.partitions_[:, self._sample_rows]
        self._tables, eigenvalues = cluster_coordinates(L, counts, 2 * self.n_clusters)
        self._kernel = LearnedKernel.empty(eigenvalues)

    def _update_consensus(self, constraints: Constraints) -> Self:
        """Learn the kernel and round by k-means in its space."""
        L, tables = self.partitions_, self._tables
        self._kernel = self._kernel.add(L, tables, constraints)
        T = self._kernel.map(self.mu)
        model = self._kmeans(normalized(embed(L[:, self._sample_rows], tables)) @ T)
        labels = nearest_centers(L, tables, T, model.cluster_centers_, unit=True)
        return self._set_kmeans_partition(model, labels)
