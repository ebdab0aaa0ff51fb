"""Clusters and their scores: sizes, constraints satisfied and violated, silhouette, true classes."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from cscluster.arrays import FloatArray, IntArray
from cscluster.constraints import Constraints
from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.errors import warn
from cscluster.metrics import scores as metrics
from cscluster.metrics.catalogue import METRICS
from cscluster.selection.count import Count
from cscluster.selection.guarded import Choosing
from cscluster.tables.describe import SIZE_HEADS, Cluster, size_rows
from cscluster.words import plural

BORDER = 0.2
"""Rows are on the border of their cluster where another one is less likely by at most this much."""
BORDER_HEADS = ["row", "cluster", "confidence", "or cluster", "probability"]


@dataclass(frozen=True, repr=False)
class ClusteringResult:
    """A partition and its scores.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each row, -1 for noise.
    sizes : ndarray of shape (n_clusters,)
        Number of rows of each cluster.
    constraints : Constraints
        The given constraints.
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
    count : Count, optional
        How the number of clusters was chosen, if it was.
    choice : Choosing, optional
        How the method was chosen, if it was.
    n_moved : int, optional
        Number of rows that k-means without constraints puts into another cluster.
    probabilities : ndarray of shape (n, n_clusters), optional
        How likely each cluster is for each row, where the method tells.
    """

    labels: IntArray
    sizes: IntArray
    constraints: Constraints
    silhouette: float | None
    scores: dict[str, float]
    clusters: list[Cluster]
    algorithm: str
    table: Dataset
    features: Features | None
    estimator: Any
    notes: list[str]
    count: Count | None
    choice: Choosing | None
    n_moved: int | None
    probabilities: FloatArray | None

    @cached_property
    def violated(self) -> Constraints:
        """The constraints that the partition violates."""
        return self.constraints.violated(self.labels)

    @property
    def links(self) -> Constraints:
        """The earlier name of `constraints`."""
        warn("'links' is now 'constraints'. The old name ends with 0.4.", FutureWarning)
        return self.constraints

    @property
    def n_clusters(self) -> int:
        """Number of clusters, empty ones included."""
        return len(self.sizes)

    @property
    def confidence(self) -> FloatArray | None:
        """Probability of the cluster of each row, where the method tells."""
        return None if self.probabilities is None else confidence(self.probabilities, self.labels)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with the cluster of each row, by the rows' names if they have any.

        A column `confidence` follows where the method tells.
        """
        ids = self.table.ids
        columns = {"cluster": self.labels, "confidence": self.confidence}
        known = {name: values for name, values in columns.items() if values is not None}
        return pd.DataFrame(known, index=pd.Index(ids, name="row") if ids else None)

    def __repr__(self) -> str:
        satisfied = len(self.constraints) - len(self.violated)
        return (
            f"ClusteringResult({self.algorithm}: sizes {self.sizes.tolist()}, "
            f"{satisfied} of {plural(len(self.constraints), 'constraint')} satisfied)"
        )

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{head}</th>" for head in (*SIZE_HEADS, "what sets it apart"))
        rows = ""
        for cluster, cells in zip(self.clusters, size_rows(self.clusters, self.table), strict=True):
            traits = ", ".join(
                f"{t.title} {t.shown(t.inside)} (others {t.shown(t.outside)})" for t in cluster.traits[:3]
            )
            rows += "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in (*cells, traits)) + "</tr>"
        lines = "<br>".join(html.escape(line) for line in describe(self))
        return f"<table><tr>{heads}</tr>{rows}</table><p>{lines}</p>"


def describe(outcome: ClusteringResult) -> list[str]:
    """Return the scores in lines, but for sizes and violated constraints."""
    lines = [_links(outcome)] if len(outcome.constraints) else []
    if outcome.n_moved is not None:
        rows = f"{outcome.n_moved:,} of {plural(len(outcome.labels), 'row')}"
        lines.append(f"against k-means without constraints: {rows} in another cluster")
    if outcome.silhouette is not None:
        n = metrics.SILHOUETTE_ROWS
        sampled = f" (of {n} rows)" if len(outcome.labels) > n else ""
        lines.append(f"silhouette: {outcome.silhouette:.2f}{sampled}")
    if n_noise := int((outcome.labels == -1).sum()):
        lines.append(f"noise: {plural(n_noise, 'row')} ({n_noise / len(outcome.labels):.0%})")
    if outcome.scores:
        shown = ", ".join(f"{METRICS[k].title} {v:.3f}" for k, v in outcome.scores.items())
        lines.append(f"against the known classes: {shown}")
    return lines


def _links(outcome: ClusteringResult) -> str:
    n, n_satisfied = len(outcome.constraints), len(outcome.constraints) - len(outcome.violated)
    parts = [
        f"{len(every) - len(violated)} of {plural(len(every), kind)}"
        for kind, every, violated in (
            ("must-link", outcome.constraints.must_links, outcome.violated.must_links),
            ("cannot-link", outcome.constraints.cannot_links, outcome.violated.cannot_links),
        )
        if len(every)
    ]
    return f"constraints satisfied: {n_satisfied} of {n} ({n_satisfied / n:.0%}): {', '.join(parts)}"


def violated_pairs(outcome: ClusteringResult, table: Dataset) -> list[tuple[str, str, str]]:
    """Return each violated constraint as the names of its rows and its kind."""
    violated, name = outcome.violated, table.row_name
    kinds = ["must" if is_must else "cannot" for is_must in violated.is_must]
    return [(name(a), name(b), kind) for (a, b), kind in zip(violated.pairs.tolist(), kinds, strict=True)]


def probabilities(model: Any, X: Any, n_clusters: int) -> FloatArray | None:
    """Return how likely each cluster is for each row, as a fitted model tells; None where it does not."""
    if not hasattr(model, "predict_proba"):
        return None
    P = np.asarray(model.predict_proba(X), dtype=np.float64)
    return P if P.shape == (X.shape[0], n_clusters) else None


def confidence(P: FloatArray, labels: IntArray) -> FloatArray:
    """Return the probability of the cluster of each row."""
    return P[np.arange(len(P)), labels]


def border(outcome: ClusteringResult, table: Dataset) -> list[list[str]]:
    """Return a line of a table for each row on a border, the least certain first; see `BORDER_HEADS`."""
    P, labels = outcome.probabilities, outcome.labels
    if P is None or outcome.n_clusters < 2:
        return []
    rows, others = np.arange(len(P)), P.copy()
    others[rows, labels] = -1
    second, own, other = others.argmax(axis=1), confidence(P, labels), others.max(axis=1)
    order = np.argsort(own - other, kind="stable")
    return [
        [table.row_name(i), str(labels[i]), f"{own[i]:.2f}", str(second[i]), f"{other[i]:.2f}"]
        for i in order[(own - other)[order] <= BORDER].tolist()
    ]
