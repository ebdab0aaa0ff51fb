"""What is in a cluster: its typical rows, and the columns that set it apart from all other rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from cscluster.arrays import FloatArray, IntArray, dense
from cscluster.data.dataset import Dataset

TYPICAL_ROWS = 3
SHOWN_COLUMNS = 8
LEAST_EFFECT = 0.5
"""A column that differs by less of its standard deviations does not set a cluster apart."""


def shown(value: float, is_date: bool = False) -> str:
    """Return a number, or a day since 1970-01-01, as people read it."""
    if np.isnan(value):
        return ""
    if is_date:
        return str(np.datetime64("1970-01-01") + np.timedelta64(round(value), "D"))
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


@dataclass(frozen=True)
class Trait:
    """A column in which a cluster differs from all other rows.

    Attributes
    ----------
    column : str
        Its name.
    inside, outside : float
        Mean in the cluster and in the other rows, in the user's units; of a text column, the
        shares of rows that hold `text`.
    effect : float
        Difference of the two in standard deviations of the column: positive where the cluster has more.
    text : str, optional
        Of a text column: the text that is most over-represented in the cluster.
    is_date : bool
        Whether the means are dates, in days since 1970-01-01.
    """

    column: str
    inside: float
    outside: float
    effect: float
    text: str | None = None
    is_date: bool = False

    @property
    def title(self) -> str:
        """The column, with its text if it has one."""
        return self.column if self.text is None else f"{self.column} = {self.text or '(empty)'}"

    def shown(self, value: float) -> str:
        """Return a mean or a share as people read it."""
        return shown(value, self.is_date) if self.text is None else f"{round(value, 2) + 0.0:.0%}"


@dataclass(frozen=True)
class Cluster:
    """A cluster in words.

    Attributes
    ----------
    number, size : int
        Which one it is, -1 for noise, and how many rows it has.
    typical : list of int
        The rows nearest to its mean, nearest first.
    traits : list of Trait
        The columns that set it apart, by the size of their effect.
    given : str
        The name that it was given, if any.
    """

    number: int
    size: int
    typical: list[int]
    traits: list[Trait]
    given: str = ""

    @property
    def name(self) -> str:
        """Its name, or else its number."""
        return self.given or ("noise" if self.number == -1 else str(self.number))


def describe_clusters(
    table: Dataset, X: Any, labels: IntArray, n_clusters: int | None = None, n_typical: int = TYPICAL_ROWS
) -> list[Cluster]:
    """Say what is in each cluster, and in the noise, if there is any, which comes last.

    Parameters
    ----------
    table : Dataset
        The user's columns; the single pixels of pictures are not looked at.
    X : ndarray or CSR array of shape (n, d)
        The same rows as the algorithm sees them: they tell which rows are typical.
    labels : ndarray of shape (n,)
        Cluster of each row, -1 for noise.
    n_clusters : int, optional
        Number of clusters; by default as many as there are labels.
    n_typical : int
        Number of typical rows of each cluster.
    """
    labels = np.asarray(labels, dtype=np.int64)
    numbers = list(range(int(labels.max()) + 1 if n_clusters is None else n_clusters))
    if (labels == -1).any():
        labels = np.where(labels == -1, len(numbers), labels)
        numbers.append(-1)
    k = len(numbers)
    traits: list[list[Trait]] = [[] for _ in range(k)]
    if table.image is None:
        for number, trait in (*_number_traits(table, labels, k), *_text_traits(table, labels, k)):
            traits[number].append(trait)
    members = [np.flatnonzero(labels == place) for place in range(k)]
    return [
        Cluster(
            number,
            len(rows),
            rows[_nearest_to_mean(X[rows])[:n_typical]].tolist() if len(rows) else [],
            sorted(of_cluster, key=lambda trait: -abs(trait.effect)),
        )
        for number, rows, of_cluster in zip(numbers, members, traits, strict=True)
    ]


def _nearest_to_mean(X: Any) -> IntArray:
    """Return the places of rows, the nearest to their mean first."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else (X * X).sum(axis=1)
    distances = np.asarray(squares).ravel() - 2 * np.asarray(X @ mean).ravel()
    return np.argsort(np.round(distances, 12), kind="stable")


def _number_traits(table: Dataset, labels: IntArray, k: int) -> Iterator[tuple[int, Trait]]:
    names = table.column_names
    inside, outside, effects = _contrasts(table.X, labels, k)
    for number, j in np.argwhere(np.abs(effects) >= LEAST_EFFECT).tolist():
        pair = float(inside[number, j]), float(outside[number, j])
        yield number, Trait(names[j], *pair, float(effects[number, j]), is_date=names[j] in table.dates)


def _text_traits(table: Dataset, labels: IntArray, k: int) -> Iterator[tuple[int, Trait]]:
    for column, cells in table.categorical.items():
        texts = np.unique(cells)
        inside, outside, effects = _contrasts((cells[:, None] == texts).astype(np.float64), labels, k)
        for number in range(k):
            j = int(np.argmax(effects[number]))
            if effects[number, j] >= LEAST_EFFECT:
                pair = float(inside[number, j]), float(outside[number, j])
                yield number, Trait(column, *pair, float(effects[number, j]), str(texts[j]))


def _contrasts(values: Any, labels: IntArray, k: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return means inside and outside each cluster, and their differences in standard deviations.

    All have shape (k, d); cells that are NaN do not count, and where there is nothing to compare the
    difference is 0.
    """
    n = len(labels)
    member = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    if sparse.issparse(values):
        centre, filled, present = 0.0, values, np.ones((n, 1))
        squares: Any = values.multiply(values)
    else:
        there = ~np.isnan(values)
        present = there.astype(np.float64)
        with np.errstate(invalid="ignore"):
            centre = np.where(there, values, 0.0).sum(axis=0) / present.sum(axis=0)
        filled = np.where(there, values - centre, 0.0)
        squares = filled * filled
    sums, counts = dense(member @ filled), np.asarray(member @ present)
    total, everywhere = sums.sum(axis=0), counts.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        inside, outside = sums / counts, (total - sums) / (everywhere - counts)
        variance = np.asarray(squares.sum(axis=0)).ravel() / everywhere - (total / everywhere) ** 2
        effects = (inside - outside) / np.sqrt(np.maximum(variance, 0))
    return centre + inside, centre + outside, np.where(np.isfinite(effects), effects, 0.0)


SIZE_HEADS = ["cluster", "rows", "share", "typical rows"]
TRAIT_HEADS = ["cluster", "column", "mean", "others", "effect"]


def size_rows(clusters: Sequence[Cluster], table: Dataset) -> list[list[str]]:
    """Return a line of a table for each cluster; see `SIZE_HEADS`."""
    n = sum(c.size for c in clusters)
    return [
        [c.name, str(c.size), f"{c.size / n:.0%}", ", ".join(map(table.row_name, c.typical))]
        for c in clusters
    ]


def trait_rows(clusters: Sequence[Cluster], most: int) -> list[list[str]]:
    """Return a line of a table for each of the first traits of each cluster; see `TRAIT_HEADS`."""
    return [
        [c.name, t.title, t.shown(t.inside), t.shown(t.outside), f"{t.effect:+.2f}"]
        for c in clusters
        for t in c.traits[:most]
    ]


def typical_rows(clusters: Sequence[Cluster], table: Dataset) -> tuple[list[str], list[list[str]]]:
    """Return heads and lines of a table of the cells of typical rows; pictures and sparse rows have none."""
    if table.image is not None or sparse.issparse(table.X):
        return [], []
    numbers, texts = table.column_names[:SHOWN_COLUMNS], [*table.categorical][:SHOWN_COLUMNS]
    rows = [
        [
            str(c.number),
            table.row_name(row),
            *(shown(float(table.X[row, j]), name in table.dates) for j, name in enumerate(numbers)),
            *(str(table.categorical[name][row]) for name in texts),
        ]
        for c in clusters
        for row in c.typical
    ]
    return ["cluster", "row", *numbers, *texts], rows
