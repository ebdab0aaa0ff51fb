"""How many clusters, where the user leaves that open."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cscluster import threads
from cscluster.algorithms.build import build
from cscluster.algorithms.shared import sharing_parts
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, DataError
from cscluster.metrics.scores import silhouette
from cscluster.selection import heldout
from cscluster.selection.heldout import Tick
from cscluster.selection.method import EQUAL, shortlist

MOST = 10
_BEYOND_BOUND = 3
_QUICK = ("pckmeans", "rca", "itml")


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


def lower_bound(links: Constraints) -> int:
    """Return a number of groups of must-linked samples that are all cannot-linked with each other.

    A clique is grown from each group in turn, the most linked groups first; no partition into
    fewer clusters keeps all links.
    """
    edges = links.component_cannot_links
    neighbours: dict[int, set[int]] = {}
    for a, b in edges.tolist():
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    ranked = sorted(neighbours, key=lambda group: (-len(neighbours[group]), group))
    best = min(len(ranked), 1)
    for start in ranked[:200]:
        clique, left = 1, set(neighbours[start])
        while left:
            nearest = max(left, key=lambda group: (len(neighbours[group] & left), -group))
            left &= neighbours[nearest]
            clique += 1
        best = max(best, clique)
    return best


def candidates(n_samples: int, links: Constraints) -> list[int]:
    """Return the numbers to try: from what the links need up to ten, or a few more than they need."""
    low = max(2, lower_bound(links))
    high = min(max(MOST, low + _BEYOND_BOUND), n_samples - 1)
    if low > high:
        raise ConstraintError(
            f"The links need at least {low} clusters of {n_samples} rows; say how many there are."
        )
    return list(range(low, high + 1))


def choose_count(
    X: Any, links: Constraints, algorithm: str | None, params: dict[str, Any], seed: int, tick: Tick
) -> Count:
    """Choose the number of clusters.

    With enough links it is the number at which most held-out links are kept, by the named
    algorithm or by the best of three quick ones; the smallest, where several are equal.  Else it
    is the number at which k-means has the largest silhouette.
    """
    numbers = candidates(X.shape[0], links)
    X, links = heldout.fewer_rows(X, links, seed)
    with threads.for_table(X), sharing_parts(X):
        return _best_of(numbers, X, links, algorithm, params, seed, tick)


def _best_of(
    numbers: Sequence[int],
    X: Any,
    links: Constraints,
    algorithm: str | None,
    params: dict[str, Any],
    seed: int,
    tick: Tick,
) -> Count:
    if heldout.are_enough(links):
        parts = heldout.splits(links, seed)
        names = _methods(X, algorithm)
        scores = {
            k: max(heldout.attempt(name, params, X, parts, k, seed, tick).score for name in names)
            for k in numbers
        }
        if max(scores.values()) < 0:
            raise DataError("No number of clusters could be tried; say how many clusters there are.")
        return _best_count(scores, "held-out links kept", "most held-out links are kept there")
    scores = {}
    for k in numbers:
        tick("k-means")
        with warnings.catch_warnings(action="ignore"):
            labels = build("kmeans", {}, k, seed).fit(X).labels_
        scores[k] = silhouette(X, labels, seed) or -1.0
    return _best_count(scores, "silhouette", "the silhouette of k-means is largest there")


def n_fits(X: Any, links: Constraints, algorithm: str | None) -> int:
    """Return the number of fits that `choose_count` makes."""
    each = heldout.FOLDS * len(_methods(X, algorithm)) if heldout.are_enough(links) else 1
    return len(candidates(X.shape[0], links)) * each


def _methods(X: Any, algorithm: str | None) -> Sequence[str]:
    if algorithm is not None:
        return [algorithm]
    return [name for name in shortlist(X) if name in _QUICK] or shortlist(X)[:1]


def _best_count(scores: dict[int, float], name: str, reason: str) -> Count:
    best = max(scores.values())
    number, score = next((k, score) for k, score in scores.items() if score > best - EQUAL)
    return Count(number, scores, name, reason if score == best else f"no number is better by {EQUAL} or more")
