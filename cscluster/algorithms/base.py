"""What every clusterer and every metric learner has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeAlias, dataclass_transform

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from cscluster.algorithms import parameters
from cscluster.algorithms._sklearn import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from cscluster.algorithms.parameters import Integer, Parameter, Seed, parameter
from cscluster.algorithms.shared import of_samples
from cscluster.arrays import BoolArray as BoolArray
from cscluster.arrays import FloatArray as FloatArray
from cscluster.arrays import IntArray as IntArray
from cscluster.arrays import dense as dense
from cscluster.constraints import Constraints
from cscluster.constraints.files import as_links
from cscluster.errors import ConstraintError, DataError, InfeasibleError, ParameterError, warn
from cscluster.words import plural

Samples: TypeAlias = Any
"""Array-like or CSR of shape (n_samples, n_features)."""

LARGEST, SMALLEST = 1e70, 1e-70
"""Of the absolute values of samples, and of the largest range of a feature that varies."""


@dataclass_transform(kw_only_default=True)
class ConstrainedEstimator(BaseEstimator, ABC):
    """An estimator that is fitted to samples and to constraints between them.

    Subclasses declare each parameter once, by `cscluster.algorithms.parameters.parameter`.  The constructor
    and the table `parameters` follow.  `version` is an integer that is raised whenever a change alters
    results: stored trials of an older version are then recomputed.  An estimator that does not satisfy hard
    constraints treats them as constraints of weight one.  `weighs_constraints` is false where all
    constraints count alike: weights are then refused.  `added_parameters` came after trials were stored.
    They are no part of a key while they have their default.
    """

    version: ClassVar[int] = 1
    added_parameters: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    accepts_sparse: ClassVar[bool] = False
    weighs_constraints: ClassVar[bool] = True
    _requires_range = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        parameters.declare(cls)

    @property
    def satisfies_hard_constraints(self) -> bool:
        """Whether no hard constraint is ever violated."""
        return False

    @classmethod
    def published(cls, **params: Any) -> Self:
        """Return the method with the parameter values of its own publication.

        Parameters
        ----------
        **params : object
            Further parameters.  They take precedence over the published values.

        Examples
        --------
        >>> from cscluster import PMMC
        >>> PMMC.published(n_clusters=4).solver
        'subgradient'
        """
        return cls(**{**parameters.published_values(cls.parameters), **params})

    @abstractmethod
    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Fit to samples and constraints.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            The samples.
        y : array-like of int of shape (n_samples,), optional
            Partial labels: the class of a sample, or -1 where it is unknown.
        constraints : Constraints, list of (i, j, "must" | "cannot") or DataFrame, optional
            Must-links and cannot-links.  Together with `y` their union counts.

        Returns
        -------
        self
            The fitted estimator.
        """

    def _validate(self, X: Samples, y: Any, constraints: Any) -> tuple[Samples, Constraints]:
        """Check parameters, samples, partial labels and constraints; return samples and constraints."""
        self._check_parameters()
        X = self._samples(X)
        return X, self._validate_constraints(X.shape[0], y, constraints)

    def _check_parameters(self) -> None:
        """Check the parameters and draw the seed of this fit, `_seed`."""
        parameters.check(type(self).__name__, self.parameters, self.get_params(deep=False))
        self._seed = integer_seed(getattr(self, "random_state", None))

    def _validate_constraints(self, n_samples: int, y: Any, constraints: Any) -> Constraints:
        """Return partial labels and constraints as one set of constraints that suits the samples."""
        name = type(self).__name__
        n_clusters = getattr(self, "n_clusters", 1)
        if n_clusters > n_samples:
            raise ParameterError(
                f"'n_clusters' of {name} must not exceed the {n_samples} samples, got {n_clusters}."
            )
        given = as_constraints(n_samples, y, constraints)
        self.require_equal_weights(given)
        if self.satisfies_hard_constraints or not len(given.hard):
            return given
        if isinstance(self, Clusterer):
            warn(f"{name} cannot guarantee hard constraints. It treats them as constraints of weight one.")
        return given.softened()

    def require_equal_weights(self, constraints: Constraints) -> None:
        """Refuse constraints of several weights where all count alike.  Hard ones count with weight one."""
        if not self.weighs_constraints and not np.isin(constraints.weights, [1.0, np.inf]).all():
            raise ConstraintError(
                f"{type(self).__name__} cannot weigh constraints against each other. Leave their weights "
                "out, or use PCKMeans, MPCKMeans or PCCC."
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
        if self._requires_range:
            _require_range(X, reset)
        if sparse.issparse(X) and X.indices.dtype != np.int32 and X.nnz < np.iinfo(np.int32).max:
            parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
            return sparse.csr_array(parts, shape=X.shape)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.accepts_sparse
        tags.input_tags.pairwise = "precomputed" in (getattr(self, "metric", ""), getattr(self, "kernel", ""))
        return tags


def feature_range(X: Samples) -> tuple[FloatArray, FloatArray]:
    """Return the largest and the smallest value of each feature."""
    return of_samples(X, ("feature range",), lambda: (dense(X.max(axis=0)), dense(X.min(axis=0))))


def _require_range(X: Samples, reset: bool) -> None:
    """Refuse finite samples that are too large, or vary too little to fit, for the squares of distances."""
    high, low = feature_range(X)
    if max(high.max(), -low.min()) > LARGEST:
        raise DataError(
            f"X holds values beyond {LARGEST:g}, too large to compute with. Standardise the features."
        )
    if reset and 0 < (high - low).max() < SMALLEST:
        raise DataError(
            f"X varies by less than {SMALLEST:g}, too little to compute with. Standardise the features."
        )


def as_constraints(n_samples: int, y: Any, constraints: Any) -> Constraints:
    """Return partial labels and constraints, as `fit` takes them, as one set of constraints.

    Raises
    ------
    ConstraintError
        If one of them cannot be used, or they contradict each other.
    """
    if isinstance(y, Constraints):
        warn("Write fit(X, constraints=...): in 0.4 the second argument is y alone.", FutureWarning)
        return _matching(constraints, n_samples) | _matching(y, n_samples)
    given = _matching(constraints, n_samples)
    if y is None:
        return given
    labels = _partial_labels(y, n_samples)
    labelled = Constraints.from_partial_labels(labels)
    if len(given):
        _require_agreement(labels, given)
        labelled = labelled | given
        labelled.require_consistent()
    return labelled


def _matching(constraints: Any, n_samples: int) -> Constraints:
    """Return constraints of any form, or raise an error if they are not made for as many samples."""
    given = as_links(constraints, n_samples, contradictions="keep")
    if given.n_samples != n_samples:
        raise ConstraintError(
            f"The constraints were made for {given.n_samples} samples, but X has {n_samples}."
        )
    return given


def _require_agreement(labels: IntArray, given: Constraints) -> None:
    """Raise an error that names the first constraint between labelled samples that their labels violate."""
    labelled = given.select((labels[given.pairs] != -1).all(axis=1))
    violated = labelled.violated(labels)
    if len(violated):
        (i, j), kind = violated.pairs[0], "must" if len(violated.must_links) else "cannot"
        raise ConstraintError(
            f"Samples {i} and {j} are {kind}-linked, but their labels in y are {labels[i]} and {labels[j]}"
            + (f" ({plural(len(violated) - 1, 'more such pair')})." if len(violated) > 1 else ".")
        )


def _partial_labels(y: Any, n_samples: int) -> IntArray:
    """Return partial labels, or raise an error that says what they must be."""
    try:
        labels = np.asarray(y)
    except ValueError:  # lists of several lengths
        labels = np.asarray(y, dtype=object)
    if labels.dtype.kind not in "iu" or labels.shape != (n_samples,):
        raise ConstraintError(
            f"Unknown label type: y must hold an integer for each of the {n_samples} samples, -1 where its "
            f"class is unknown, got {labels.dtype} values of shape {labels.shape}."
        )
    if not (labels == -1).any():
        warn("y has no -1: each sample is taken as labelled.")
    return labels.astype(np.int64)


def integer_seed(random_state: Any) -> int | None:
    """Return the seed that a generator gives, or the seed itself."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return None if random_state is None else int(random_state)


def warn_of_contradictions(constraints: Constraints, consequence: str) -> bool:
    """Name contradictory constraints in a warning and tell whether there are any."""
    try:
        constraints.require_consistent()
    except ConstraintError as error:
        warn(f"{error} {consequence}")
        return True
    return False


def require_components(constraints: Constraints, n_clusters: int) -> None:
    """Raise an error if must-links leave fewer components than there are clusters."""
    if constraints.n_components < n_clusters:
        count = plural(constraints.n_components, "component")
        raise InfeasibleError(f"Must-links leave {count}, too few for {n_clusters} clusters.")


class Clusterer(ClusterMixin, ConstrainedEstimator):
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
    random_state: Any = parameter(None, "seed of the random choices", Seed())

    def fit_predict(self, X: Samples, y: Any = None, constraints: Any = None) -> IntArray:
        """Fit and return the labels of `X`.  The parameters are those of `fit`."""
        return self.fit(X, y, constraints=constraints).labels_

    def _set_partition(self, labels: Any, *, objective: Any = (), n_iter: int, converged: bool) -> Self:
        """Set the attributes that every clusterer has."""
        self.labels_: IntArray = np.asarray(labels, dtype=np.int64)
        self.objective_: FloatArray = np.asarray(objective, dtype=np.float64)
        self.n_iter_ = int(n_iter)
        self.converged_ = bool(converged)
        return self

    def _set_kmeans_partition(self, model: Any, labels: Any = None, objective: Any = None) -> Self:
        """Set the attributes to those of scikit-learn's k-means, where nothing else is given."""
        return self._set_partition(
            model.labels_ if labels is None else labels,
            objective=[model.inertia_ if objective is None else objective],
            n_iter=model.n_iter_,
            converged=model.n_iter_ < model.max_iter,
        )


class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ConstrainedEstimator):
    """A transformer after which Euclidean distance respects the constraints."""

    @property
    @abstractmethod
    def _n_features_out(self) -> int:
        """Number of dimensions of the learned space, from which scikit-learn makes the names of columns."""

    @abstractmethod
    def transform(self, X: Samples) -> FloatArray:
        """Map samples to the learned space."""

    def _warn_prior(self, missing: str) -> None:
        """Warn that the constraints teach nothing, so that the metric is the one without constraints."""
        self.objective_, self.n_iter_, self.converged_ = np.empty(0), 0, True
        warn(f"{type(self).__name__} got no {missing}: the metric is the prior.")
