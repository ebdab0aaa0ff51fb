"""Scores of a partition against the true classes.

All but `satisfied` follow from the contingency table N (classes x clusters), which is built once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from cscluster.constraints import Constraints

Table = NDArray[np.int64]


def contingency(y_true: ArrayLike, y_pred: ArrayLike) -> Table:
    """Return N, where ``N[i, j]`` counts the samples of class i in cluster j.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class of each sample.
    y_pred : array-like of shape (n_samples,)
        Cluster of each sample.
    """
    return np.asarray(contingency_matrix(y_true, y_pred), dtype=np.int64)


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


@dataclass(frozen=True)
class Metric:
    """A score.

    Attributes
    ----------
    name, title : str
        Name in configurations, and in tables.
    meaning : str
        What it measures.
    higher_is_better : bool
        Whether more is better.
    of_table : callable, optional
        Computes it from the contingency table, where that is enough.
    """

    name: str
    title: str
    meaning: str
    higher_is_better: bool = True
    of_table: Callable[[Table], float] | None = None


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("acc", "ACC", "share of samples in their cluster's majority class (zeng2012, 27)", True, _acc),
        Metric("acc_hungarian", "ACC (1:1)", "the same with one class for each cluster", True,
               _acc_hungarian),
        Metric("error", "error", "1 - acc (zhang2009)", False, lambda N: 1 - _acc(N)),
        Metric("balanced_error", "balanced error", "mean of the classes' error rates, one class for each "
               "cluster (zhang2009)", False, _balanced_error),
        Metric("nmi", "NMI", "mutual information over the geometric mean of entropies (zeng2012, 28)", True,
               _nmi),
        Metric("ari", "ARI", "Rand index adjusted for chance", True, _ari),
        Metric("rand", "Rand", "share of pairs on which classes and clusters agree", True, _rand),
        Metric("balanced_rand", "balanced Rand", "mean agreement on pairs inside and between classes "
               "(baghshah2010, 4.2)", True, _balanced_rand),
        Metric("pairwise_f", "pairwise F", "F-measure over pairs put together (bilenko2004)", True,
               _pairwise_f),
        Metric("precision", "precision", "share of pairs in a cluster that share a class", True, _precision),
        Metric("recall", "recall", "share of pairs of a class that share a cluster", True, _recall),
        Metric("satisfied", "links kept", "share of the given links that the partition keeps"),
        Metric("seconds", "seconds", "time of offline step, fit and update", False),
        Metric("iterations", "iterations", "iterations of the algorithm", False),
    )
}  # fmt: skip

SCOPES = ("all", "unconstrained", "heldout", "unseen")


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
    return {name: metric.of_table(N) for name, metric in METRICS.items() if metric.of_table}


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
    of_table = METRICS[name].of_table
    if of_table is None:
        raise ValueError(f"'{name}' is not a function of classes and clusters.")
    return of_table(contingency(y_true, y_pred))


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
