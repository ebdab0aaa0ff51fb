"""The clusters that answers make: the same that ``cscluster cluster`` makes of them."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.constraints.active import find_groups
from cscluster.constraints.files import Link, as_constraints
from cscluster.selection import heldout, method
from cscluster.tables import method as tables
from cscluster.tables.describe import Cluster, describe_clusters
from cscluster.tables.table import Table

RECENT = 20
"""The method is chosen again after so many answers; of so many it is said which rows they moved."""
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
        Name of the method in the registry.
    reason : str
        Why it is this method.
    notes : list of str
        What the method and its choice warn of.
    described : list of Cluster
        What is in each cluster.
    colours : ndarray of shape (n_clusters,)
        A number for each cluster that stays with most of its rows from one clustering to the next.
    moved : int, optional
        Number of rows that the latest `RECENT` answers moved to another cluster, None before that.
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
    moved: int | None = None
    news: str = ""


class Clusterer:
    """Makes clusters of answers.

    Parameters
    ----------
    table : Table
        The rows as the user knows them.
    X : array or sparse matrix of shape (n, d)
        The rows as methods see them.
    n_clusters : int, optional
        Number of clusters; by default that of the groups that answers keep apart, at least two.
    algorithm : str, optional
        Name of the method; by default the rule for tables chooses it.  What it has chosen stays while it is
        as good as the best.
    seed : int
        Seed of all random choices.
    """

    def __init__(
        self, table: Table, X: Any, n_clusters: int | None = None, algorithm: str | None = None, seed: int = 0
    ) -> None:
        self.table = table
        self.X, self.n_clusters, self.algorithm, self.seed = X, n_clusters, algorithm, seed
        self._choice: method.Choice | None = None
        self._chosen_at = 0
        self._latest: Clusters | None = None
        self._history: deque[tuple[int, IntArray]] = deque(maxlen=2 * RECENT)

    def __call__(self, answers: Sequence[Link]) -> Clusters:
        """Return the clusters; the method and the colours are those of the call before where they can be."""
        links = as_constraints(answers, self.X.shape[0])
        groups = find_groups((link.a, link.b, link.together) for link in answers).groups
        k = self.n_clusters or max(2, len(groups))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            name, reason = self._method(links, k)
        fit = tables.fit(name, {}, k, self.X, links, self.seed)
        notes = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
        tints = np.arange(k)
        news = ""
        if self._latest is not None:
            tints = colours(fit.labels, self._latest.labels, self._latest.colours, k)
            if name != self._latest.algorithm:
                news = f"Now clustered by {heldout.title(name)}: {reason}."
        self._latest = Clusters(
            fit.labels,
            k,
            name,
            reason,
            list(dict.fromkeys(notes + fit.warnings)),
            describe_clusters(self.table, self.X, fit.labels, k, TYPICAL_ROWS),
            tints,
            self._moved(len(answers), tints[fit.labels]),
            news,
        )
        return self._latest

    def _moved(self, n_answers: int, coloured: IntArray) -> int | None:
        """Return how many rows have another colour than `RECENT` answers ago, and remember the colours."""
        while self._history and self._history[-1][0] >= n_answers:
            self._history.pop()
        earlier = [before for count, before in self._history if count <= n_answers - RECENT]
        self._history.append((n_answers, coloured))
        return int((coloured != earlier[-1]).sum()) if earlier else None

    def _method(self, links: Constraints, n_clusters: int) -> tuple[str, str]:
        """Return the name of the method, and why it is this one."""
        if self.algorithm is not None:
            return self.algorithm, "you asked for it"
        before = self._choice
        if before is None or not before.attempts or abs(len(links) - self._chosen_at) >= RECENT:
            chosen = method.choose_algorithm(self.X, links, n_clusters, self.seed, lambda _: None)
            self._choice, self._chosen_at = _stable(chosen, before), len(links)
        assert self._choice is not None
        return self._choice.algorithm, self._choice.reason


def _stable(chosen: method.Choice, before: method.Choice | None) -> method.Choice:
    """Return a choice that keeps to the method of the one before where that is as good."""
    scores = {attempt.algorithm: attempt.score for attempt in chosen.attempts}
    if before is None or not {chosen.algorithm, before.algorithm} <= set(scores):
        return chosen
    if scores[before.algorithm] <= scores[chosen.algorithm] - method.EQUAL:
        return chosen
    reason = f"no method keeps more held-out links ({scores[before.algorithm]:.2f}) by {method.EQUAL} or more"
    return method.Choice(before.algorithm, chosen.attempts, reason)


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
