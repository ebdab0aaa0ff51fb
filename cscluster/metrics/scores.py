"""Scores of a partition against the true classes.

All but `satisfied` follow from the contingency table N (classes x clusters), which is built once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import silhouette_score

from cscluster import seeds
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints

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


def _acc(N: Table) -> float:
    return float(N.max(axis=0).sum() / N.sum())


def _acc_hungarian(N: Table) -> float:
    return float(N[linear_sum_assignment(N, maximize=True)].sum() / N.sum())


def _balanced_error(N: Table) -> float:
    """Return 1 - mean recall of the classes under the best one-to-one map.

    A majority map would give both clusters of a skewed set to the larger class.
    """
    recall = N / N.sum(axis=1, keepdims=True)
    return float(1 - recall[linear_sum_assignment(recall, maximize=True)].sum() / len(N))


def _nmi(N: Table) -> float:
    n = N.sum()
    a, b = N.sum(axis=1), N.sum(axis=0)
    i, j = np.nonzero(N)
    cells = N[i, j]
    mutual = float((cells / n * (np.log(cells) + np.log(n) - np.log(a[i]) - np.log(b[j]))).sum())
    h = float(np.sqrt(_entropy(a) * _entropy(b)))
    return max(mutual, 0.0) / h if h > 0 else float(N.shape == (1, 1))


def _entropy(counts: Table) -> float:
    p = counts / counts.sum()
    return float(-(p * np.log(p)).sum())


def _pairs(N: Table) -> tuple[int, int, int, int]:
    """Return the numbers of pairs: in both, only in a class, only in a cluster, in neither."""

    def choose(counts: Table) -> int:
        return int((counts * (counts - 1) // 2).sum())

    both, classes, clusters = choose(N), choose(N.sum(axis=1)), choose(N.sum(axis=0))
    total = int(N.sum()) * (int(N.sum()) - 1) // 2
    return both, classes - both, clusters - both, total - classes - clusters + both


def _ratio(part: float, whole: float, otherwise: float = 1.0) -> float:
    return part / whole if whole else otherwise


def _ari(N: Table) -> float:
    both, only_class, only_cluster, neither = _pairs(N)
    if only_class == only_cluster == 0:
        return 1.0
    top = 2.0 * (float(both) * neither - float(only_class) * only_cluster)
    return top / (
        float(both + only_class) * (only_class + neither)
        + float(both + only_cluster) * (only_cluster + neither)
    )


def _rand(N: Table) -> float:
    both, only_class, only_cluster, neither = _pairs(N)
    return _ratio(both + neither, both + only_class + only_cluster + neither)


def _balanced_rand(N: Table) -> float:
    both, only_class, only_cluster, neither = _pairs(N)
    return 0.5 * _ratio(both, both + only_class) + 0.5 * _ratio(neither, neither + only_cluster)


def _precision(N: Table) -> float:
    both, _, only_cluster, _ = _pairs(N)
    return _ratio(both, both + only_cluster)


def _recall(N: Table) -> float:
    both, only_class, _, _ = _pairs(N)
    return _ratio(both, both + only_class)


def _pairwise_f(N: Table) -> float:
    both, only_class, only_cluster, _ = _pairs(N)
    return _ratio(2 * both, 2 * both + only_class + only_cluster)


_OF_TABLE: dict[str, Callable[[Table], float]] = {
    "acc": _acc,
    "acc_hungarian": _acc_hungarian,
    "error": lambda N: 1 - _acc_hungarian(N),
    "balanced_error": _balanced_error,
    "nmi": _nmi,
    "ari": _ari,
    "rand": _rand,
    "balanced_rand": _balanced_rand,
    "pairwise_f": _pairwise_f,
    "precision": _precision,
    "recall": _recall,
}


def scores(y_true: ArrayLike, y_pred: ArrayLike) -> dict[str, float]:
    """Return every score that follows from the contingency table.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class of each sample.
    y_pred : array-like of shape (n_samples,)
        Cluster of each sample.
    """
    N = contingency(y_true, y_pred)
    return {name: of_table(N) for name, of_table in _OF_TABLE.items()}


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
    if name not in _OF_TABLE:
        raise ValueError(f"'{name}' is not a function of classes and clusters.")
    return _OF_TABLE[name](contingency(y_true, y_pred))


def satisfied(constraints: Constraints, labels: ArrayLike) -> float:
    """Return the share of links that a partition keeps; 1 where there are none.

    Parameters
    ----------
    constraints : Constraints
        The links.
    labels : array-like of shape (n_samples,)
        Cluster of each sample.
    """
    return 1.0 - _ratio(len(constraints.violated(labels)), len(constraints), 0.0)


def silhouette(X: Any, labels: IntArray, seed: int) -> float | None:
    """Return the mean silhouette of at most `SILHOUETTE_ROWS` rows; None for a single cluster.

    Parameters
    ----------
    X : array-like or CSR of shape (n_samples, n_features)
        The samples.
    labels : ndarray of shape (n_samples,)
        Cluster of each sample.
    seed : int
        Seed of the choice of rows, where there are more.
    """
    n = X.shape[0]
    if n > SILHOUETTE_ROWS:
        rows = seeds.generator(seed, "silhouette").choice(n, SILHOUETTE_ROWS, replace=False)
        X, labels = X[rows], labels[rows]
    if not 2 <= len(np.unique(labels)) < len(labels):
        return None
    return float(silhouette_score(X, labels))
