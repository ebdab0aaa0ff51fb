"""A data set in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cscluster.arrays import BoolArray, IntArray
from cscluster.errors import DataError
from cscluster.words import html_table

_SHOWN_CLASSES = 10


@dataclass(frozen=True, repr=False)
class Dataset:
    """Samples, and what is known about them.

    Attributes
    ----------
    name : str
        Name in tables.
    X : ndarray or CSR array of shape (n, d)
        The samples.  For a table: its columns of numbers, NaN where a cell is empty.
    y : ndarray of shape (n,), optional
        Number of the class of each sample, an index into `classes`.
    classes, features, ids : lists of str
        Names of the classes, of the columns, and of the samples, where there are any.
    X_unseen, y_unseen : arrays, optional
        Samples held out for out-of-sample scores.
    is_test : ndarray of bool, optional
        The part that the source calls its test set.
    image : tuple of int, optional
        Shape of a sample that is an image.
    checksum : str
        SHA-256 of the source file, or the kind of generated data.
    categorical : dict of ndarray of shape (n,)
        The columns of strings of a table.  An empty cell is an empty string.
    n_indicators : int
        Number of columns of X, the last ones, that `encoded` has made of these.
    id_column : str, optional
        The column that `ids` are from.
    partial_labels : ndarray of shape (n,), optional
        The classes that are known of some rows, -1 for the others.
    together, apart : ndarray of shape (n,), optional
        Groups of rows that belong together, or of which no two do, -1 for rows without a group.
    dates : frozenset of str
        The columns of numbers that are dates, in days since 1970-01-01.
    naming : dict of lists of str
        The columns of strings that are nearly all different, so that they may name the rows.
    notes : list of str
        What was done to the columns, in sentences.
    left_out : dict of str
        Why columns of a table are left out.
    """

    name: str
    X: Any
    y: IntArray | None = None
    classes: list[str] = field(default_factory=list)
    features: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    X_unseen: Any = None
    y_unseen: IntArray | None = None
    is_test: BoolArray | None = None
    image: tuple[int, ...] | None = None
    checksum: str = ""
    categorical: dict[str, NDArray[np.str_]] = field(default_factory=dict)
    n_indicators: int = 0
    id_column: str | None = None
    partial_labels: IntArray | None = None
    together: IntArray | None = None
    apart: IntArray | None = None
    dates: frozenset[str] = frozenset()
    naming: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes, zero where there is no target."""
        return len(self.classes)

    @property
    def labels(self) -> IntArray:
        """The classes, all one where there is no target."""
        return np.zeros(self.n_samples, dtype=np.int64) if self.y is None else self.y

    @property
    def column_names(self) -> list[str]:
        """Names of the columns of numbers, or their places where the source has none."""
        return self.features or [f"column {j}" for j in range(self.n_features)]

    def row_name(self, row: int) -> str:
        """Return the name of a row, or its index."""
        return self.ids[row] if self.ids else str(row)

    def _facts(self) -> dict[str, object]:
        """Return what one wants to know of a data set at a glance."""
        facts: dict[str, object] = {"samples": f"{self.n_samples:,}", "features": f"{self.n_features:,}"}
        if self.y is not None:
            counts = np.bincount(self.y, minlength=self.n_classes).tolist()
            named = [f"{name} {count}" for name, count in zip(self.classes, counts, strict=True)]
            more = ["..."] if len(named) > _SHOWN_CLASSES else []
            facts["classes"] = ", ".join([*named[:_SHOWN_CLASSES], *more])
        if self.X_unseen is not None:
            facts["unseen samples"] = f"{self.X_unseen.shape[0]:,}"
        return facts

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}: {value}" for name, value in self._facts().items())
        return f"Dataset({self.name!r}, {facts})"

    def _repr_html_(self) -> str:
        return html_table(self.name, self._facts())

    def take(self, rows: IntArray) -> Dataset:
        """Return the data set reduced to some rows."""
        return replace(
            self,
            X=self.X[rows],
            y=None if self.y is None else self.y[rows],
            ids=[self.ids[i] for i in rows] if self.ids else [],
            is_test=None if self.is_test is None else self.is_test[rows],
        )

    def with_columns(self, columns: Sequence[int]) -> Dataset:
        """Return the data set reduced to some columns, those of categories last."""
        d = self.n_features - self.n_indicators
        places = sorted(columns, key=lambda j: j >= d)
        return replace(
            self.mapped(lambda X: X[:, places]),
            features=[self.features[j] for j in places] if self.features else [],
            image=None,
            n_indicators=sum(j >= d for j in places),
        )

    def mapped(self, function: Callable[[Any], Any]) -> Dataset:
        """Return the data set with a function of its samples, and of the unseen ones, in their place."""
        unseen = None if self.X_unseen is None else function(self.X_unseen)
        return replace(self, X=function(self.X), X_unseen=unseen)

    def check(self) -> Dataset:
        """Return the data set if it can be clustered.

        Raises
        ------
        DataError
            For no samples, missing or infinite values (the column is named), or a target of one
            value.
        """
        if self.n_samples == 0 or self.n_features == 0:
            raise DataError(
                f"Data set '{self.name}' has {self.n_samples} samples of {self.n_features} features."
            )
        values = self.X.data if sparse.issparse(self.X) else self.X
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            self._report_bad()
        if self.y is not None and (self.y == self.y[0]).all():
            raise DataError(
                f"The target of data set '{self.name}' has the one value '{self.classes[self.y[0]]}'. "
                "Scores need at least two classes."
            )
        return self

    def _report_bad(self) -> None:
        X = sparse.coo_array(self.X)
        bad = np.flatnonzero(~np.isfinite(X.data))
        row, column, value = (part[bad[0]] for part in (X.row, X.col, X.data))
        name = f"'{self.features[column]}'" if self.features else f"number {column}"
        raise DataError(
            f"Data set '{self.name}' has the value {value} in column {name}, "
            f"row {row} ({len(bad)} such values in all). Remove or fill them."
        )
