"""From a table and links to clusters: the one way, for the command line and for Python."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cscluster.algorithms import parameters, registry
from cscluster.constraints import Constraints
from cscluster.constraints.files import as_links
from cscluster.errors import DataError, InfeasibleError, ParameterError
from cscluster.selection import count, heldout
from cscluster.selection import method as selection
from cscluster.selection.count import Count
from cscluster.selection.heldout import Tick
from cscluster.selection.method import Choice
from cscluster.tables import features as features_of
from cscluster.tables import method, outcome
from cscluster.tables.features import Features
from cscluster.tables.outcome import Outcome
from cscluster.tables.table import Columns, Table, from_pandas, places, read_table


@dataclass(frozen=True)
class Method:
    """What is asked for; None stands for auto."""

    name: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    n_clusters: int | None = None


class Watcher:
    """Is told what is done; this one does not mind."""

    def fits(self, what: str, total: int) -> AbstractContextManager[Tick]:
        """Return a context around fits; it gives a function that takes the name of the next one."""
        return contextlib.nullcontext(lambda name: None)

    def count(self, chosen: Count) -> None:
        """Take how the number of clusters was chosen."""

    def choice(self, chosen: Choice) -> None:
        """Take how the method was chosen."""


def cluster_table(
    table: Table, fitted: Features, X: Any, links: Constraints, wanted: Method, seed: int, watcher: Watcher
) -> Outcome:
    """Choose what is left open, fit, and look at what came out.

    Raises
    ------
    CsclusterError
        If the method does not suit the table, or cannot keep the links.
    """
    n_clusters, name = wanted.n_clusters, wanted.name
    if n_clusters is None:
        with watcher.fits("number of clusters", count.n_fits(X, links, name)) as begin:
            counted = count.choose_count(X, links, name, wanted.params, seed, begin)
        watcher.count(counted)
        n_clusters = counted.n_clusters
    if name is None:
        with watcher.fits("method", selection.n_fits(X, links, n_clusters)) as begin:
            chosen = selection.choose_algorithm(X, links, n_clusters, seed, begin)
        watcher.choice(chosen)
        name = chosen.algorithm
    method.require_suited(name, X, n_clusters)
    with watcher.fits("clustering", 1) as begin:
        begin(heldout.title(name))
        try:
            fit = method.fit(name, wanted.params, n_clusters, X, links, seed)
        except InfeasibleError as error:
            raise InfeasibleError(error.named(table.ids)) from None
    found = outcome.judge(X, fit.labels, n_clusters, links, table, seed)
    return replace(
        found, algorithm=name, table=table, features=fitted, estimator=fit.estimator, notes=fit.warnings
    )


def all_links(table: Table, given: Constraints, hard: bool) -> Constraints:
    """Return the given links and those of the table's labels, which must hold if `hard`."""
    if table.labels is None:
        return given
    links = Constraints.from_partial_labels(table.labels)
    return given | (links.hardened() if hard else links)


def cluster(
    table: pd.DataFrame | str | Path | Any,
    links: Any = None,
    *,
    n_clusters: int | str = "auto",
    algorithm: str = "auto",
    params: dict[str, Any] | None = None,
    labels: str | None = None,
    hard: bool = False,
    id: str | None = None,
    target: str | None = None,
    features: Sequence[str] = (),
    ignore: Sequence[str] = (),
    preprocess: Sequence[str] | None = None,
    contradictions: str = "refuse",
    seed: int = 0,
) -> Outcome:
    """Cluster a table with links, as ``cscluster cluster`` does.

    Parameters
    ----------
    table : DataFrame, array, path or name
        Rows to cluster; a path is that of a data file, a name that of a data set.
    links : Constraints, path, list of tuples or pair of lists, optional
        ``[(a, b, "must"), ...]`` or ``(must_links, cannot_links)``; rows go by their names where they
        have any, else by their indices.
    n_clusters : int or "auto"
        Number of clusters.
    algorithm : str
        Name of ``cscluster list``, or "auto": held-out links choose.
    params : dict, optional
        Parameters of the algorithm.
    labels : str, optional
        Column of classes that are known of some rows, empty for the others: they become links.
    hard : bool
        Whether the links of the labels must hold.
    id, target, features, ignore : str, str, sequences of str
        Columns that name the rows, hold the true classes, are the only ones to cluster by, or are left out.
    preprocess : sequence of str, optional
        Steps such as "standardize" (default) or "pca=10"; "none" for none.
    contradictions : {"refuse", "keep", "drop"}
        What becomes of cannot-links between rows that must-links put together.
    seed : int
        Seed of all random choices.

    Returns
    -------
    Outcome
        Its `labels` are the clusters of the rows, `clusters` say what is in them.

    Examples
    --------
    >>> import pandas as pd
    >>> import cscluster
    >>> table = pd.DataFrame({"x": [0.0, 0.1, 0.2, 5.0, 5.1, 5.2], "y": [1.0, 1.1, 0.9, 3.0, 3.2, 3.1]})
    >>> links = [(0, 1, "must"), (0, 3, "cannot")]
    >>> found = cscluster.cluster(table, links, n_clusters=2, algorithm="pckmeans")
    >>> len(found.broken), sorted(found.sizes.tolist())
    (0, [3, 3])
    """
    columns = Columns(id, target, features, ignore, labels)
    wanted = wanted_method(algorithm, params or {}, n_clusters)
    steps = None if preprocess is None else features_of.parse_steps(preprocess)
    rows = _as_table(table, columns)
    given = as_links(links, rows.n_rows, rows.ids or None, contradictions)
    fitted, X = Features.fit(rows, features_of.default_steps(rows) if steps is None else steps)
    return cluster_table(rows, fitted, X, all_links(rows, given, hard), wanted, seed, Watcher())


def wanted_method(algorithm: str, params: dict[str, Any], n_clusters: int | str) -> Method:
    """Check what is asked for.

    Raises
    ------
    ParameterError
        For an unknown algorithm or parameter, an illegal value, or a wrong number of clusters.
    """
    if n_clusters != "auto" and (not isinstance(n_clusters, (int, np.integer)) or n_clusters < 2):
        raise ParameterError(
            f"The number of clusters must be an integer of at least 2, or 'auto', got {n_clusters!r}."
        )
    k = None if n_clusters == "auto" else int(n_clusters)
    if algorithm == "auto":
        if params:
            raise ParameterError("Parameters need the name of an algorithm; each has its own.")
        return Method(n_clusters=k)
    known = registry.find(algorithm)
    table = getattr(known.load(), "parameters", None)
    if table is not None:
        parameters.check(known.title, table, params)
    return Method(known.name, params, k)


def _as_table(given: Any, columns: Columns) -> Table:
    if isinstance(given, pd.DataFrame):
        return from_pandas(given, columns)
    if isinstance(given, (str, Path)):
        return read_table(str(given), columns)
    values = np.asarray(given)
    if values.ndim != 2 or values.dtype.kind not in "buif":
        raise DataError(
            f"A table must be a data frame, a path, or a matrix of numbers, got {type(given).__name__}."
        )
    return from_pandas(pd.DataFrame(values, columns=places(values.shape[1])), columns)
