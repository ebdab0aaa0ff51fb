"""From the name of an algorithm to an estimator that is ready to fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cscluster.algorithms import registry
from cscluster.algorithms.metric_clusterer import MetricClusterer
from cscluster.algorithms.partition.kmeans import KMeans


def build(
    name: str,
    params: Mapping[str, Any],
    n_clusters: int,
    random_state: int,
    clusterer: tuple[str, Mapping[str, Any]] | None = None,
) -> Any:
    """Return the unfitted estimator called `name`.

    Parameters
    ----------
    name : str
        Name in the registry, or the user's own ``module:Class``.
    params : mapping
        Its parameters, where they differ from the default.
    n_clusters, random_state : int
        Handed to every estimator that takes them.
    clusterer : pair of str and mapping, optional
        Name and parameters of what clusters in the space of a metric learner; k-means by default.
    """
    algorithm = registry.find(name)
    built = estimator(algorithm, params, n_clusters, random_state)
    if not algorithm.is_metric:
        return built
    name, params = clusterer or (registry.JOINED, {})
    joined = estimator(registry.find(name), params, n_clusters, random_state)
    return MetricClusterer(metric=built, clusterer=joined, n_clusters=n_clusters, random_state=random_state)


def estimator(
    algorithm: registry.Algorithm, params: Mapping[str, Any], n_clusters: int, random_state: int
) -> Any:
    """Return the unfitted estimator of an algorithm; it is told the last two where it takes them."""
    shared = {"n_clusters": n_clusters, "random_state": random_state}
    known = algorithm.defaults()
    given = {key: value for key, value in shared.items() if key in known}
    return algorithm.load()(**{**algorithm.params, **given, **params})


def title(estimator: Any) -> str:
    """Return what an estimator is called in tables: the title of its entry, else the name of its class.

    A form that has no entry of its own has its `variant` behind that.
    """
    if isinstance(estimator, MetricClusterer):
        return f"{title(estimator.metric)} + {title(estimator.clusterer or KMeans())}"
    cls = type(estimator)
    forms = [
        entry
        for entry in registry.BUILT_IN
        if entry.target == f"{cls.__module__}:{cls.__name__}"
        and all(
            getattr(estimator, name) in (value, entry.published_params.get(name, value))
            for name, value in entry.params.items()
        )
    ]
    name = max(forms, key=lambda entry: len(entry.params)).title if forms else cls.__name__
    return f"{name}, {estimator.variant}" if getattr(estimator, "variant", None) else name
