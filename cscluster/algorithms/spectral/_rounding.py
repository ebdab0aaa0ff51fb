"""From coordinates of the samples to labels."""

from __future__ import annotations

import numpy as np
import sklearn.cluster

from cscluster.arrays import FloatArray


def kmeans_rounding(
    Z: FloatArray, n_clusters: int, n_init: int, rng: np.random.Generator
) -> sklearn.cluster.KMeans:
    """Return k-means fitted to the rows of Z."""
    seed = int(rng.integers(2**31))
    return sklearn.cluster.KMeans(n_clusters, n_init=n_init, random_state=seed).fit(Z)
