"""The method that the user asks for: its name, parameters and number of clusters, and its fit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cscluster import documents
from cscluster.algorithms import parameters, registry
from cscluster.constraints import Constraints
from cscluster.errors import ConfigError, ParameterError
from cscluster.selection import heldout
from cscluster.words import integer

_SET_ELSEWHERE = {"n_clusters": "number of clusters", "random_state": "seed"}


@dataclass(frozen=True)
class Method:
    """What is asked for; None stands for auto."""

    name: str | None
    params: dict[str, Any]
    n_clusters: int | None


def parse(algorithm: str, params: Sequence[str], clusters: str) -> Method:
    """Read the options of a method.

    Raises
    ------
    ParameterError
        For an unknown algorithm or parameter, an illegal value, or a wrong number of clusters.
    """
    n_clusters = integer(clusters)
    if clusters != "auto" and (n_clusters is None or n_clusters < 2):
        raise ParameterError(f"The number of clusters must be an integer >= 2, or 'auto', got '{clusters}'.")
    if algorithm != "auto":
        name = registry.find(algorithm).name
        return Method(name, _parameters(name, params), n_clusters)
    if params:
        raise ParameterError("Parameters need the name of an algorithm, since each has its own.")
    return Method(None, {}, n_clusters)


def _parameters(name: str, given: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` and check the values against the algorithm's table."""
    algorithm = registry.find(name)
    values: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"A parameter is written NAME=VALUE, got '{text}'.")
        if key in _SET_ELSEWHERE:
            raise ParameterError(f"'{key}' is the {_SET_ELSEWHERE[key]}, which is given apart.")
        try:
            values[key] = documents.read(value, f"parameter {key}").data
        except ConfigError as error:
            raise ParameterError(str(error)) from None
    table = getattr(algorithm.load(), "parameters", None)
    if table is not None:
        parameters.check(algorithm.title, table, values)
    return values


def require_suited(name: str, X: Any, n_clusters: int) -> None:
    """Raise a ParameterError for data or a number of clusters that the method cannot take."""
    algorithm = registry.find(name)
    if n_clusters >= X.shape[0]:
        raise ParameterError(f"{n_clusters} clusters are too many for {X.shape[0]} rows.")
    if "binary" in algorithm.tags and n_clusters != 2:
        raise ParameterError(f"{algorithm.title} makes two clusters only, not {n_clusters}.")
    if algorithm in registry.BUILT_IN and sparse.issparse(X) and "sparse" not in algorithm.tags:
        raise ParameterError(
            f"{algorithm.title} needs dense data; add the step 'dense' to the preprocessing, "
            "or choose kmeans, pmmc or rca."
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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator = heldout.make(name, params, n_clusters, seed).fit(X, links)
    labels = np.asarray(getattr(estimator, "labels_", None))
    if labels.shape != (X.shape[0],) or labels.dtype.kind not in "iu" or labels.min() < 0:
        raise ParameterError(f"'{name}' must set labels_ to an integer >= 0 for each row.")
    told = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    return Fit(estimator, labels.astype(np.int64), list(dict.fromkeys(told)))
