"""Samples and classes of data sets with constraints that are drawn as experiments draw them."""

import numpy as np
from scipy.spatial.distance import cdist

from cscluster import load_dataset
from cscluster.experiment.config.schedules import BalancedPairs, RandomPairs


def with_random_pairs(name, count, trial=0, seed=0):
    """Return samples, classes, and constraints between random pairs."""
    data = load_dataset(name)
    episode = RandomPairs(counts=[count]).episode(count, data.y, seed, name, trial)
    return data.X.astype(float), data.y, episode.tiers[0]


def with_balanced_pairs(name, count, trial=0):
    """Return samples, classes, and as many must-links as cannot-links."""
    data = load_dataset(name)
    episode = BalancedPairs(counts=[count]).episode(count, data.y, 0, name, trial)
    return data.X.astype(float), data.y, episode.tiers[0]


def standardised_with_balanced_pairs(name, count, trial=0):
    """Return standardised samples, classes, and as many must-links as cannot-links."""
    X, y, constraints = with_balanced_pairs(name, count, trial)
    scale = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1), y, constraints


def blobs(n_clusters=3, n=90, d=4, seed=0, gap=6):
    """Return samples around centers that are far from each other, and their clusters."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_clusters
    return rng.normal(size=(n, d)) + gap * rng.normal(size=(n_clusters, d))[y], y


def squared_distances(metric, X):
    """Return the squared distances of a fitted metric between all samples."""
    Z = metric.transform(X)
    return cdist(Z, Z, "sqeuclidean")
