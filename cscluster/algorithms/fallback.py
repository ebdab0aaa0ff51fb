"""When to keep to k-means, and how: the links that it keeps are an honest test, since it has seen none."""

from __future__ import annotations

import warnings
from functools import cached_property

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from cscluster.algorithms.base import IntArray, Samples
from cscluster.algorithms.joint import LINK_PRICE, joint_labels
from cscluster.algorithms.partition.kmeans import QuickKMeans
from cscluster.algorithms.shared import of_samples
from cscluster.constraints import Constraints
from cscluster.errors import warn
from cscluster.linalg.scatter import effective_dimension

EQUAL_NATS = 1.0
"""Labels whose surprise differs by less explain the links equally well."""


def n_links(links: Constraints) -> float:
    """Return how many links there are; one lighter than one counts by its weight."""
    return float(np.minimum(links.weights, 1.0).sum())


def surprise(links: Constraints, labels: IntArray) -> float:
    """Return how little the labels say about the links, in nats.

    With L links of which the labels break a share b, it is ``L (-b log b - (1 - b) log(1 - b))``: the
    logarithm of the likelihood of the links, each kept with probability 1 - b, less its best value.
    """
    total = n_links(links)
    broken = min(n_links(links.violated(labels)) / total, 0.5) if total else 0.0
    if broken == 0:
        return 0.0
    return -total * float(broken * np.log(broken) + (1 - broken) * np.log(1 - broken))


def beats_kmeans(owner: str, links: Constraints, labels: IntArray, kmeans: IntArray, n_needed: float) -> bool:
    """Tell whether the labels of a model, links aside, agree with the links better than those of k-means.

    A model that was fitted to the links keeps some of them whatever they say.  It must keep more than
    `n_needed` links more than k-means (`links_needed`), and explain them better by more than `EQUAL_NATS`.
    Where it does not, a warning says so.
    """
    gained = n_links(links.violated(kmeans)) - n_links(links.violated(labels))
    if gained > n_needed and surprise(links, kmeans) - surprise(links, labels) > EQUAL_NATS:
        return True
    _say_why(owner, links)
    return False


def _say_why(owner: str, links: Constraints) -> None:
    """Say why the clusters are those of k-means, if there are links at all."""
    if len(links):
        warn(f"The links do not favour {owner} over k-means, whose clusters are used instead.")


def links_needed(X: Samples, n_clusters: int) -> float:
    """Return how many more links than k-means a model must keep: one for each cluster, and for each feature.

    The larger of both numbers counts, and of the features the effective number (`effective_dimension`).
    """
    return max(float(n_clusters), of_samples(X, ("effective dimension",), lambda: effective_dimension(X)))


class Reference:
    """K-means of the same samples, computed when it is first asked for: what a model has to beat."""

    def __init__(self, X: Samples, n_clusters: int, random_state: int | None) -> None:
        self.X = X
        self.n_clusters = n_clusters
        self.random_state = random_state

    @cached_property
    def kmeans(self) -> QuickKMeans:
        """K-means with its default parameters."""
        with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            return QuickKMeans(n_clusters=self.n_clusters, random_state=self.random_state).fit(self.X)

    @property
    def mean_cost(self) -> float:
        """The mean squared distance of a sample from its centre; one where all are zero."""
        return float(self.kmeans.objective_[-1]) / self.X.shape[0] or 1.0

    def is_beaten_by(
        self,
        owner: str,
        links: Constraints,
        labels: IntArray,
        *,
        with_links: tuple[IntArray, IntArray] | None = None,
        fits_features: bool = True,
    ) -> bool:
        """Tell whether the labels of a model, links aside, are worth more than k-means (`beats_kmeans`).

        A model that `fits_features` to the links, by weights of them or by centres, needs `links_needed`.
        So it needs of its labels `with_links`, against those of k-means (`linked_labels`), where links are
        so many that the clusters of k-means cannot keep them.
        """
        needed = links_needed(self.X, self.n_clusters) if fits_features else 0.0
        if with_links is not None:
            of_model, of_kmeans = (n_links(links.violated(each)) for each in with_links)
            if of_kmeans - of_model > needed:
                return True
        return beats_kmeans(owner, links, labels, self.kmeans.labels_, needed)

    def is_unbeatable(self, owner: str, links: Constraints, linked_labels: IntArray | None = None) -> bool:
        """Tell, before a model is fitted, whether none that fits the features could pass `is_beaten_by`.

        That is so where k-means, with its own labels and its `linked_labels` if a model is held against
        these, breaks no more links than a model must keep in addition.  A warning says so.
        """
        needed = links_needed(self.X, self.n_clusters)
        of_kmeans = [self.kmeans.labels_] if linked_labels is None else [self.kmeans.labels_, linked_labels]
        if any(n_links(links.violated(labels)) > needed for labels in of_kmeans):
            return False
        _say_why(owner, links)
        return True

    def linked_labels(self, links: Constraints, price: float | None = None) -> IntArray:
        """Return the labels of k-means, those of linked samples chosen together; the centres stay.

        A broken link costs `price`, by default as much as `LINK_PRICE` samples.
        """
        labels, linked = self.kmeans.labels_.copy(), links.touched
        if len(linked):
            price = LINK_PRICE * self.mean_cost if price is None else price
            cost = self.kmeans._model.transform(self.X[linked]) ** 2
            labels[linked] = joint_labels(cost, links.renumbered(linked).softened(), price)
        return labels
