"""From a table to the matrix that algorithms see, the same way for new rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from cscluster.arrays import FloatArray
from cscluster.data import preprocessing
from cscluster.data.dataset import Dataset
from cscluster.errors import DataError
from cscluster.words import integer, plural

_SHOWN_NAMES = 10
_STORABLE = ("center", "standardize", "scale01", "l2", "pca", "kernel_pca")


@dataclass(frozen=True)
class Features:
    """How a table becomes a matrix: a pure function of what was seen in `fit`.

    An empty cell among numbers becomes the column's median; then the preprocessing steps act on
    the numbers.  A text column becomes one column of zeros and ones for each of its values, an
    empty text being a value as well; two rows that differ in it are as far apart as two rows
    that differ typically in a standardised number, so these columns are not scaled.

    Attributes
    ----------
    names : list of str
        Names of the columns of numbers, empty where they have none.
    medians : ndarray of shape (d,)
        What fills them.
    steps : list
        Fitted transformers.
    values : dict of lists of str
        The values of each text column.
    dates : list of str
        The columns of numbers that are dates.
    """

    names: list[str]
    medians: FloatArray
    steps: list[Any]
    values: dict[str, list[str]]
    dates: list[str]

    @classmethod
    def fit(cls, table: Dataset, steps: Sequence[preprocessing.Step]) -> tuple[Features, Any]:
        """Learn from a table; return what was learned, and the table as a matrix."""
        d = table.n_features
        may_miss = d and table.features and not sparse.issparse(table.X)
        medians = np.nanmedian(table.X, axis=0) if may_miss else np.zeros(d)
        values = {name: np.unique(cells).tolist() for name, cells in table.categorical.items()}
        dates = sorted(table.dates)
        features = cls(table.features, np.asarray(medians, dtype=np.float64), [], values, dates)
        if d:
            filled = Dataset(table.name, features._filled(table), features=table.features)
            _, transformers = preprocessing.fit(steps, filled.check())
            features = replace(features, steps=transformers)
        return features, features.transform(table)

    def transform(self, table: Dataset) -> Any:
        """Return a table as a matrix.

        Raises
        ------
        DataError
            If the number of columns is not that of the fitted table, or a number is infinite.
        """
        if table.n_features != len(self.medians):
            raise DataError(
                f"Data set '{table.name}' has {plural(table.n_features, 'column')}, "
                f"but the model was made with {len(self.medians)}."
            )
        blocks = []
        if len(self.medians):
            numbers = Dataset(table.name, self._filled(table), features=self.names).check()
            blocks.append(preprocessing.transform(self.steps, numbers.X))
        for name, known in self.values.items():
            blocks.append((table.categorical[name][:, None] == np.array(known)).astype(np.float64))
        return blocks[0] if len(blocks) == 1 else np.hstack(blocks)

    def _filled(self, table: Dataset) -> Any:
        if sparse.issparse(table.X):
            return table.X
        return np.where(np.isnan(table.X), self.medians, table.X)

    def unknown(self, table: Dataset) -> list[str]:
        """Say which values of new rows were never seen; they count as none of the known values."""
        notes = []
        for name, known in self.values.items():
            strange = ~np.isin(table.categorical[name], known)
            if strange.any():
                shown = ", ".join(f"'{value}'" for value in np.unique(table.categorical[name][strange])[:3])
                notes.append(
                    f"column '{name}': {plural(int(strange.sum()), 'row')} with values the model has "
                    f"not seen ({shown}), they count as none of the known ones"
                )
        return notes


def encoded(table: Dataset) -> Dataset:
    """Return a table as samples: its gaps filled, and its categories as columns of zeros and ones."""
    may_have_gaps = not sparse.issparse(table.X) and table.X.dtype.kind == "f"
    if not table.categorical and not (may_have_gaps and np.isnan(table.X).any()):
        return table
    fitted, X = Features.fit(table, [])
    indicators = [f"{name}={value}" for name, known in fitted.values.items() for value in known]
    return replace(
        table,
        X=X,
        features=[*table.features, *indicators],
        categorical={},
        n_indicators=len(indicators),
        notes=describe(table, fitted, []),
    )


def default_steps(table: Dataset) -> list[str]:
    """Return the preprocessing where the user names none.

    Columns are standardised, since their units differ; rows of sparse data are divided by their
    length, since that of a document says little; pictures stay as they are.
    """
    if sparse.issparse(table.X):
        return ["l2"]
    return [] if table.image is not None else ["standardize"]


def parse_steps(given: Sequence[str]) -> list[preprocessing.Step]:
    """Read steps written as words: ``standardize``, ``pca=10``, or ``none``.

    Raises
    ------
    DataError
        For an unknown step or a wrong parameter.
    """
    steps: list[preprocessing.Step] = []
    for text in given:
        name, equals, value = text.partition("=")
        if name == "none" and len(given) == 1:
            return []
        number = integer(value)
        if equals and number is None:
            raise DataError(f"Preprocessing step '{name}' takes an integer after '=', got '{value}'.")
        steps.append({name: {"n": number}} if equals else name)
    preprocessing.parse(steps)
    return steps


def require_storable(steps: Sequence[preprocessing.Step]) -> None:
    """Raise a DataError for a step that a model file cannot hold."""
    for name, _ in preprocessing.parse(steps):
        if name not in _STORABLE:
            raise DataError(
                f"A model file cannot hold the step '{name}'. It can hold {', '.join(_STORABLE)}."
            )


def describe(table: Dataset, features: Features, steps: Sequence[preprocessing.Step]) -> list[str]:
    """Say in sentences what was done with the columns."""
    lines = list(table.notes)
    d = table.n_features
    if d:
        done = ", ".join(_WORDS.get(name, name) for name, _ in preprocessing.parse(steps)) or "as they are"
        more = [f"and {d - _SHOWN_NAMES} more"] if d > _SHOWN_NAMES else []
        names = ", ".join([*table.features[:_SHOWN_NAMES], *more])
        lines.append(
            f"features: {plural(d, 'column')} of numbers, {done}" + (f": {names}" if table.features else "")
        )
    missing = 0 if sparse.issparse(table.X) else int(np.isnan(table.X).sum())
    if missing:
        lines.append(f"{plural(missing, 'empty cell')} filled with the median of the column")
    for name, known in features.values.items():
        shown = ", ".join(value or "(empty)" for value in known[:4]) + (", ..." if len(known) > 4 else "")
        lines.append(f"text column '{name}': a 0/1 column for each of its {len(known)} values ({shown})")
    return lines


_WORDS = {
    "standardize": "standardised",
    "center": "centred",
    "scale01": "scaled to the range 0 to 1",
    "l2": "each row divided by its length",
    "pca": "reduced to principal components",
}
