"""Scores of a partition against the true classes: the numbers that the formulas of the catalogue ask for.

All but `satisfied` and `noise` follow from the contingency table N (classes x clusters), which is built once.
Noise, label -1, is one of its clusters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import silhouette_score

from cscluster import seeds
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.metrics.catalogue import METRICS

Table = NDArray[np.int64]

SILHOUETTE_ROWS = 2000


def contingency(y_true: ArrayLike, y_pred: ArrayLike) -> Table:
    """Return N, where ``N[i, j]`` counts the samples of class i in cluster j.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class of each sample.
    y_pred : array-like of shape (n_samples,)
        Cluster of each sample.
    """
    classes, i = np.unique(y_true, return_inverse=True)
    clusters, j = np.unique(y_pred, return_inverse=True)
    shape = (len(classes), len(clusters))
    return np.bincount(i * shape[1] + j, minlength=shape[0] * shape[1]).reshape(shape)


class Agreement:
    """How classes and clusters agree: the numbers that metrics are made of.

    Parameters
    ----------
    N : ndarray of shape (n_classes, n_clusters)
        The contingency table.

    Attributes
    ----------
    n : int
        Number of samples.
    is_one_cell : bool
        Whether there are one class and one cluster.
    majority : int
        Number of samples in the largest class of their cluster.
    matched : int
        Number of samples in the class of their cluster, under the best one-to-one map.
    matched_recall : float
        Mean recall of the classes, under the one-to-one map that is best for it.  A majority map would give
        both clusters of a skewed set to the larger class.
    class_entropy, cluster_entropy, mutual_information : float
        Entropies of classes and clusters, and what they say about each other.
    both, only_class, only_cluster, neither : int
        Numbers of pairs in one class and one cluster, in one class and two clusters, in one cluster and two
        classes, and in two of both.
    """

    def __init__(self, N: Table) -> None:
        of_classes, of_clusters = N.sum(axis=1), N.sum(axis=0)
        recall = N / of_classes[:, None]
        self.N = N
        self.n: int = int(N.sum())
        self.is_one_cell: bool = N.shape == (1, 1)
        self.majority: int = int(N.max(axis=0).sum())
        self.matched: int = int(N[linear_sum_assignment(N, maximize=True)].sum())
        matched_recall = recall[linear_sum_assignment(recall, maximize=True)]
        self.matched_recall: float = float(matched_recall.sum() / len(N))
        self.class_entropy: float = _entropy(of_classes)
        self.cluster_entropy: float = _entropy(of_clusters)
        i, j = np.nonzero(N)
        logs = np.log(N[i, j]) + np.log(self.n) - np.log(of_classes[i]) - np.log(of_clusters[j])
        self.mutual_information: float = max(float((N[i, j] / self.n * logs).sum()), 0.0)
        self.both: int = _pairs(N)
        self.only_class: int = _pairs(of_classes) - self.both
        self.only_cluster: int = _pairs(of_clusters) - self.both
        self.neither: int = self.n * (self.n - 1) // 2 - self.both - self.only_class - self.only_cluster


def _entropy(counts: Table) -> float:
    p = counts / counts.sum()
    return float(-(p * np.log(p)).sum())


def _pairs(counts: Table) -> int:
    return int((counts * (counts - 1) // 2).sum())


def scores(y_true: ArrayLike, y_pred: ArrayLike) -> dict[str, float]:
    """Return every score that follows from the contingency table.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class of each sample.
    y_pred : array-like of shape (n_samples,)
        Cluster of each sample.
    """
    agreement = Agreement(contingency(y_true, y_pred))
    return {name: metric.of(agreement) for name, metric in METRICS.items() if metric.of is not None}


def score(name: str, y_true: ArrayLike, y_pred: ArrayLike) -> float:
    """Return one score by name.

    Parameters
    ----------
    name : str
        Name from ``cscluster list metrics``.
    y_true : array-like of shape (n_samples,)
        Class of each sample.
    y_pred : array-like of shape (n_samples,)
        Cluster of each sample.
    """
    metric = METRICS.get(name)
    if metric is None or metric.of is None:
        raise ValueError(f"'{name}' is not a function of classes and clusters.")
    return metric.of(Agreement(contingency(y_true, y_pred)))


def satisfied(constraints: Constraints, labels: ArrayLike) -> float:
    """Return the share of constraints that a partition satisfies; 1 where there are none.

    Parameters
    ----------
    constraints : Constraints
        The links.
    labels : array-like of shape (n_samples,)
        Cluster of each sample.
    """
    return 1.0 - len(constraints.violated(labels)) / max(1, len(constraints))


def noise(labels: ArrayLike) -> float:
    """Return the share of samples that belong to no cluster.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Cluster of each sample, -1 for noise.
    """
    return float((np.asarray(labels) == -1).mean())


def silhouette(X: Any, labels: IntArray, seed: int, metric: str = "euclidean") -> float | None:
    """Return the mean silhouette of at most `SILHOUETTE_ROWS` rows; None for a single cluster.

    Parameters
    ----------
    X : array-like or CSR of shape (n_samples, n_features)
        The samples.
    labels : ndarray of shape (n_samples,)
        Cluster of each sample.
    seed : int
        Seed of the choice of rows, where there are more.
    metric : {"euclidean", "precomputed"}
        With 'precomputed' X is the matrix of distances.
    """
    n = X.shape[0]
    if n > SILHOUETTE_ROWS:
        rows = seeds.generator(seed, "silhouette").choice(n, SILHOUETTE_ROWS, replace=False)
        X, labels = X[np.ix_(rows, rows)] if metric == "precomputed" else X[rows], labels[rows]
    if not 2 <= len(np.unique(labels)) < len(labels):
        return None
    return float(silhouette_score(X, labels, metric=metric))
