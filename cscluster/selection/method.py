"""Which method to use, where the user leaves that open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse

from cscluster.algorithms import registry
from cscluster.constraints import Constraints
from cscluster.selection import heldout
from cscluster.selection.heldout import Attempt, Tick

EQUAL = 0.01
"""Methods whose scores differ by less count as equal."""

_FASTEST_FIRST = ("pckmeans", "rca", "itml", "mpckmeans", "pmmc")
_MOST_COLUMNS = {"rca": 500, "itml": 500}
_MOST_ROWS = {"pmmc": 20_000}
_WITHOUT_LINKS = "kmeans"


@dataclass(frozen=True)
class Choice:
    """The method that was chosen, what was tried, and why."""

    algorithm: str
    attempts: list[Attempt]
    reason: str


def shortlist(X: Any) -> list[str]:
    """Return the methods worth a try on such data, simple ones first, k-means as a yardstick last."""
    n, d = X.shape
    names = []
    for name in (*_FASTEST_FIRST, _WITHOUT_LINKS):
        fits = n <= _MOST_ROWS.get(name, n) and d <= _MOST_COLUMNS.get(name, d)
        if fits and ("sparse" in registry.find(name).tags or not sparse.issparse(X)):
            names.append(name)
    return names


def choose_algorithm(X: Any, links: Constraints, n_clusters: int, seed: int, tick: Tick) -> Choice:
    """Choose the method that keeps most held-out links; among equals, the simplest that uses links.

    With too few links to hold some out it is the simplest method that uses links, and k-means
    without any.
    """
    names = shortlist(X)
    if not len(links):
        return Choice(_WITHOUT_LINKS, [], "there are no links")
    if not heldout.are_enough(links):
        needed = f"{heldout.MIN_LINKS} links with {heldout.MIN_OF_EACH_KIND} of each kind"
        return Choice(names[0], [], f"a comparison needs {needed}")
    X, links = heldout.fewer_rows(X, links, seed)
    parts = heldout.splits(links, seed)
    attempts = [heldout.attempt(name, {}, X, parts, n_clusters, seed, tick) for name in names]
    best = max(found.score for found in attempts)
    first = next(found for found in attempts if found.score > best - EQUAL)
    return Choice(first.algorithm, attempts, _reason(first, attempts, best))


def n_fits(X: Any, links: Constraints) -> int:
    """Return the number of fits that `choose_algorithm` makes."""
    return heldout.FOLDS * len(shortlist(X)) if heldout.are_enough(links) else 0


def _reason(chosen: Attempt, attempts: list[Attempt], best: float) -> str:
    equal = [a for a in attempts if a.score > best - EQUAL]
    if len(equal) > 1:
        return f"it is the simplest of those that keep most held-out links ({chosen.score:.2f})"
    return f"it keeps most held-out links ({chosen.score:.2f})"
