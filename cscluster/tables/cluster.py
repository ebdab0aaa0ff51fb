"""From a table and constraints to clusters: the one way, for the command line and for Python."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cscluster.algorithms import parameters, registry
from cscluster.algorithms.partition.kernel_kmeans import KernelKMeans
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.constraints.files import as_links
from cscluster.data import features as features_of
from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.data.load import read_table
from cscluster.data.table import Columns, from_pandas
from cscluster.errors import DataError, InfeasibleError, ParameterError, warn
from cscluster.metrics import scores as metrics
from cscluster.removed import REMOVED
from cscluster.selection.compare import OnFit
from cscluster.selection.count import choose_count
from cscluster.selection.guarded import guard_problem
from cscluster.tables import method
from cscluster.tables.describe import describe_clusters
from cscluster.tables.distances import distances_between
from cscluster.tables.method import Method as Method
from cscluster.tables.result import ClusteringResult, probabilities
from cscluster.tables.table import read_named
from cscluster.words import integer

_SCORES = ("ari", "nmi", "acc_hungarian")
_SET_BY = {"n_clusters": "the number of clusters", "random_state": "the seed"}
_MOST_COMPARED = 2e7
"""Cells of a table that are clustered once more without constraints."""
_MOST_APART = 1000
"""Rows that one cell keeps apart where the number of clusters is open."""


def cluster_table(
    table: Dataset,
    fitted: Features | None,
    X: Any,
    constraints: Constraints,
    wanted: Method,
    seed: int,
    on_fit: OnFit | None = None,
) -> ClusteringResult:
    """Choose what is left open, fit, and score the clusters.

    Raises
    ------
    CsclusterError
        If the method does not suit the table, or cannot satisfy hard constraints.
    """
    wanted.require_suited(X, constraints)
    n_clusters, count = wanted.n_clusters, None
    if n_clusters is None and not wanted.finds_clusters:
        methods_for = (lambda k: [wanted.build(k, seed)]) if wanted.name else None
        with warnings.catch_warnings(action="ignore"):
            count = choose_count(X, constraints, methods_for, seed, on_fit)
        n_clusters = count.n_clusters
    try:
        fit = method.fit(wanted, n_clusters, X, constraints, seed, on_fit)
    except InfeasibleError as error:
        raise InfeasibleError(error.named(table.ids)) from None
    labels, n_clusters = fit.labels, max(n_clusters or 0, int(fit.labels.max()) + 1)
    metric = "precomputed" if wanted.sees_distances else "euclidean"
    known = getattr(fit.estimator, "probabilities_", None)  # of the samples, which follow the constraints
    return ClusteringResult(
        labels=labels,
        sizes=np.bincount(labels[labels >= 0], minlength=n_clusters).astype(np.int64),
        constraints=constraints,
        silhouette=metrics.silhouette(X, labels, seed, metric),
        scores={} if table.y is None else {name: metrics.score(name, table.y, labels) for name in _SCORES},
        clusters=describe_clusters(table, X, labels, n_clusters),
        probabilities=probabilities(fit.estimator, X, n_clusters) if known is None else known,
        algorithm=fit.title,
        table=table,
        features=fitted,
        estimator=fit.estimator,
        notes=fit.notes,
        count=count,
        choice=fit.choice,
        n_moved=_n_moved(X, metric, labels, n_clusters, seed) if len(constraints) else None,
    )


def _n_moved(X: Any, metric: str, labels: IntArray, n_clusters: int, seed: int) -> int | None:
    """Return how many rows k-means puts into other clusters; None where that takes long."""
    if np.prod(X.shape, dtype=float) > _MOST_COMPARED:
        return None
    is_matrix = metric == "precomputed"
    kmeans = KernelKMeans(kernel="linear", metric=metric) if is_matrix else KMeans()
    with warnings.catch_warnings(action="ignore"):
        plain = kmeans.set_params(n_clusters=n_clusters, random_state=seed).fit(X).labels_
    return round(len(labels) * (1 - metrics.score("acc_hungarian", plain, labels)))


def all_links(table: Dataset, given: Constraints, hard: bool, n_clusters: int | None) -> Constraints:
    """Return the given constraints and those of the table's columns.

    Those of labels are hard if `hard`, those of columns that keep rows together or apart are always hard.

    Raises
    ------
    DataError
        If more rows have to be apart than there are clusters.
    """
    if table.partial_labels is not None:
        labelled = Constraints.from_partial_labels(table.partial_labels)
        given = given | (labelled.hardened() if hard else labelled)
    if table.together is not None:
        given = given | Constraints.from_groups(table.together, together=True).hardened()
    if table.apart is not None:
        largest = int(np.bincount(table.apart + 1)[1:].max(initial=0))
        if largest > (n_clusters or _MOST_APART):
            raise DataError(
                f"{largest} rows share a cell of the column that keeps them apart, more than the clusters "
                f"({n_clusters or f'at most {_MOST_APART}'})."
            )
        given = given | Constraints.from_groups(table.apart, together=False).hardened()
    return given


def cluster(
    table: pd.DataFrame | str | Path | Any,
    constraints: Any = None,
    *,
    n_clusters: int | str = "auto",
    algorithm: str = "auto",
    params: dict[str, Any] | None = None,
    clusterer: str | None = None,
    guard: bool = False,
    closure: bool = False,
    labels: str | None = None,
    hard: bool = False,
    together: str | None = None,
    apart: str | None = None,
    id: str | None = None,
    target: str | None = None,
    features: Sequence[str] = (),
    ignore: Sequence[str] = (),
    preprocess: Sequence[str] | None = None,
    distances: Any = None,
    contradictions: str = "refuse",
    seed: int = 0,
    links: Any = None,
) -> ClusteringResult:
    """Cluster a table with constraints, as ``cscluster cluster`` does.

    Parameters
    ----------
    table : DataFrame, array, path or name
        Rows to cluster: a data frame, a matrix, the path of a data file, or the name of a data set.
    constraints : Constraints, DataFrame, path, list of tuples or pair of lists, optional
        ``[(a, b, "must"), ...]`` or ``(must_links, cannot_links)``.  Rows are named by their ids where
        they have any, else by their indices.
    n_clusters : int or "auto"
        Number of clusters.
    algorithm : str
        Name of ``cscluster list``, or "auto": the method with the best held-out constraint accuracy, or
        "agglomerative" with distances.
    params : dict, optional
        Parameters of the algorithm.
    clusterer : str, optional
        What a metric learner is joined with, k-means by default.
    guard : bool
        Whether to use k-means where held-out constraints do not support the algorithm.
    closure : bool
        Whether to learn from all that the constraints entail, as ``cscluster label`` does.
    labels : str, optional
        Column of partial labels, empty where they are unknown: they become constraints.
    hard : bool
        Whether the constraints of the labels are hard.
    together, apart : str, optional
        Columns: rows that share a cell are in one cluster, or in different ones.  These constraints are hard.
    id, target, features, ignore : str, str, sequences of str
        Columns that name the rows, hold the true classes, are the only ones to cluster by, or are left out.
    preprocess : sequence of str, optional
        Steps such as "standardize" (default) or "pca=10", or "none".
    distances : array, DataFrame or path, optional
        Distances between the rows, by which they are clustered instead of by their columns.
    contradictions : {"refuse", "keep", "drop"}
        What to do with cannot-links between rows that must-links join.
    seed : int
        Seed of all random choices.
    links : optional
        The earlier name of `constraints`.

    Returns
    -------
    ClusteringResult
        Its `labels` are the clusters of the rows, `clusters` say what is in them.

    Examples
    --------
    >>> import pandas as pd
    >>> import cscluster
    >>> table = pd.DataFrame({"x": [0.0, 0.1, 0.2, 5.0, 5.1, 5.2], "y": [1.0, 1.1, 0.9, 3.0, 3.2, 3.1]})
    >>> constraints = [(0, 1, "must"), (0, 3, "cannot")]
    >>> result = cscluster.cluster(table, constraints, n_clusters=2, algorithm="pckmeans")
    >>> len(result.violated), sorted(result.sizes.tolist())
    (0, [3, 3])
    """
    if links is not None:
        warn("Write constraints=...: 'links' ends with 0.4.", FutureWarning)
        constraints = links
    columns = Columns(id, target, features, ignore, labels, together, apart)
    has_distances = distances is not None
    wanted = wanted_method(algorithm, params or {}, n_clusters, clusterer, guard, closure, has_distances)
    steps = None if preprocess is None else features_of.parse_steps(preprocess)
    rows = read_named(partial(_as_table, table), columns, constraints)
    given = as_links(constraints, rows.n_samples, rows.ids or None, contradictions)
    if has_distances:
        fitted, X = None, distances_between(rows, distances)
    else:
        fitted, X = Features.fit(rows, features_of.default_steps(rows) if steps is None else steps)
    return cluster_table(rows, fitted, X, all_links(rows, given, hard, wanted.n_clusters), wanted, seed)


def wanted_method(
    algorithm: str,
    params: dict[str, Any],
    n_clusters: int | str,
    clusterer: str | None = None,
    guard: bool = False,
    closure: bool = False,
    has_distances: bool = False,
) -> Method:
    """Check what is asked for; the number of clusters may be written as a string.

    Raises
    ------
    ParameterError
        For an unknown algorithm or parameter, an illegal value, or a wrong number of clusters.
    """
    k = integer(str(n_clusters))
    if n_clusters != "auto" and (k is None or k < 2):
        raise ParameterError(
            f"The number of clusters must be an integer of at least 2, or 'auto', got {n_clusters}."
        )
    if algorithm == "auto":
        if params or clusterer or guard:
            raise ParameterError("Parameters, a clusterer and a guard need the name of an algorithm.")
        wanted = Method(n_clusters=k, closure=closure)
        return wanted.on_distances() if has_distances else wanted
    known = registry.find(algorithm)
    if clusterer is not None and (not known.is_metric or registry.find(clusterer).is_metric):
        raise ParameterError(f"Only a metric learner is joined with a clusterer, not '{known.name}'.")
    if guard and (problem := guard_problem(known)):
        raise ParameterError(f"{problem}.")
    for name in params.keys() & _SET_BY.keys():
        raise ParameterError(f"'{name}' is set by {_SET_BY[name]}.")
    for name in params.keys() - known.defaults().keys():
        if advice := REMOVED.get(name):
            raise ParameterError(f"{known.title} has no parameter '{name}'. {advice}.")
    table = getattr(known.load(), "parameters", None)
    if table is not None:
        parameters.check(known.title, table, params)
    wanted = Method(known.name, {**known.params, **params}, k, clusterer, guard, closure)
    return wanted.on_distances() if has_distances else wanted


def _as_table(given: Any, columns: Columns) -> Dataset:
    if isinstance(given, pd.DataFrame):
        return from_pandas(given, columns)
    if isinstance(given, (str, Path)):
        return read_table(str(given), columns)
    values = np.asarray(given)
    if values.ndim != 2 or values.dtype.kind not in "buif":
        raise DataError(
            f"A table must be a data frame, a path, or a matrix of numbers, got {type(given).__name__}."
        )
    return from_pandas(pd.DataFrame(values, columns=[f"column {j}" for j in range(values.shape[1])]), columns)
