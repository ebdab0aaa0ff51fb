"""Joins any metric learner with any clusterer."""

from __future__ import annotations

from typing import Self

from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from cscluster.algorithms.base import Clusterer, IntArray, MetricLearner, Samples
from cscluster.algorithms.parameters import N_CLUSTERS, RANDOM_STATE, Estimator, Null, Parameter
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.constraints import Constraints


class MetricClusterer(Clusterer):
    """Learn a metric from the links, then cluster in the learned space.

    Parameters
    ----------
    metric : MetricLearner
        Learns the map; its links are those given to `fit`.
    clusterer : Clusterer, optional
        Clusters the mapped samples, and sees the links as well; k-means by default.
    n_clusters : int
        Number of clusters, handed to `clusterer`.
    random_state : int, optional
        Seed, handed to both where they take one.

    Attributes
    ----------
    metric_, clusterer_ : estimators
        The fitted parts.
    """

    parameters = {
        "metric": Parameter("the metric learner", Estimator("transform")),
        "clusterer": Parameter("the clusterer; k-means if null", Estimator("fit"), Null()),
        "n_clusters": N_CLUSTERS,
        "random_state": RANDOM_STATE,
    }
    accepts_sparse = True
    keeps_hard_links = True  # as far as its clusterer does

    def __init__(
        self,
        metric: MetricLearner,
        clusterer: Clusterer | None = None,
        n_clusters: int = 2,
        *,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Learn the metric and cluster."""
        X, constraints = self._validate(X, constraints)
        shared = {"n_clusters": self.n_clusters, "random_state": self.random_state}
        self.metric_ = clone(self.metric)
        self.clusterer_ = KMeans() if self.clusterer is None else clone(self.clusterer)
        for part in (self.metric_, self.clusterer_):
            names = part.get_params(deep=False)
            part.set_params(**{name: value for name, value in shared.items() if name in names})
        Z = self.metric_.fit(X, constraints).transform(X)
        self.clusterer_.fit(Z, constraints)
        self.labels_ = self.clusterer_.labels_
        self.n_iter_ = self.clusterer_.n_iter_
        self.converged_ = self.clusterer_.converged_ and getattr(self.metric_, "converged_", True)
        self.objective_ = self.clusterer_.objective_
        return self

    @available_if(lambda self: hasattr(self.clusterer or KMeans, "predict"))
    def predict(self, X: Samples) -> IntArray:
        """Map new samples and return their clusters."""
        X = self._validate_new(X)
        return self.clusterer_.predict(self.metric_.transform(X))
