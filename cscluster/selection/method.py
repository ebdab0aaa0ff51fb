"""Which method to use, where the user leaves that open."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from scipy import sparse

from cscluster import threads
from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.algorithms.cost import dividing
from cscluster.algorithms.metric_clusterer import MetricClusterer
from cscluster.algorithms.shared import sharing_parts
from cscluster.constraints import Constraints
from cscluster.errors import DataError, warn
from cscluster.selection import heldout
from cscluster.selection.heldout import Attempt, Tick

EQUAL = 0.01
"""Methods whose scores differ by less count as equal."""

_PREFERRED_FIRST = (
    "pmmc", "itml", "rca", "mpckmeans_full", "mpckmeans", "pckmeans", "trace_ratio_nonlinear",
)  # fmt: skip
"""In the order of their mean results with few links on the sets of ``configs/benchmark/development.yaml``;
last the one for groups that are not convex (``docs/defaults.md``)."""
_MOST_COLUMNS = {"rca": 1000, "itml": 500, "mpckmeans_full": 100, "trace_ratio_nonlinear": 500}
_MOST_ROWS = {"pmmc": 20_000, "trace_ratio_nonlinear": 20_000}
_WITHOUT_LINKS = "kmeans"
CANDIDATES = (*_PREFERRED_FIRST, _WITHOUT_LINKS)
"""All methods that may be chosen, k-means as a yardstick last."""


@dataclass(frozen=True)
class Choice:
    """The method that was chosen, what was tried, and why."""

    algorithm: str
    attempts: list[Attempt]
    reason: str


def shortlist(X: Any) -> list[str]:
    """Return the candidates that are worth a try on such data."""
    n, d = X.shape
    names = []
    for name in CANDIDATES:
        fits = n <= _MOST_ROWS.get(name, n) and d <= _MOST_COLUMNS.get(name, d)
        if fits and ("sparse" in registry.find(name).tags or not sparse.issparse(X)):
            names.append(name)
    return names


def choose_algorithm(X: Any, links: Constraints, n_clusters: int, seed: int, tick: Tick) -> Choice:
    """Choose the method that keeps most held-out links; among equals, the one that does best elsewhere.

    Where k-means, which learns nothing from links, keeps more of them than every other method, it is k-means.
    With too few links to hold some out it is the preferred method, which falls back to k-means by itself, and
    k-means without any.  Methods whose fit to all of the data would be refused for its cost are left out.  In
    an experiment the fits share its time limit: the last one has half of it, those of a method a quarter.
    """
    if not len(links):
        return Choice(_WITHOUT_LINKS, [], "there are no links")
    names = _affordable(X, links, n_clusters)
    if names == [_WITHOUT_LINKS]:
        warn("No method that learns from links takes a table of this size; k-means is used instead.")
        return Choice(_WITHOUT_LINKS, [], "the table is too large for methods that learn from links")
    if not heldout.are_enough(links):
        needed = f"{heldout.MIN_LINKS} links with {heldout.MIN_OF_EACH_KIND} of each kind"
        return Choice(names[0], [], f"a comparison needs {needed}")
    X, links = heldout.fewer_rows(X, links, seed)
    parts = heldout.splits(links, seed)
    with threads.for_table(X), sharing_parts(X), dividing(4 * heldout.FOLDS):
        attempts = [heldout.attempt(name, {}, X, parts, n_clusters, seed, tick) for name in names]
    chosen, reason = _best_attempt(attempts)
    if chosen.algorithm == _WITHOUT_LINKS:
        warn("No method that learns from links keeps more held-out ones than k-means, which is used instead.")
    if not chosen.exceeds_chance:
        warn(
            "Held-out links are kept no better than by chance: "
            "these columns hardly show the groups of your links."
        )
    return Choice(chosen.algorithm, attempts, reason)


def n_fits(X: Any, links: Constraints, n_clusters: int) -> int:
    """Return the number of fits that `choose_algorithm` makes."""
    names = _affordable(X, links, n_clusters)
    return heldout.FOLDS * len(names) if heldout.are_enough(links) and len(names) > 1 else 0


def _affordable(X: Any, links: Constraints, n_clusters: int) -> list[str]:
    """Return the candidates that can be fitted to all of the data in half of the time that there is."""
    names = []
    n, d = X.shape
    with dividing(2):
        for name in shortlist(X):
            built = build(name, {}, n_clusters, 0)
            learner = built.metric if isinstance(built, MetricClusterer) else built
            with suppress(DataError):
                learner.require_affordable(n, d, links)
                names.append(name)
    return names


def _best_attempt(attempts: list[Attempt]) -> tuple[Attempt, str]:
    """Return the attempt that wins, the last of all being that of k-means, and why it does."""
    *learners, yardstick = attempts
    best = max(attempt.score for attempt in learners)
    if best < yardstick.score:
        kept = f"({yardstick.score:.2f})"
        return yardstick, f"it keeps more held-out links {kept} than any method that learns from links"
    equal = [attempt for attempt in learners if attempt.score > best - EQUAL]
    if len(equal) > 1:
        near = f"within {EQUAL} of the most held-out links kept ({best:.2f})"
        return equal[0], f"it is the preferred one of those {near}"
    return equal[0], f"it keeps most held-out links ({best:.2f})"
