"""The one list of metrics: name, title, direction and meaning; nothing numeric is imported here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """A score.

    Attributes
    ----------
    name, title : str
        Name in configurations, and in tables.
    words : str
        Name on the axis of a figure.
    meaning : str
        What it measures.
    higher_is_better : bool
        Whether more is better.
    """

    name: str
    title: str
    words: str
    meaning: str
    higher_is_better: bool = True


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("acc", "ACC", "accuracy", "share of samples in their cluster's majority class (zeng2012, 27)"),
        Metric("acc_hungarian", "ACC (1:1)", "accuracy (one-to-one)",
               "share of samples in the class of their cluster, one class for each cluster"),
        Metric("error", "error", "error", "1 - acc (zhang2009)", higher_is_better=False),
        Metric("balanced_error", "balanced error", "balanced error",
               "mean of the classes' error rates, one class for each cluster (zhang2009)",
               higher_is_better=False),
        Metric("nmi", "NMI", "NMI",
               "mutual information over the geometric mean of entropies (zeng2012, 28)"),
        Metric("ari", "ARI", "adjusted Rand index", "Rand index adjusted for chance"),
        Metric("rand", "Rand", "Rand index", "share of pairs on which classes and clusters agree"),
        Metric("balanced_rand", "balanced Rand", "balanced Rand index",
               "mean agreement on pairs inside and between classes (baghshah2010, 4.2)"),
        Metric("pairwise_f", "pairwise F", "pairwise F", "F-measure over pairs put together (bilenko2004)"),
        Metric("precision", "precision", "precision", "share of pairs in a cluster that share a class"),
        Metric("recall", "recall", "recall", "share of pairs of a class that share a cluster"),
        Metric("satisfied", "links kept", "share of links kept",
               "share of the given links that the partition keeps"),
        Metric("seconds", "seconds", "seconds", "time of offline step, fit and update",
               higher_is_better=False),
        Metric("iterations", "iterations", "iterations", "iterations of the algorithm",
               higher_is_better=False),
    )
}  # fmt: skip

SCOPES = ("all", "unconstrained", "heldout", "unseen")
