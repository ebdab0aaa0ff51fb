"""What came out: sizes, links kept and broken, silhouette, and scores where classes are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cscluster.constraints import Constraints
from cscluster.metrics import scores as metrics
from cscluster.metrics.catalogue import METRICS
from cscluster.tables.describe import Cluster, describe_clusters
from cscluster.tables.table import Table

IntArray = NDArray[np.int64]

_SCORES = ("ari", "nmi", "acc_hungarian")


@dataclass(frozen=True)
class Outcome:
    """A partition and how it fares.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each row.
    sizes : ndarray of shape (n_clusters,)
        Number of rows of each cluster.
    links, broken : Constraints
        The given links, and those that the partition breaks.
    silhouette : float, optional
        Mean silhouette, of a sample where there are many rows.
    scores : dict
        ARI, NMI and one-to-one ACC where the classes are known.
    clusters : list of Cluster
        What is in each cluster.
    """

    labels: IntArray
    sizes: IntArray
    links: Constraints
    broken: Constraints
    silhouette: float | None
    scores: dict[str, float]
    clusters: list[Cluster]


def judge(X: Any, labels: IntArray, n_clusters: int, links: Constraints, table: Table, seed: int) -> Outcome:
    """Look at a partition from all sides."""
    known = {} if table.y is None else {name: metrics.score(name, table.y, labels) for name in _SCORES}
    return Outcome(
        labels,
        np.bincount(labels, minlength=n_clusters).astype(np.int64),
        links,
        links.violated(labels),
        metrics.silhouette(X, labels, seed),
        known,
        describe_clusters(table, X, labels, n_clusters),
    )


def describe(outcome: Outcome) -> list[str]:
    """Say in lines what came out, but for sizes and broken links."""
    lines = [_links(outcome)] if len(outcome.links) else []
    if outcome.silhouette is not None:
        sampled = (
            f" (of {metrics.SILHOUETTE_ROWS} rows)" if len(outcome.labels) > metrics.SILHOUETTE_ROWS else ""
        )
        lines.append(f"silhouette: {outcome.silhouette:.2f}{sampled}")
    if outcome.scores:
        shown = ", ".join(f"{METRICS[k].title} {v:.3f}" for k, v in outcome.scores.items())
        lines.append(f"against the known classes: {shown}")
    return lines


def _links(outcome: Outcome) -> str:
    kept = len(outcome.links) - len(outcome.broken)
    parts = [
        f"{len(every) - len(lost)} of {len(every)} {kind}"
        for kind, every, lost in (
            ("must", outcome.links.must_links, outcome.broken.must_links),
            ("cannot", outcome.links.cannot_links, outcome.broken.cannot_links),
        )
        if len(every)
    ]
    return f"links kept: {kept} of {len(outcome.links)} ({kept / len(outcome.links):.0%}): {', '.join(parts)}"


def broken_links(outcome: Outcome, table: Table) -> list[tuple[str, str, str]]:
    """Return each broken link as the names of its rows and its kind."""
    return [
        (table.row_name(a), table.row_name(b), kind)
        for kind, pairs in (("must", outcome.broken.must_links), ("cannot", outcome.broken.cannot_links))
        for a, b in pairs.tolist()
    ]
