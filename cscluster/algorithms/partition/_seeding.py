"""First centers from the neighbourhoods that must-links form (bilenko2004, section 3.1)."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.constraints import Constraints
from cscluster.errors import ParameterError
from cscluster.linalg.scatter import group_sums


def seed_centers(
    X: FloatArray, constraints: Constraints, n_clusters: int, rng: np.random.Generator
) -> FloatArray:
    """Return first centers of shape (n_clusters, n_features).

    They are centroids of neighbourhoods: of all, or where there are more than clusters of those
    that a weighted farthest-first traversal picks.  Where there are fewer, the other centers are
    random perturbations of the global centroid.
    """
    centroids, sizes = _neighbourhoods(X, constraints)
    if len(centroids) > n_clusters:
        return centroids[farthest_first(centroids, sizes, n_clusters)]
    missing = n_clusters - len(centroids)
    perturbed = X.mean(axis=0) + X.std(axis=0) * rng.standard_normal((missing, X.shape[1]))
    return np.concatenate([centroids, perturbed])


def authors_seeds(
    X: FloatArray, constraints: Constraints, n_clusters: int, rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Return first centers and first labels as the program of the authors of bilenko2004 has them.

    It differs from `seed_centers` in what the paper leaves open: the distance of two neighbourhoods is
    weighted by the geometric mean of their sizes, a perturbed centroid is `perturbed_centroids`, and the
    samples of a neighbourhood that seeds a cluster are labelled; others have the label -1.
    """
    centroids, sizes = _neighbourhoods(X, constraints)
    picked = np.arange(len(sizes))
    if len(sizes) > n_clusters:
        picked = farthest_first(centroids, sizes, n_clusters, both_sizes=True)
    cluster = np.full(len(sizes) + 1, -1)
    cluster[picked] = np.arange(len(picked))
    perturbed = perturbed_centroids(X.mean(axis=0), n_clusters - len(picked), rng)
    return np.concatenate([centroids[picked], perturbed]), cluster[constraints.binding.chunklets]


def perturbed_centroids(centroid: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Return `count` centers whose features are ``centroid * (1 + 0.7 (U - 1/2))``, U uniform on [0, 1]."""
    return centroid * (1 + 0.7 * (rng.random((count, len(centroid))) - 0.5))


def far_pair(X: Samples, n_clusters: int, rng: np.random.Generator) -> IntArray:
    """Return two random samples whose distance is in the upper tenth of those between samples.

    Zhang et al. (2009) require that two prototypes are "sufficiently far away" from each other; the tenth is
    a guess.  The quantile is that of 10,000 random pairs.
    """
    if n_clusters != 2:
        raise ParameterError(f"init='far' needs n_clusters=2, got {n_clusters}.")
    pairs = rng.integers(X.shape[0], size=(10_000, 2))
    gaps = X[pairs[:, 0]] - X[pairs[:, 1]]
    squared = gaps.multiply(gaps) if sparse.issparse(gaps) else gaps**2
    distances = np.asarray(squared.sum(axis=1)).ravel()
    far = distances >= np.quantile(distances, 0.9)
    return pairs[far][0]


def _neighbourhoods(X: FloatArray, constraints: Constraints) -> tuple[FloatArray, IntArray]:
    """Return centroids and sizes of the neighbourhoods."""
    chunklets = constraints.binding.chunklets
    members = np.flatnonzero(chunklets >= 0)
    sizes = np.bincount(chunklets[members])
    return group_sums(X[members], chunklets[members], len(sizes)) / sizes[:, None], sizes


def farthest_first(
    points: FloatArray, weights: IntArray, count: int, *, both_sizes: bool = False
) -> IntArray:
    """Pick `count` points, the heaviest first, then each time the largest weighted distance.

    The distance of a point is that to the closest point picked so far, times the weight of the point or,
    with `both_sizes`, times the geometric mean of the weights of both.
    """
    picked = [int(np.argmax(weights))]
    distance = np.full(len(points), np.inf)
    while len(picked) < count:
        last = picked[-1]
        weight = np.sqrt(weights * weights[last]) if both_sizes else weights
        distance = np.minimum(distance, weight * cdist(points, points[[last]]).ravel())
        distance[picked] = -1.0
        picked.append(int(np.argmax(distance)))
    return np.array(picked)
