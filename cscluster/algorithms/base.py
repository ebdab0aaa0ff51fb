"""What every clusterer and every metric learner has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, ClassVar, Self, TypeAlias, dataclass_transform

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from cscluster.algorithms import parameters
from cscluster.algorithms.cost import Cost, kernel_matrix, require_affordable
from cscluster.algorithms.parameters import Integer, Null, Parameter, parameter
from cscluster.arrays import BoolArray as BoolArray
from cscluster.arrays import FloatArray as FloatArray
from cscluster.arrays import IntArray as IntArray
from cscluster.arrays import dense as dense
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, ParameterError, warn
from cscluster.linalg.scatter import common_scales, principal_map

Samples: TypeAlias = Any
"""Array-like or CSR of shape (n_samples, n_features)."""
_FEW_CLUSTERS = 10
"""Clusters of the k-means that a method without a number of clusters is measured by."""


def _ignoring_target(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``method(X, constraints)`` be called as scikit-learn does: ``method(X, y, constraints=links)``.

    Its pipelines and searches always hand on a target y, a vector or None, which no method here looks at.
    """

    @wraps(method)
    def called(self: Any, X: Samples, *rest: Any, **named: Any) -> Any:
        if rest and (rest[0] is None or np.asarray(rest[0], dtype=object).ndim == 1):
            rest = rest[1:]
        return method(self, X, *rest, **named)

    return called


@dataclass_transform(kw_only_default=True)
class ConstrainedEstimator(BaseEstimator, ABC):
    """An estimator that is fitted to samples and to links between them.

    Subclasses declare each parameter once, by `cscluster.algorithms.parameters.parameter`; the constructor
    and the table `parameters` follow.  `version` is an integer that is raised whenever a change alters
    results: stored trials of an older version are then recomputed.  `keeps_hard_links`
    says that no hard link is ever broken; other estimators see hard links as links of weight one.
    `weighs_links` is false where all links count alike: weights are then refused.
    """

    version: ClassVar[int] = 1
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    accepts_sparse: ClassVar[bool] = False
    keeps_hard_links: ClassVar[bool] = False
    weighs_links: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        parameters.declare(cls)
        for name in {"fit", "fit_predict"} & vars(cls).keys():
            setattr(cls, name, _ignoring_target(vars(cls)[name]))

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """Return the names of the constructor's parameters, which scikit-learn looks up at every call."""
        return super()._get_param_names()

    @abstractmethod
    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Fit to the samples `X` of shape (n_samples, n_features) and the links between them."""

    def _validate(self, X: Samples, constraints: Constraints | None) -> tuple[Samples, Constraints]:
        """Check parameters, samples and links; return both ready for use."""
        name = type(self).__name__
        parameters.check(name, self.parameters, self.get_params(deep=False))
        X = self._samples(X)
        links = self._validate_links(X.shape[0], constraints)
        n, d = X.shape
        self.require_affordable(n, d, links)
        return X, links

    def require_affordable(self, n: int, d: int, links: Constraints) -> None:
        """Refuse a fit to n samples of d features that needs too much time or memory.

        Raises
        ------
        DataError
            With what the fit would need and what to use instead.
        """
        n_clusters = getattr(self, "n_clusters", _FEW_CLUSTERS)
        require_affordable(type(self).__name__, self._cost(n, d, links), n, d, len(links), n_clusters)

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        """Return what a fit to n samples of d features needs, where that grows faster than for k-means."""
        return None

    def _validate_links(self, n_samples: int, constraints: Constraints | None) -> Constraints:
        """Check that clusters and links suit the number of samples; return links ready for use."""
        name = type(self).__name__
        n_clusters = getattr(self, "n_clusters", 1)
        if n_clusters > n_samples:
            raise ParameterError(
                f"'n_clusters' of {name} must not exceed the {n_samples} samples, got {n_clusters}."
            )
        if constraints is None:
            constraints = Constraints.empty(n_samples)
        if not isinstance(constraints, Constraints):
            raise ConstraintError(
                f"constraints must be a cscluster.Constraints, got {type(constraints).__name__}."
            )
        if constraints.n_samples != n_samples:
            raise ConstraintError(
                f"The links were made for {constraints.n_samples} samples, but X has {n_samples}."
            )
        self.require_equal_weights(constraints)
        if self.keeps_hard_links or not len(constraints.hard):
            return constraints
        if isinstance(self, Clusterer):
            warn(f"{name} cannot guarantee hard links; it takes them as links of weight one.")
        return constraints.softened()

    def require_equal_weights(self, constraints: Constraints) -> None:
        """Refuse links of several weights where all count alike; hard ones count as links of weight one."""
        if not self.weighs_links and not np.isin(constraints.weights, [1.0, np.inf]).all():
            raise ConstraintError(
                f"{type(self).__name__} cannot weigh links against each other; leave their weights out, or "
                "use PCKMeans, MPCKMeans or PCCC."
            )

    def _validate_new(self, X: Samples) -> Samples:
        """Check samples that were not seen in `fit`."""
        check_is_fitted(self)
        return self._samples(X, reset=False)

    def _samples(self, X: Samples, reset: bool = True) -> Samples:
        """Return samples, two or more to fit, as float64, in C order or as CSR with the narrowest indices."""
        accepted = "csr" if self.accepts_sparse else False
        X = validate_data(
            self,
            X,
            accept_sparse=accepted,
            dtype=np.float64,
            order="C",
            reset=reset,
            ensure_min_samples=2 if reset else 1,
        )
        if sparse.issparse(X) and X.indices.dtype != np.int32 and X.nnz < np.iinfo(np.int32).max:
            parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
            return sparse.csr_array(parts, shape=X.shape)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.accepts_sparse
        return tags


class _Partition:
    """What `fit` of a clusterer sets."""

    labels_: IntArray
    n_iter_: int
    converged_: bool
    objective_: FloatArray


class Clusterer(_Partition, ClusterMixin, ConstrainedEstimator):
    """A clusterer: `fit` sets the attributes below; `predict` exists where the model generalises.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, from 0 to ``n_clusters - 1``.
    n_iter_ : int
        Number of (outer) iterations.
    converged_ : bool
        Whether the stop rule was met before the iteration limit.
    objective_ : ndarray
        Objective after each iteration; empty where the method has none.
    """

    n_clusters: int = parameter(2, "number of clusters", Integer(1))

    def fit_predict(self, X: Samples, constraints: Constraints | None = None) -> IntArray:
        """Fit and return the labels of `X`."""
        return self.fit(X, constraints).labels_

    def _end_as(self, model: Any) -> None:
        """Set the attributes of a partition to those of another clusterer."""
        self.labels_, self.objective_ = model.labels_, model.objective_
        self.n_iter_, self.converged_ = model.n_iter_, model.converged_

    def _end_with(self, model: Any) -> None:
        """Set the attributes of a partition to those of scikit-learn's k-means."""
        self.labels_ = model.labels_.astype(np.int64)
        self.n_iter_ = model.n_iter_
        self.converged_ = model.n_iter_ < model.max_iter
        self.objective_ = np.array([model.inertia_])


class SeededClusterer(Clusterer):
    """A clusterer that makes random choices."""

    random_state: int | None = parameter(None, "seed of the random choices", Integer(0, 2**32 - 1), Null())


class MetricLearner(TransformerMixin, ConstrainedEstimator):
    """A transformer after which Euclidean distance respects the links."""

    @abstractmethod
    def transform(self, X: Samples) -> FloatArray:
        """Map samples to the learned space."""


class LinearMetric(MetricLearner):
    """A metric learner whose map is linear; a method gives its own step, `_learn`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The learned map L; the metric's matrix is ``L.T @ L``.  Constant features get no weight.
    n_directions_ : int
        Number of principal components that the metric was learned on; zero if on the features themselves.
    """

    accepts_sparse = True

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Learn the map from the links, on features that vary, each divided by its scale."""
        X, constraints = self._validate(X, constraints)
        n, d = X.shape
        if sparse.issparse(X):
            whole = kernel_matrix(n, d, "use pmmc, which keeps the samples sparse")
            require_affordable(type(self).__name__, whole, n, d, len(constraints), 1)
        X = dense(X)
        varies, scales = self._scales(X)
        most = self._most_directions()
        if most is not None and varies.sum() > most:
            divisors = np.ones(X.shape[1])
            divisors[varies] = scales
            P = principal_map(X, divisors, most)
            self.n_directions_ = P.shape[1]
            self.components_ = self._learn(X @ P, constraints) @ P.T
            return self
        self.n_directions_ = 0
        L = self._learn(X[:, varies] / scales, constraints)
        self.components_ = np.zeros((len(L), X.shape[1]))
        self.components_[:, varies] = L / scales
        return self

    def _scales(self, X: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Return which features vary, and what those that do are divided by."""
        return common_scales(X)

    def _most_directions(self) -> int | None:
        """Return the most features that the metric is learned on as they are; any number if None.

        Beyond it, the metric is learned on so many leading principal components of the scaled features.
        """
        return None

    @abstractmethod
    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Return the map of the scaled features, or of their principal components."""

    def transform(self, X: Samples) -> FloatArray:
        """Return ``X @ components_.T``."""
        X = self._validate_new(X)
        return np.asarray(X @ self.components_.T)
