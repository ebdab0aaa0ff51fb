"""A Parquet file of many rows, never held whole: some are learned from, all are labelled block by block."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from cscluster import seeds
from cscluster.arrays import FloatArray, IntArray
from cscluster.data import readers
from cscluster.data.dataset import Dataset
from cscluster.data.table import Columns, as_strings, from_pandas, with_own_id
from cscluster.tables.result import ClusteringResult
from cscluster.tables.table import read_new

Assign = Callable[[Dataset], tuple[IntArray, FloatArray | None]]

LARGE = 1_000_000
"""Files of more rows than this are not read whole."""
SAMPLE = 100_000
"""So many rows at random are learned from, beside the rows with constraints or labels."""
_BLOCK = 200_000


@dataclass(frozen=True)
class LargeFile:
    """A Parquet file and its number of rows."""

    path: Path
    n_rows: int

    def blocks(self, columns: Collection[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the rows in their order, some at a time; the index of each frame counts them."""
        from pyarrow import parquet

        start = 0
        with readers.reader_errors(self.path), parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(_BLOCK, columns=None if columns is None else list(columns)):
                frame = readers.with_names(batch.to_pandas(), self.path.stem)
                frame.index = pd.RangeIndex(start, start + len(frame))
                start += len(frame)
                yield frame

    def sample(self, columns: Columns, linked: Collection[str], seed: int) -> tuple[Dataset, IntArray]:
        """Return rows at random as a table, with all that have constraints or a label, and their numbers.

        Rows without names are named by their numbers.

        Parameters
        ----------
        columns : Columns
            Which columns play which part.
        linked : collection of str
            Names or numbers of the rows with constraints.
        seed : int
            Seed of the random choice.
        """
        first = next(self.blocks())
        readers.require_columns(first.columns, self.path.stem, columns.named)
        columns = with_own_id(first, columns)
        rng, drawn = seeds.generator(seed, "rows"), np.zeros(self.n_rows, dtype=bool)
        drawn[rng.choice(self.n_rows, min(SAMPLE, self.n_rows), replace=False)] = True
        parts = []
        for block in self.blocks():
            names = block.index if columns.id is None else block[columns.id]
            wanted = drawn[block.index] | names.astype(str).str.strip().isin(linked)
            if columns.labels is not None:
                wanted |= as_strings(block[columns.labels]) != ""
            parts.append(block[np.asarray(wanted)])
        rows = pd.concat(parts)
        table = from_pandas(rows.set_axis(rows.index.astype(str)), columns, self.path.stem)
        return table, rows.index.to_numpy(np.int64)

    def labelled(
        self, outcome: ClusteringResult, learned: IntArray, assign: Assign
    ) -> Iterator[tuple[Dataset, IntArray, FloatArray | None]]:
        """Yield all rows with their clusters: those that were learned from as they are, the others predicted.

        Parameters
        ----------
        outcome : ClusteringResult
            The clusters of a sample.
        learned : ndarray of int
            The numbers of its rows: names may recur beyond it.
        assign : callable
            Gives the clusters of other rows, and perhaps their probabilities.
        """
        assert outcome.features is not None
        places, named, features = pd.Index(learned), outcome.table.id_column, outcome.features
        for block in self.blocks([*([named] if named else []), *features.names, *features.values]):
            rows = read_new(block, features, None, named)
            if not rows.ids:
                rows = replace(rows, ids=block.index.astype(str).tolist())
            labels, confidence = assign(rows)
            place = places.get_indexer(block.index)
            labels[place >= 0] = outcome.labels[place[place >= 0]]
            if confidence is not None and outcome.confidence is not None:
                confidence[place >= 0] = outcome.confidence[place[place >= 0]]
            yield rows, labels, confidence


def find(source: str) -> LargeFile | None:
    """Return a Parquet file of more than `LARGE` rows, None for all other data."""
    path = Path(source).expanduser()
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return None
    with readers.reader_errors(path):
        from pyarrow import parquet

        n_rows = parquet.read_metadata(path).num_rows
    return LargeFile(path, n_rows) if n_rows > LARGE else None
