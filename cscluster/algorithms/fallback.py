"""When to keep to k-means: the links that it keeps are an honest test, since it has seen none of them."""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import IntArray
from cscluster.constraints import Constraints
from cscluster.errors import warn

EQUAL_NATS = 1.0
"""Labels whose surprise differs by less explain the links equally well."""
_NATS_PER_PARAMETER = 0.25


def surprise(links: Constraints, labels: IntArray) -> float:
    """Return how little the labels say about the links, in nats.

    With L links of which the labels break a share b, it is ``L (-b log b - (1 - b) log(1 - b))``: the
    logarithm of the likelihood of the links, each kept with probability 1 - b, less its best value.
    """
    n_links = len(links)
    broken = min(len(links.violated(labels)) / n_links, 0.5) if n_links else 0.0
    if broken == 0:
        return 0.0
    return -n_links * float(broken * np.log(broken) + (1 - broken) * np.log(1 - broken))


def beats_kmeans(
    owner: str, links: Constraints, labels: IntArray, kmeans: IntArray, n_fitted: int = 0
) -> bool:
    """Tell whether the labels of a model, links aside, explain the links better than those of k-means.

    They must gain more than `EQUAL_NATS`.  A method that fits `n_fitted` parameters to the links themselves
    keeps many of them whatever they say; it must gain a quarter of a nat for each, or for each link where
    these are fewer.  Where k-means stays ahead, a warning says so.
    """
    gain = surprise(links, kmeans) - surprise(links, labels)
    if gain > max(EQUAL_NATS, _NATS_PER_PARAMETER * min(n_fitted, len(links))):
        return True
    if len(links):
        warn(f"The links do not speak for {owner}: k-means keeps as many of them, and is used instead.")
    return False
