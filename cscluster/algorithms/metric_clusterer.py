"""Joins any metric learner with any clusterer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, MetricLearner, Samples
from cscluster.algorithms.parameters import REQUIRED, Estimator, Null, parameter
from cscluster.algorithms.partition.kmeans import KMeans


def configured(estimator: Any, params: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of an estimator, with those of the parameters that it takes."""
    copy = clone(estimator)
    copy.set_params(**{name: params[name] for name in params.keys() & copy.get_params(deep=False)})
    return copy  # a frozen estimator returns nothing when it is configured


class MetricClusterer(Clusterer):
    """Learn a metric from the constraints, then cluster in the learned space.

    Attributes
    ----------
    metric_, clusterer_ : estimators
        The fitted parts.
    offline_seconds_ : float
        Time of what the metric computes from the samples alone.

    Examples
    --------
    >>> from cscluster import PCKMeans, RCA, MetricClusterer
    >>> X = [[0.0, 0.0], [0.0, 9.0], [1.0, 0.0], [1.0, 9.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (1, 3, "cannot")]
    >>> model = MetricClusterer(metric=RCA(), clusterer=PCKMeans(), n_clusters=2, random_state=0)
    >>> labels = model.fit(X, constraints=constraints).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    accepts_sparse = True

    metric: Any = parameter(REQUIRED, "the metric learner", Estimator("transform"))
    clusterer: Any = parameter(
        None,
        "clusters the mapped samples and sees the constraints as well (None: k-means)",
        Estimator("fit"),
        Null(),
    )

    @property
    def satisfies_hard_constraints(self) -> bool:
        """Whether the clusterer satisfies hard constraints."""
        return getattr(self.clusterer, "satisfies_hard_constraints", False)

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Learn the metric and cluster.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        shared = {"n_clusters": self.n_clusters, "random_state": self._seed}
        self.metric_, self.clusterer_ = (
            configured(part, shared) for part in (self.metric, self.clusterer or KMeans())
        )
        if isinstance(self.metric_, MetricLearner):
            self.metric_.require_equal_weights(constraints)
        self.clusterer_._requires_range = False  # a learned metric may have any unit
        self.metric_.fit(X, constraints=constraints)
        self.clusterer_.fit(self.metric_.transform(X), constraints=constraints)
        self.offline_seconds_ = float(getattr(self.metric_, "offline_seconds_", 0.0))
        return self._set_partition(
            self.clusterer_.labels_,
            objective=self.clusterer_.objective_,
            n_iter=self.clusterer_.n_iter_,
            converged=self.clusterer_.converged_ and getattr(self.metric_, "converged_", True),
        )

    @available_if(lambda self: self.clusterer is None or hasattr(self.clusterer, "predict"))
    def predict(self, X: Samples) -> IntArray:
        """Map new samples and return their clusters."""
        X = self._validate_new(X)
        labels: IntArray = self.clusterer_.predict(self.metric_.transform(X))
        return labels

    @available_if(lambda self: hasattr(self.clusterer, "predict_proba"))
    def predict_proba(self, X: Samples) -> FloatArray:
        """Return the probabilities of the clusters of new samples."""
        X = self._validate_new(X)
        probabilities: FloatArray = self.clusterer_.predict_proba(self.metric_.transform(X))
        return probabilities

    @available_if(lambda self: self.clusterer is None or hasattr(self.clusterer, "costs"))
    def costs(self, X: Samples) -> FloatArray:
        """Return the cost of each sample in each cluster of the learned space."""
        X = self._validate_new(X)
        costs: FloatArray = self.clusterer_.costs(self.metric_.transform(X))
        return costs
