"""A method and a table: whether they suit each other, and the fit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cscluster import threads
from cscluster.algorithms import registry
from cscluster.algorithms.build import build
from cscluster.constraints import Constraints
from cscluster.errors import ParameterError


def require_suited(name: str, X: Any, n_clusters: int) -> None:
    """Raise a ParameterError for data or a number of clusters that the method cannot take."""
    algorithm = registry.find(name)
    if n_clusters >= X.shape[0]:
        raise ParameterError(f"{n_clusters} clusters are too many for {X.shape[0]} rows.")
    if "binary" in algorithm.tags and n_clusters != 2:
        raise ParameterError(f"{algorithm.title} makes two clusters only, not {n_clusters}.")
    if algorithm in registry.BUILT_IN and sparse.issparse(X) and "sparse" not in algorithm.tags:
        raise ParameterError(
            f"{algorithm.title} needs dense data; "
            "add the preprocessing step 'dense', or choose kmeans, pmmc or rca."
        )


@dataclass(frozen=True)
class Fit:
    """A fitted method, the labels that it gives, and what it warns of."""

    estimator: Any
    labels: NDArray[np.int64]
    warnings: list[str]


def fit(name: str, params: dict[str, Any], n_clusters: int, X: Any, links: Constraints, seed: int) -> Fit:
    """Fit a method to rows and links.

    Raises
    ------
    ParameterError
        If the user's own class does not give a label to each row.
    """
    with warnings.catch_warnings(record=True) as caught, threads.for_table(X):
        warnings.simplefilter("always")
        estimator = build(name, params, n_clusters, seed).fit(X, links)
    labels = np.asarray(getattr(estimator, "labels_", None))
    if labels.shape != (X.shape[0],) or labels.dtype.kind not in "iu" or labels.min() < 0:
        raise ParameterError(f"'{name}' must set labels_ to an integer >= 0 for each row.")
    told = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    algorithm = registry.find(name)
    if len(links) and "constraints" not in algorithm.tags:
        told.insert(0, f"{algorithm.title} uses no links: those given change nothing.")
    return Fit(estimator, labels.astype(np.int64), list(dict.fromkeys(told)))
