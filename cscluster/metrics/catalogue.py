"""The one list of metrics: name, title, direction, range, meaning and formula.

Nothing numeric is imported here: a formula asks an `Agreement` of classes and clusters for its numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cscluster.metrics.scores import Agreement


@dataclass(frozen=True)
class Metric:
    """A score.

    Attributes
    ----------
    name, title : str
        Name in configurations and records, and in tables and figures.
    meaning : str
        What it measures.
    of : callable, optional
        Its formula; without one it is no function of classes and clusters, and what measures it records it.
    higher_is_better : bool
        Whether more is better.
    lowest, highest : float
        Its range.
    """

    name: str
    title: str
    meaning: str
    of: Callable[[Agreement], float] | None = None
    higher_is_better: bool = True
    lowest: float = 0.0
    highest: float = 1.0


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _nmi(a: Agreement) -> float:
    entropy = sqrt(a.class_entropy * a.cluster_entropy)
    return a.mutual_information / entropy if entropy > 0 else float(a.is_one_cell)


def _ari(a: Agreement) -> float:
    if a.only_class == a.only_cluster == 0:
        return 1.0
    top = 2.0 * (float(a.both) * a.neither - float(a.only_class) * a.only_cluster)
    return top / (
        float(a.both + a.only_class) * (a.only_class + a.neither)
        + float(a.both + a.only_cluster) * (a.only_cluster + a.neither)
    )


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("acc", "ACC (majority)",
               "share of samples in their cluster's majority class, also called purity (zeng2012, 27)",
               lambda a: a.majority / a.n),
        Metric("acc_hungarian", "ACC (one-to-one)",
               "share of samples in the class of their cluster, one class for each cluster",
               lambda a: a.matched / a.n),
        Metric("error", "error",
               "share of samples outside the class of their cluster, one class for each cluster (zhang2009)",
               lambda a: 1 - a.matched / a.n, higher_is_better=False),
        Metric("balanced_error", "balanced error",
               "mean of the classes' error rates, one class for each cluster (zhang2009)",
               lambda a: 1 - a.matched_recall, higher_is_better=False),
        Metric("nmi", "NMI", "mutual information over the geometric mean of entropies (zeng2012, 28)", _nmi),
        Metric("ari", "ARI", "Rand index adjusted for chance", _ari, lowest=-0.5),
        Metric("rand", "Rand index", "share of pairs on which classes and clusters agree",
               lambda a: _share(a.both + a.neither, a.both + a.only_class + a.only_cluster + a.neither)),
        Metric("balanced_rand", "balanced Rand index",
               "mean agreement on pairs inside and between classes (baghshah2010, 4.2)",
               lambda a: 0.5 * _share(a.both, a.both + a.only_class)
               + 0.5 * _share(a.neither, a.neither + a.only_cluster)),
        Metric("pairwise_f", "pairwise F", "F-measure over pairs put together (bilenko2004)",
               lambda a: _share(2 * a.both, 2 * a.both + a.only_class + a.only_cluster)),
        Metric("precision", "pairwise precision", "share of pairs in a cluster that share a class",
               lambda a: _share(a.both, a.both + a.only_cluster)),
        Metric("recall", "pairwise recall", "share of pairs of a class that share a cluster",
               lambda a: _share(a.both, a.both + a.only_class)),
        Metric("satisfied", "constraints satisfied", "share of the given constraints that are satisfied"),
        Metric("noise", "noise", "share of samples that belong to no cluster. Other scores take them as one",
               higher_is_better=False),
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

SCOPES = {
    "all": "all samples",
    "unconstrained": "samples without constraints",
    "heldout": "held-out fold",
    "unseen": "unseen samples",
}
"""What part of the samples a metric can be asked for, as in ``acc@unseen``, and its words."""

_MINIMISED = ("_error", "_loss", "_distance")
"""Endings of functions whose small values are good, as in scikit-learn."""

_OTHERS = {
    "heldout_links": Metric("heldout_links", "held-out constraint accuracy", "what 'select: heldout' goes by")
}


def find_metric(name: str) -> Metric:
    """Return a metric by its name, with or without a scope.

    Records made elsewhere may hold metrics that are not in the list: they go by their names, without a
    range, and more of them is better.  So do functions of the user's own, ``mine.py:score``, of which those
    that are called an error, a loss or a distance are better when they are small.

    >>> find_metric("pairwise_f@heldout").title
    'pairwise F (held-out fold)'
    >>> find_metric("my_own").title
    'my own'
    >>> find_metric("mine.py:worst_error#1a2b3c4d").higher_is_better
    False
    """
    base, _, scope = name.partition("@")
    metric = METRICS.get(base) or _OTHERS.get(base)
    if metric is None:
        function = base.rpartition(":")[2].partition("#")[0]
        minimised = ":" in base and function.endswith(_MINIMISED)
        title = function.replace("_", " ")
        metric = Metric(base, title, "", higher_is_better=not minimised, lowest=-inf, highest=inf)
    if not scope:
        return metric
    words = SCOPES.get(scope, scope)
    title = f"{metric.title[:-1]}, {words})" if metric.title.endswith(")") else f"{metric.title} ({words})"
    return replace(metric, name=name, title=title)


def metric_title(name: str) -> str:
    """Return how tables and figures name a metric.

    >>> metric_title("acc@unseen")
    'ACC (majority, unseen samples)'
    """
    return find_metric(name).title


def lower_is_better(name: str) -> bool:
    """Tell whether small values of a metric are good."""
    return not find_metric(name).higher_is_better
