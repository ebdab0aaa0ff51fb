"""From coordinates of the samples to labels: what the spectral methods with links share."""

from __future__ import annotations

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import FloatArray, SeededClusterer
from cscluster.algorithms.fallback import beats_kmeans
from cscluster.algorithms.joint import LINK_PRICE, joint_labels
from cscluster.algorithms.parameters import Boolean, Integer, parameter
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.constraints import Constraints


class RoundedClusterer(SeededClusterer):
    """A clusterer that ends with k-means in coordinates which it has learned."""

    joint: bool = parameter(
        True,
        "label linked samples together: a broken link costs as much as three samples; else each sample has "
        "the nearest centre (the papers)",
        Boolean(),
    )
    fallback: bool = parameter(
        True,
        "cluster the given features by k-means where that breaks no more links than the learned coordinates "
        "do (the papers: false)",
        Boolean(),
    )
    n_init: int = parameter(10, "number of starts of k-means", Integer(1))

    def _round(self, Z: FloatArray, X: FloatArray, links: Constraints, rng: np.random.Generator) -> None:
        """Cluster the coordinates Z of the samples X, and set the attributes of a partition."""
        seed = int(rng.integers(2**31))
        model = sklearn.cluster.KMeans(self.n_clusters, n_init=self.n_init, random_state=seed).fit(Z)
        if len(links) and self.fallback:
            kmeans = KMeans(n_clusters=self.n_clusters, random_state=self.random_state).fit(X)
            if not beats_kmeans(type(self).__name__, links, model.labels_, kmeans.labels_):
                Z, model = X, kmeans._model
        self._end_with(model)
        if self.joint:
            cost = model.transform(Z) ** 2
            self.labels_ = joint_labels(cost, links, LINK_PRICE * float(cost.min(axis=1).mean()))
