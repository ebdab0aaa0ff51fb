"""The landmark ensemble: partitions by landmark graphs, and a kernel between samples that links change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.ensemble._consensus import LearnedKernel, cluster_coordinates
from cscluster.algorithms.ensemble._ensemble import PartitionEnsemble, nearest_centers
from cscluster.algorithms.ensemble._labels import embed, normalized
from cscluster.algorithms.ensemble._rows import Rows
from cscluster.algorithms.fallback import beats_kmeans
from cscluster.algorithms.joint import LINK_PRICE, joint_labels
from cscluster.algorithms.parameters import Boolean, Real, parameter
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.constraints import Constraints


class LandmarkEnsemble(PartitionEnsemble):
    r"""An ensemble of spectral partitions that learns a kernel from links, tier after tier.

    As in `SCSC`, an offline step makes m partitions of the samples without links, and an online step
    takes in one tier of links after another.  Links change the kernel :math:`u_i^T Q u_j` between
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
    the 2r leading eigenvectors of the bipartite graph, each sample's scaled to length one.  Links enter
    through sums over pairs of coordinates: links in tiers give the same result as all at once, and earlier
    links are not needed again.

    It learns from `sample_size` samples and places all others in blocks, so that it needs little memory
    beside the partitions, whatever n is.

    Offline O(n m p d') with p landmarks and d' features of a subset, O(n m) bytes.  A tier of u links
    takes O(u r^4 + r^6), the hard partition O(n m r).

    References
    ----------
    .. [1] X. Fern, C. Brodley, "Solving Cluster Ensemble Problems by Bipartite Graph Partitioning",
       2004. doi:10.1145/1015330.1015414
    .. [2] X. Chen, D. Cai, "Large Scale Spectral Clustering with Landmark-Based Representation", 2011.

    Examples
    --------
    >>> from cscluster import LandmarkEnsemble, Constraints
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = LandmarkEnsemble(n_clusters=2, n_partitions=5, random_state=0)
    >>> model = model.fit(X, Constraints([(0, 1)], n_samples=6))
    >>> labels = model.partial_fit(Constraints([], [(2, 3)], n_samples=6)).labels_
    >>> bool(labels[0] == labels[2] != labels[3] == labels[5])
    True
    """

    version = 5

    n_partitions: int = 30
    partitions: str = "graph"
    features: float | int = 0.75
    mu: float = parameter(
        5.0, "pull of the learned kernel towards its start, in links", Real(0, open_low=True)
    )
    joint: bool = parameter(
        True,
        "label the linked samples of all tiers together: a broken link costs as much as three samples",
        Boolean(),
    )
    fallback: bool = parameter(
        True,
        "take the clusters of k-means unless the consensus breaks clearly fewer links of all tiers",
        Boolean(),
    )

    def _most_clusters(self) -> int:
        return 2 * self.n_clusters

    def _look_at(self, rows: Rows | None, sample: FloatArray | None) -> None:
        self._kmeans_labels: IntArray | None = None
        if self.fallback and rows is not None and sample is not None:
            self._kmeans_labels = self._kmeans(rows, sample)

    def _prepare(self, counts: IntArray) -> None:
        L = self.partitions_[:, self._drawn]
        self._tables, eigenvalues = cluster_coordinates(L, counts, 2 * self.n_clusters)
        self._kernel = LearnedKernel.empty(eigenvalues)
        self._links = Constraints.empty(self.partitions_.shape[1])

    def _take_in(self, links: Constraints) -> Self:
        self._links = self._links | links
        self._kernel = self._kernel.add(self.partitions_, self._tables, links)
        return self._spectral_partition()

    def _spectral_partition(self) -> Self:
        """Round by k-means in the space of the learned kernel."""
        L, tables = self.partitions_, self._tables
        T = self._kernel.map(self.mu)
        model = self._cluster(normalized(embed(L, tables, self._drawn)) @ T)
        self._end_with(model)
        self.labels_ = nearest_centers(L, tables, T, model.cluster_centers_, unit=True)
        self._settle(lambda samples: model.transform(normalized(embed(L, tables, samples)) @ T) ** 2)
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
        if kmeans is not None and not beats_kmeans(
            type(self).__name__, of_linked, self.labels_[linked], kmeans[linked], n_needed=0.0
        ):
            self.labels_ = kmeans.copy()
            costs, price = (kmeans[linked, None] != np.arange(self.n_clusters)).astype(np.float64), LINK_PRICE
        else:
            costs = cost(linked).astype(np.float64)
            price = LINK_PRICE * float(costs.min(axis=1).mean())
        if self.joint:
            self.labels_[linked] = joint_labels(costs, of_linked, price)

    def _kmeans(self, rows: Rows, sample: FloatArray) -> IntArray:
        """Return the labels of k-means that is learned from a sample."""
        model = KMeans(n_clusters=self.n_clusters, random_state=self.random_state).fit(sample)
        return np.concatenate([model.predict(block) for block in rows.blocks()])
