"""From coordinates of the samples to labels: what the spectral methods with links share."""

from __future__ import annotations

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import FloatArray, SeededClusterer
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.joint import LINK_PRICE, joint_labels
from cscluster.algorithms.parameters import Boolean, Integer, parameter
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
        "cluster the given features by k-means unless the learned coordinates break clearly fewer links (the "
        "papers: false)",
        Boolean(),
    )
    n_init: int = parameter(10, "number of starts of k-means", Integer(1))

    def _round(self, Z: FloatArray, X: FloatArray, links: Constraints, rng: np.random.Generator) -> None:
        """Cluster the coordinates Z of the samples X, and set the attributes of a partition."""
        seed = int(rng.integers(2**31))
        model = sklearn.cluster.KMeans(self.n_clusters, n_init=self.n_init, random_state=seed).fit(Z)
        if len(links) and self.fallback:
            reference = Reference(X, self.n_clusters, self.random_state)
            if not reference.is_beaten_by(type(self).__name__, links, model.labels_, fits_features=False):
                Z, model = X, reference.kmeans._model
        self._end_with(model)
        if self.joint:
            cost = model.transform(Z) ** 2
            self.labels_ = joint_labels(cost, links, LINK_PRICE * float(cost.min(axis=1).mean()))
