"""Joins any metric learner with any clusterer."""

from __future__ import annotations

from typing import Self

from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from cscluster.algorithms.base import Clusterer, IntArray, MetricLearner, Samples, SeededClusterer
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.parameters import REQUIRED, Estimator, Null, parameter
from cscluster.algorithms.partition.pckmeans import PCKMeans
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, warn


class MetricClusterer(SeededClusterer):
    """Learn a metric from the links, then cluster in the learned space.

    Attributes
    ----------
    metric_, clusterer_ : estimators
        The fitted parts.
    uses_metric_ : bool
        Whether the clusters are those of the learned space; else those of the given features.
    offline_seconds_ : float
        Time of what the metric computes from the samples alone.

    Notes
    -----
    Without a `clusterer` PCK-Means clusters, which keeps links that the metric alone breaks.  The
    metric must then prove itself: where the labels that PCK-Means would predict in the learned space, links
    aside, do not keep more links than k-means of the given features, which has seen none, by more than there
    are clusters and effective features (`beats_kmeans`), the clusters are those of k-means, linked
    samples labelled together.  So they are where the links are not of the kind that the metric needs.
    """

    accepts_sparse = True
    keeps_hard_links = True  # as far as its clusterer does

    metric: MetricLearner = parameter(
        REQUIRED, "the metric learner; its links are those given to fit", Estimator("transform")
    )
    clusterer: Clusterer | None = parameter(
        None,
        "clusters the mapped samples, and sees the links as well; if null, PCK-Means, or k-means of the "
        "given features where the links do not favour the metric",
        Estimator("fit"),
        Null(),
    )

    version = 4

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Learn the metric and cluster."""
        X, constraints = self._validate(X, constraints)
        self.metric_ = self._told(self.metric)
        if isinstance(self.metric_, MetricLearner):
            self.metric_.require_equal_weights(constraints)
        self.clusterer_ = self._told(self.clusterer or PCKMeans(fallback=False))
        if self.clusterer is None and len(constraints):
            self._try_metric(X, constraints)
        else:
            self.clusterer_.fit(self.metric_.fit(X, constraints).transform(X), constraints)
            self.uses_metric_, self.labels_ = True, self.clusterer_.labels_
        self.n_iter_ = self.clusterer_.n_iter_
        self.converged_ = self.clusterer_.converged_ and getattr(self.metric_, "converged_", True)
        self.objective_ = self.clusterer_.objective_
        self.offline_seconds_ = float(getattr(self.metric_, "offline_seconds_", 0.0))
        return self

    def _told(self, part: MetricLearner | Clusterer) -> MetricLearner | Clusterer:
        """Return a part, not fitted, that knows the number of clusters and the seed where it takes them."""
        shared = {"n_clusters": self.n_clusters, "random_state": self.random_state}
        told = clone(part)
        told.set_params(**{name: shared[name] for name in shared.keys() & told.get_params(deep=False).keys()})
        return told

    def _try_metric(self, X: Samples, constraints: Constraints) -> None:
        """Cluster in the learned space, or by k-means of the given features where the links favour that."""
        reference, owner = Reference(X, self.n_clusters, self.random_state), type(self.metric_).__name__
        of_kmeans = reference.linked_labels(constraints)
        self.uses_metric_ = False
        try:
            self.metric_.fit(X, constraints)
        except ConstraintError as error:
            warn(f"{error} k-means clusters the given features instead.")
        else:
            if not reference.is_unbeatable(owner, constraints, of_kmeans):
                Z = self.metric_.transform(X)
                self.labels_ = self.clusterer_.fit(Z, constraints).labels_
                both = (self.labels_, of_kmeans)
                blind = self.clusterer_.predict(Z)
                self.uses_metric_ = reference.is_beaten_by(owner, constraints, blind, with_links=both)
        if not self.uses_metric_:
            self.clusterer_, self.labels_ = reference.kmeans, of_kmeans

    @available_if(lambda self: hasattr(self.clusterer or PCKMeans, "predict"))
    def predict(self, X: Samples) -> IntArray:
        """Map new samples and return their clusters."""
        X = self._validate_new(X)
        return self.clusterer_.predict(self.metric_.transform(X) if self.uses_metric_ else X)
