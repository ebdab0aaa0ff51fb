"""How many clusters, where the user leaves that open."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cscluster import threads
from cscluster.algorithms.build import title
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.algorithms.shared import sharing_parts
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, CsclusterError, DataError
from cscluster.metrics.scores import silhouette
from cscluster.selection import heldout
from cscluster.selection.auto import candidates_for
from cscluster.selection.compare import OnFit

MOST = 10
_BEYOND_BOUND = 3
_QUICK = ("pckmeans", "rca", "itml")
EQUAL = 0.01
"""Scores that differ by less count as equal."""


@dataclass(frozen=True)
class Count:
    """The number of clusters that was chosen.

    Attributes
    ----------
    n_clusters : int
        The choice.
    scores : dict
        Score of each number that was tried.
    score_name : str
        What the score is.
    reason : str
        Why this one.
    """

    n_clusters: int
    scores: dict[int, float]
    score_name: str
    reason: str


def lower_bound(constraints: Constraints) -> int:
    """Return a number of must-link components that are all cannot-linked with each other.

    A clique is grown from each component in turn, those with most cannot-links first; no partition into
    fewer clusters satisfies all constraints.
    """
    edges = constraints.component_cannot_links
    neighbours: dict[int, set[int]] = {}
    for a, b in edges.tolist():
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    ranked = sorted(neighbours, key=lambda component: (-len(neighbours[component]), component))
    best = min(len(ranked), 1)
    for start in ranked[:200]:
        clique, left = 1, set(neighbours[start])
        while left:
            member = max(left, key=lambda component: (len(neighbours[component] & left), -component))
            left &= neighbours[member]
            clique += 1
        best = max(best, clique)
    return best


def candidates(n_samples: int, constraints: Constraints) -> list[int]:
    """Return the numbers to try: from what the constraints need up to ten, or a few more than they need."""
    low = max(2, lower_bound(constraints))
    high = min(max(MOST, low + _BEYOND_BOUND), n_samples - 1)
    if low > high:
        raise ConstraintError(
            f"The constraints need at least {low} clusters of {n_samples} rows. Say how many there are."
        )
    return list(range(low, high + 1))


def choose_count(
    X: Any,
    constraints: Constraints,
    methods_for: Callable[[int], Sequence[Any]] | None,
    seed: int,
    on_fit: OnFit | None = None,
) -> Count:
    """Choose the number of clusters.

    With enough constraints it is the number with the highest held-out constraint accuracy of the best of
    some methods; the smallest, where several are equal.  Else it is the number at which k-means has the
    largest silhouette.

    Parameters
    ----------
    X, constraints : array, Constraints
        Samples and constraints.
    methods_for : callable, optional
        Takes a number of clusters and returns unfitted estimators; by default quick candidates of `Auto`.
    seed : int
        Seed of all random choices.
    on_fit : callable, optional
        Reports progress.
    """
    numbers = candidates(X.shape[0], constraints)
    every = candidates_for(X, constraints)
    quick = [each for each in every if each.name in _QUICK] or every
    methods_for = methods_for or (lambda k: [each.build(k, seed) for each in quick])
    X, constraints = heldout.fewer_rows(X, constraints, seed)
    report = on_fit or (lambda name, done, total: None)
    with threads.for_table(X), sharing_parts(X):
        methods = {k: methods_for(k) for k in numbers}
        if heldout.are_enough(constraints) and any(methods.values()):
            scores = _heldout_scores(methods, X, constraints, seed, report)
            return _best_count(scores, "held-out accuracy", "its held-out constraint accuracy is highest")
        scores = _silhouettes(numbers, X, seed, report)
        return _best_count(scores, "silhouette", "the silhouette of k-means is largest there")


def _heldout_scores(
    methods: Mapping[int, Sequence[Any]], X: Any, constraints: Constraints, seed: int, report: OnFit
) -> dict[int, float]:
    """Return the highest held-out constraint accuracy of some methods at each number of clusters."""
    scores: dict[int, float] = {}
    done, total = 0, sum(map(len, methods.values()))
    for k, of_number in methods.items():
        for method in of_number:
            report(f"{title(method)}, {k} clusters", done, total)
            done += 1
            with contextlib.suppress(CsclusterError):  # a method may not take this number
                score = heldout.accuracy(heldout.labels_of(method, X), constraints, seed)
                scores[k] = max(score.value, scores.get(k, 0.0))
    if not scores:
        raise DataError("No number of clusters could be tried. Say how many clusters there are.")
    return scores


def _silhouettes(numbers: Sequence[int], X: Any, seed: int, report: OnFit) -> dict[int, float]:
    """Return the silhouette of k-means at each number of clusters."""
    scores = {}
    for done, k in enumerate(numbers):
        report(f"k-means, {k} clusters", done, len(numbers))
        with warnings.catch_warnings(action="ignore"):
            labels = KMeans(n_clusters=k, random_state=seed).fit(X).labels_
        scores[k] = silhouette(X, labels, seed) or -1.0
    return scores


def _best_count(scores: dict[int, float], name: str, reason: str) -> Count:
    best = max(scores.values())
    number, score = next((k, score) for k, score in scores.items() if score > best - EQUAL)
    return Count(number, scores, name, reason if score == best else f"no number is better by {EQUAL} or more")
