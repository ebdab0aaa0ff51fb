"""The clusters that answers make: the same that ``cscluster cluster`` makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cscluster.arrays import IntArray
from cscluster.constraints.files import Link, as_constraints
from cscluster.data.dataset import Dataset
from cscluster.queries.active import find_groups
from cscluster.tables import method
from cscluster.tables.describe import Cluster, describe_clusters
from cscluster.tables.method import Method

TYPICAL_ROWS = 8


@dataclass(frozen=True)
class Clusters:
    """Clusters, and how they were made.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each row.
    n_clusters : int
        Number of clusters.
    algorithm : str
        Title of the method.
    reason : str
        Why it is this method.
    notes : list of str
        Warnings of the method and of its choice.
    described : list of Cluster
        What is in each cluster.
    colours : ndarray of shape (n_clusters,)
        A number for each cluster that stays with most of its rows from one clustering to the next.
    is_baseline : bool
        Whether a comparison left it at k-means.
    news : str
        What has changed about the method since the clustering before.
    """

    labels: IntArray
    n_clusters: int
    algorithm: str
    reason: str
    notes: list[str]
    described: list[Cluster]
    colours: IntArray
    is_baseline: bool = False
    news: str = ""


class AnswerClusterer:
    """Makes clusters of answers.

    Parameters
    ----------
    table : Dataset
        The rows as the user knows them.
    X : array or sparse matrix of shape (n, d)
        The rows as methods see them.
    n_clusters : int, optional
        Number of clusters; by default that of the groups that answers keep apart, at least two.
    algorithm : str, optional
        Name of the method; by default `Auto` chooses it.
    seed : int
        Seed of all random choices.
    """

    def __init__(
        self,
        table: Dataset,
        X: Any,
        n_clusters: int | None = None,
        algorithm: str | None = None,
        seed: int = 0,
    ) -> None:
        self.table = table
        self.X, self.n_clusters, self.algorithm, self.seed = X, n_clusters, algorithm, seed
        self._latest: Clusters | None = None

    def __call__(self, answers: Sequence[Link]) -> Clusters:
        """Return the clusters, with the colours of the call before where they can be."""
        constraints = as_constraints(answers, self.X.shape[0])
        groups = find_groups((link.a, link.b, link.together) for link in answers).groups
        k = self.n_clusters or max(2, len(groups))
        wanted = Method(self.algorithm, n_clusters=k, closure=self.algorithm is None)
        fit = method.fit(wanted, k, self.X, constraints, self.seed)
        choice = fit.choice
        reason = "you asked for it" if choice is None else choice.reason_
        tints = np.arange(k)
        news = ""
        if self._latest is not None:
            tints = colours(fit.labels, self._latest.labels, self._latest.colours, k)
            if fit.title != self._latest.algorithm:
                news = f"Now clustered by {fit.title}: {reason}."
        self._latest = Clusters(
            fit.labels,
            k,
            fit.title,
            reason,
            fit.notes,
            describe_clusters(self.table, self.X, fit.labels, k, TYPICAL_ROWS),
            tints,
            choice is not None and choice.uses_baseline_,
            news,
        )
        return self._latest


def colours(labels: IntArray, before: IntArray, colours_before: IntArray, n_clusters: int) -> IntArray:
    """Return a colour for each cluster: the one that most of its rows had before, and no colour twice.

    Parameters
    ----------
    labels, before : ndarray of shape (n,)
        Clusters now and before.
    colours_before : ndarray of int
        Colour of each cluster before.
    n_clusters : int
        Number of clusters now.
    """
    shared = np.zeros((n_clusters, max(n_clusters, int(colours_before.max()) + 1)), dtype=np.int64)
    np.add.at(shared, (labels, colours_before[before]), 1)
    return np.asarray(linear_sum_assignment(shared, maximize=True)[1], dtype=np.int64)
