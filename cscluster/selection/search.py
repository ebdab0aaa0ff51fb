"""Search for parameters by held-out constraints."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from cscluster.algorithms.base import (
    Clusterer,
    IntArray,
    MetricLearner,
    Samples,
    as_constraints,
    integer_seed,
)
from cscluster.algorithms.parameters import Estimator, Parameter, check
from cscluster.algorithms.shared import sharing_parts
from cscluster.errors import ConstraintError, ParameterError
from cscluster.selection import heldout

_PARAMETERS = {
    "estimator": Parameter("the clusterer", Estimator()),
    "random_state": Clusterer.parameters["random_state"],
}


class HeldOutSearch(ClusterMixin, BaseEstimator):
    """The parameters of a clusterer that satisfy most held-out constraints.

    Every point of the grid is fitted five times, without the constraints of a fifth of the constrained
    samples, and scored by the share of these that it satisfies.  The best is fitted to all constraints.  Of
    equal points it is the first.  This is the rule of ``select: heldout`` in experiments.

    Parameters
    ----------
    estimator : estimator
        The clusterer.
    grid : mapping of str to list, or list of such mappings
        Values to try, by the name of the parameter.
    random_state : int, RandomState, Generator or None, default 0
        Seed of the folds, the same for all points of the grid.

    Attributes
    ----------
    best_estimator_ : estimator
        Fitted to all constraints with `best_params_`.
    best_params_, best_score_ : dict, float
        The parameters and their held-out constraint accuracy.
    results_ : list of (dict, Score)
        What each point of the grid reached.
    labels_ : ndarray of shape (n_samples,)
        Labels of `best_estimator_`.

    Examples
    --------
    >>> from cscluster import Constraints, HeldOutSearch, PCKMeans, load_dataset
    >>> iris = load_dataset("iris")
    >>> pairs = [(i, (7 * i + 3) % 150) for i in range(40)]
    >>> search = HeldOutSearch(PCKMeans(n_clusters=3, random_state=0), {"w": [0.1, 1.0, 10.0]})
    >>> search = search.fit(iris.X, constraints=Constraints.from_labels(pairs, iris.y))
    >>> search.best_params_["w"] in (0.1, 1.0, 10.0)
    True
    """

    def __init__(self, estimator: Any, grid: Any, random_state: Any = 0) -> None:
        self.estimator = estimator
        self.grid = grid
        self.random_state = random_state

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Search, and fit the best.  The parameters are those of `ConstrainedEstimator.fit`."""
        check("HeldOutSearch", _PARAMETERS, {name: getattr(self, name) for name in _PARAMETERS})
        if isinstance(self.estimator, MetricLearner):
            raise ParameterError("'estimator' of HeldOutSearch must be a clusterer. Use MetricClusterer.")
        seed = integer_seed(self.random_state)
        seed = int(np.random.default_rng().integers(2**31)) if seed is None else seed
        given = as_constraints(np.shape(X)[0], y, constraints)
        if not heldout.are_enough(given):
            raise ConstraintError(
                f"A search needs {heldout.MIN_CONSTRAINTS} constraints with {heldout.MIN_OF_EACH_KIND} of "
                f"each kind, got {len(given.must_links)} must-links and {len(given.cannot_links)} "
                "cannot-links."
            )
        self.results_ = []
        with sharing_parts(X):
            for params in ParameterGrid(self.grid):
                labels = heldout.labels_of(clone(self.estimator).set_params(**params), X)
                self.results_.append((params, heldout.accuracy(labels, given, seed)))
        self.best_params_, best = max(self.results_, key=lambda result: result[1].value)
        self.best_score_ = best.value
        self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_).fit(X, constraints=given)
        self.labels_: IntArray = self.best_estimator_.labels_
        for name in {"n_features_in_", "feature_names_in_"} & vars(self.best_estimator_).keys():
            setattr(self, name, getattr(self.best_estimator_, name))
        return self

    @available_if(lambda self: hasattr(self.estimator, "predict"))
    def predict(self, X: Samples) -> IntArray:
        """Return the clusters of new samples by `best_estimator_`."""
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))
