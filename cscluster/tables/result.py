"""Clusters and their scores: sizes, constraints satisfied and violated, silhouette, true classes."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.metrics import scores as metrics
from cscluster.metrics.catalogue import METRICS
from cscluster.tables.describe import SIZE_HEADS, Cluster, describe_clusters, size_rows
from cscluster.words import plural

_SCORES = ("ari", "nmi", "acc_hungarian")


@dataclass(frozen=True, repr=False)
class ClusteringResult:
    """A partition and its scores.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each row, -1 for noise.
    sizes : ndarray of shape (n_clusters,)
        Number of rows of each cluster.
    links, violated : Constraints
        The given constraints, and those that the partition violates.
    silhouette : float, optional
        Mean silhouette, of a sample where there are many rows.
    scores : dict
        ARI, NMI and one-to-one ACC where the classes are known.
    clusters : list of Cluster
        What is in each cluster.
    algorithm : str
        Title of the method that was fitted.
    table, features, estimator
        The rows, how they became a matrix, and the fitted method.
    notes : list of str
        Warnings of the method.
    n_moved : int, optional
        Number of rows that k-means without constraints puts into another cluster.
    """

    labels: IntArray
    sizes: IntArray
    links: Constraints
    violated: Constraints
    silhouette: float | None
    scores: dict[str, float]
    clusters: list[Cluster]
    algorithm: str = ""
    table: Dataset | None = None
    features: Features | None = None
    estimator: Any = None
    notes: list[str] = field(default_factory=list)
    n_moved: int | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters, empty ones included."""
        return len(self.sizes)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with the cluster of each row, by the rows' names if they have any."""
        ids = self.table.ids if self.table is not None else []
        return pd.DataFrame({"cluster": self.labels}, index=pd.Index(ids, name="row") if ids else None)

    def __repr__(self) -> str:
        satisfied = len(self.links) - len(self.violated)
        return (
            f"ClusteringResult({self.algorithm or 'clusters'}: sizes {self.sizes.tolist()}, "
            f"{satisfied} of {plural(len(self.links), 'constraint')} satisfied)"
        )

    def _repr_html_(self) -> str:
        table = self.table or Dataset("", np.empty((len(self.labels), 0)))
        heads = "".join(f"<th>{head}</th>" for head in (*SIZE_HEADS, "what sets it apart"))
        rows = ""
        for cluster, cells in zip(self.clusters, size_rows(self.clusters, table), strict=True):
            traits = ", ".join(
                f"{t.title} {t.shown(t.inside)} (others {t.shown(t.outside)})" for t in cluster.traits[:3]
            )
            rows += "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in (*cells, traits)) + "</tr>"
        lines = "<br>".join(html.escape(line) for line in describe(self))
        return f"<table><tr>{heads}</tr>{rows}</table><p>{lines}</p>"


def evaluate(
    X: Any,
    labels: IntArray,
    n_clusters: int,
    links: Constraints,
    table: Dataset,
    seed: int,
    metric: str = "euclidean",
) -> ClusteringResult:
    """Score a partition; with the metric 'precomputed', X holds distances."""
    known = {} if table.y is None else {name: metrics.score(name, table.y, labels) for name in _SCORES}
    return ClusteringResult(
        labels,
        np.bincount(labels[labels >= 0], minlength=n_clusters).astype(np.int64),
        links,
        links.violated(labels),
        metrics.silhouette(X, labels, seed, metric),
        known,
        describe_clusters(table, X, labels, n_clusters),
    )


def describe(outcome: ClusteringResult) -> list[str]:
    """Return the scores in lines, but for sizes and violated constraints."""
    lines = [_links(outcome)] if len(outcome.links) else []
    if outcome.n_moved is not None:
        rows = f"{outcome.n_moved:,} of {plural(len(outcome.labels), 'row')}"
        lines.append(f"against k-means without constraints: {rows} in another cluster")
    if outcome.silhouette is not None:
        sampled = (
            f" (of {metrics.SILHOUETTE_ROWS} rows)" if len(outcome.labels) > metrics.SILHOUETTE_ROWS else ""
        )
        lines.append(f"silhouette: {outcome.silhouette:.2f}{sampled}")
    if n_noise := int((outcome.labels == -1).sum()):
        lines.append(f"noise: {plural(n_noise, 'row')} ({n_noise / len(outcome.labels):.0%})")
    if outcome.scores:
        shown = ", ".join(f"{METRICS[k].title} {v:.3f}" for k, v in outcome.scores.items())
        lines.append(f"against the known classes: {shown}")
    return lines


def _links(outcome: ClusteringResult) -> str:
    n, n_satisfied = len(outcome.links), len(outcome.links) - len(outcome.violated)
    parts = [
        f"{len(every) - len(violated)} of {plural(len(every), kind)}"
        for kind, every, violated in (
            ("must-link", outcome.links.must_links, outcome.violated.must_links),
            ("cannot-link", outcome.links.cannot_links, outcome.violated.cannot_links),
        )
        if len(every)
    ]
    return f"constraints satisfied: {n_satisfied} of {n} ({n_satisfied / n:.0%}): {', '.join(parts)}"


def violated_pairs(outcome: ClusteringResult, table: Dataset) -> list[tuple[str, str, str]]:
    """Return each violated constraint as the names of its rows and its kind."""
    return [
        (table.row_name(a), table.row_name(b), kind)
        for kind, pairs in (("must", outcome.violated.must_links), ("cannot", outcome.violated.cannot_links))
        for a, b in pairs.tolist()
    ]
