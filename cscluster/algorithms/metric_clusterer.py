"""Joins any metric learner with any clusterer."""

from __future__ import annotations

from typing import Self

from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from cscluster.algorithms.base import Clusterer, IntArray, MetricLearner, Samples, SeededClusterer
from cscluster.algorithms.parameters import REQUIRED, Estimator, Null, parameter
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.constraints import Constraints


class MetricClusterer(SeededClusterer):
    """Learn a metric from the links, then cluster in the learned space.

    Attributes
    ----------
    metric_, clusterer_ : estimators
        The fitted parts.
    """

    accepts_sparse = True

    metric: MetricLearner = parameter(
        REQUIRED, "the metric learner; its links are those given to fit", Estimator("transform")
    )
    clusterer: Clusterer | None = parameter(
        None,
        "clusters the mapped samples, and sees the links as well; k-means if null",
        Estimator("fit"),
        Null(),
    )

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
