"""The choice of a method as a method, so that experiments can name it."""

from __future__ import annotations

from typing import Self

import numpy as np

from cscluster.algorithms import registry
from cscluster.algorithms.base import IntArray, Samples, SeededClusterer
from cscluster.algorithms.build import build
from cscluster.algorithms.metric_clusterer import MetricClusterer
from cscluster.algorithms.shared import sharing_parts
from cscluster.constraints import Constraints
from cscluster.selection.method import CANDIDATES, choose_algorithm


class Auto(SeededClusterer):
    """The method that keeps most held-out links, chosen anew for each fit.

    Attributes
    ----------
    algorithm_ : str
        Name of the method that was chosen.
    estimator_ : estimator
        That method, fitted to all links.

    Notes
    -----
    The rule is that of ``cscluster cluster --algorithm auto`` (`choose_algorithm`): a fifth of the linked
    samples is set aside, five times, and the methods are compared by how many links of these they keep;
    k-means, which sees no links, is one of them.  No labels are looked at.  A fit costs five fits of each
    method and one of the chosen one.

    Methods that would take too long are left out.  What is too long depends on the `timeout` of an experiment
    and on CSCLUSTER_MAX_SECONDS, which are not part of a trial's key: give trials that are compared the same.

    References
    ----------
    Ours, not published; see ``docs/defaults.md``.

    Examples
    --------
    >>> from cscluster import Auto, Constraints, load_dataset
    >>> iris = load_dataset("iris")
    >>> pairs = [(i, (7 * i + 3) % 150) for i in range(40)]
    >>> model = Auto(n_clusters=3, random_state=0).fit(iris.X, Constraints.from_labels(pairs, iris.y))
    >>> model.algorithm_ in CANDIDATES
    True
    """

    accepts_sparse = True
    keeps_hard_links = True  # as far as the chosen method does

    version = (
        2 + MetricClusterer.version + sum(registry.find(name).load().version for name in CANDIDATES)
    )  # results change with those of any candidate

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Choose a method by held-out links, and fit it to all links."""
        X, constraints = self._validate(X, constraints)
        seed = self.random_state
        if seed is None:
            seed = int(np.random.default_rng().integers(2**32))
        with sharing_parts(X):
            chosen = choose_algorithm(X, constraints, self.n_clusters, seed, lambda _: None)
            self.estimator_ = build(chosen.algorithm, {}, self.n_clusters, seed).fit(X, constraints)
        self.algorithm_ = chosen.algorithm
        self._end_as(self.estimator_)
        return self

    def predict(self, X: Samples) -> IntArray:
        """Return the clusters of new samples by the chosen method."""
        X = self._validate_new(X)
        return np.asarray(self.estimator_.predict(X))
