"""Functions of the distance between samples and landmarks."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances

from cscluster.arrays import FloatArray


def mean_squared_distance(X: FloatArray) -> float:
    """Return the mean of ``||x_i - x_j||^2`` over pairs of samples: twice the total variance."""
    return float(2 * X.var(axis=0, ddof=1).sum())


def exponential(X: FloatArray, landmarks: FloatArray, w: float) -> FloatArray:
    """Return ``exp(-||x_i - l_j|| / w)``, an n x m matrix.

    It has a kink at distance zero, hence distances free of cancellation.
    """
    return np.exp(cdist(X, landmarks) / -w)


def gaussian(X: FloatArray, landmarks: FloatArray, variance: float) -> FloatArray:
    """Return ``exp(-||x_i - l_j||^2 / (2 variance))``, an n x m matrix."""
    return np.exp(euclidean_distances(X, landmarks, squared=True) / (-2 * variance))
