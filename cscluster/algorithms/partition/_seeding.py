"""First centres from the neighbourhoods that must-links form (bilenko2004, section 3.1)."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.partition._sums import group_sums
from cscluster.constraints import Constraints


def seed_centers(
    X: FloatArray, constraints: Constraints, n_clusters: int, rng: np.random.Generator
) -> FloatArray:
    """Return first centres of shape (n_clusters, n_features).

    They are centroids of neighbourhoods: of all, or where there are more than clusters of those
    that a weighted farthest-first traversal picks.  Where there are fewer, the other centres are
    random perturbations of the global centroid.
    """
    members = np.flatnonzero(constraints.chunklets >= 0)
    sizes = np.bincount(constraints.chunklets[members])
    centroids = group_sums(X[members], constraints.chunklets[members], len(sizes)) / sizes[:, None]
    if len(centroids) > n_clusters:
        return centroids[farthest_first(centroids, sizes, n_clusters)]
    missing = n_clusters - len(centroids)
    perturbed = X.mean(axis=0) + X.std(axis=0) * rng.standard_normal((missing, X.shape[1]))
    return np.concatenate([centroids, perturbed])


def farthest_first(points: FloatArray, weights: IntArray, count: int) -> IntArray:
    """Pick `count` points, the heaviest first, then each time the largest weight times distance.

    The distance of a point is that to the closest point picked so far.
    """
    picked = [int(np.argmax(weights))]
    distance = np.full(len(points), np.inf)
    while len(picked) < count:
        distance = np.minimum(distance, cdist(points, points[picked[-1:]]).ravel())
        score = weights * distance
        score[picked] = -1.0
        picked.append(int(np.argmax(score)))
    return np.array(picked)
