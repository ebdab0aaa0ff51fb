"""The one list of metrics: name, title, direction, range and meaning; nothing numeric is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Metric:
    """A score.

    Attributes
    ----------
    name, title : str
        Name in configurations and records, and in tables and figures.
    meaning : str
        What it measures.
    higher_is_better : bool
        Whether more is better.
    lowest, highest : float
        Its range.
    """

    name: str
    title: str
    meaning: str
    higher_is_better: bool = True
    lowest: float = 0.0
    highest: float = 1.0


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("acc", "ACC (majority)",
               "share of samples in their cluster's majority class, also called purity (zeng2012, 27)"),
        Metric("acc_hungarian", "ACC (one-to-one)",
               "share of samples in the class of their cluster, one class for each cluster"),
        Metric("error", "error",
               "share of samples outside the class of their cluster, one class for each cluster (zhang2009)",
               higher_is_better=False),
        Metric("balanced_error", "balanced error",
               "mean of the classes' error rates, one class for each cluster (zhang2009)",
               higher_is_better=False),
        Metric("nmi", "NMI", "mutual information over the geometric mean of entropies (zeng2012, 28)"),
        Metric("ari", "ARI", "Rand index adjusted for chance", lowest=-0.5),
        Metric("rand", "Rand index", "share of pairs on which classes and clusters agree"),
        Metric("balanced_rand", "balanced Rand index",
               "mean agreement on pairs inside and between classes (baghshah2010, 4.2)"),
        Metric("pairwise_f", "pairwise F", "F-measure over pairs put together (bilenko2004)"),
        Metric("precision", "pairwise precision", "share of pairs in a cluster that share a class"),
        Metric("recall", "pairwise recall", "share of pairs of a class that share a cluster"),
        Metric("satisfied", "links kept", "share of the given links that the partition keeps"),
        Metric("seconds", "seconds", "time of offline step, fit and update",
               higher_is_better=False, highest=inf),
        Metric("fit_seconds", "seconds of fit", "time of fit and update, without the offline step",
               higher_is_better=False, highest=inf),
        Metric("cpu_seconds", "CPU seconds", "CPU time of offline step, fit and update",
               higher_is_better=False, highest=inf),
        Metric("iterations", "iterations", "iterations of the algorithm",
               higher_is_better=False, highest=inf),
    )
}  # fmt: skip

TIMES = ("seconds", "fit_seconds", "cpu_seconds")
"""Metrics that differ from machine to machine."""
COSTS = (*TIMES, "iterations")
"""Metrics that every record of a finished trial has."""

SCOPES = {
    "all": "all samples",
    "unconstrained": "samples without links",
    "heldout": "held-out fold",
    "unseen": "unseen samples",
}
"""What part of the samples a metric can be asked for, as in ``acc@unseen``, and its words."""

_OTHERS = {"heldout_links": Metric("heldout_links", "held-out links kept", "what 'select: heldout' goes by")}


def find_metric(name: str) -> Metric:
    """Return a metric by its name, with or without a scope.

    Records made elsewhere may hold metrics that are not in the list: they go by their names, without a
    range, and more of them is better.

    >>> find_metric("pairwise_f@heldout").title
    'pairwise F (held-out fold)'
    >>> find_metric("my_own").title
    'my own'
    """
    base, _, scope = name.partition("@")
    metric = METRICS.get(base) or _OTHERS.get(base)
    if metric is None:
        metric = Metric(base, base.replace("_", " "), "", lowest=-inf, highest=inf)
    if not scope:
        return metric
    words = SCOPES.get(scope, scope)
    title = f"{metric.title[:-1]}, {words})" if metric.title.endswith(")") else f"{metric.title} ({words})"
    return Metric(name, title, metric.meaning, metric.higher_is_better, metric.lowest, metric.highest)


def metric_title(name: str) -> str:
    """Return how tables and figures name a metric.

    >>> metric_title("acc@unseen")
    'ACC (majority, unseen samples)'
    """
    return find_metric(name).title


def lower_is_better(name: str) -> bool:
    """Tell whether small values of a metric are good."""
    return not find_metric(name).higher_is_better
