"""From the name of an algorithm to an estimator that is ready to fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cscluster.algorithms import registry
from cscluster.algorithms.metric_clusterer import MetricClusterer


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
        Name and parameters of what clusters in the space of a metric learner; without one
        that of the registry, and `MetricClusterer` decides whether its `JOINED` needs the metric.
    """
    algorithm = registry.find(name)
    built = estimator(algorithm, params, n_clusters, random_state)
    if not algorithm.is_metric:
        return built
    if clusterer is None and algorithm.joined != registry.JOINED:
        clusterer = algorithm.joined, {}
    joined = clusterer and estimator(registry.find(clusterer[0]), clusterer[1], n_clusters, random_state)
    return MetricClusterer(metric=built, clusterer=joined, n_clusters=n_clusters, random_state=random_state)


def estimator(
    algorithm: registry.Algorithm, params: Mapping[str, Any], n_clusters: int, random_state: int
) -> Any:
    """Return the unfitted estimator of an algorithm; it is told the last two where it takes them."""
    shared = {"n_clusters": n_clusters, "random_state": random_state}
    known = algorithm.defaults()
    given = {key: value for key, value in shared.items() if key in known}
    return algorithm.load()(**{**algorithm.preset, **given, **params})
