"""Names of clusters: each is kept with rows, so that it stays with them when clusters change."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from cscluster import cells
from cscluster.arrays import IntArray
from cscluster.constraints.files import read_text
from cscluster.data.dataset import Dataset
from cscluster.errors import DataError

HEADER = ["row", "name"]


def cluster_names(names: Mapping[int, str], labels: IntArray, n_clusters: int) -> list[str]:
    """Return the name of each cluster, its number where it has none.

    A name goes to the cluster with most of its rows, and no cluster has two.

    Parameters
    ----------
    names : mapping of int to str
        Rows, and the name of their cluster.
    labels : ndarray of shape (n,)
        Cluster of each row.
    n_clusters : int
        Number of clusters.
    """
    found = [str(number) for number in range(n_clusters)]
    named: set[str] = set()
    votes = Counter((int(labels[row]), name) for row, name in names.items() if labels[row] >= 0)
    for (cluster, name), _ in votes.most_common():
        if name not in named and found[cluster] == str(cluster):
            found[cluster] = name
            named.add(name)
    return found


def names_csv(names: Mapping[int, str], table: Dataset) -> str:
    """Return names as the content of a file."""
    rows = [[table.row_name(row), name] for row, name in sorted(names.items())]
    return "".join(cells.line(map(cells.guarded, row)) for row in [HEADER, *rows])


def read_names(path: Path, table: Dataset) -> dict[int, str]:
    """Read the file that `names_csv` makes.

    Raises
    ------
    DataError
        If a line is wrong.
    """
    place = {table.row_name(row): row for row in range(table.n_samples)}
    head, *lines = [*csv.reader(io.StringIO(read_text(path), newline=""))] or [[]]
    if head != HEADER:
        raise DataError(f"{path}: the first line must be 'row,name'.")
    names = {}
    for number, line in enumerate(lines, 2):
        row, name = map(cells.unguarded, line) if len(line) == 2 else ("", "")
        if row not in place:
            raise DataError(f"{path}:{number}: expected a row and the name of its cluster, got {line}.")
        names[place[row]] = name
    return names
