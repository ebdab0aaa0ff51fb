"""A method that is used only where held-out constraints support it; else the baseline."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.build import title
from cscluster.algorithms.metric_clusterer import configured
from cscluster.algorithms.parameters import Estimator, Parameter, check
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.algorithms.partition.pccc import PCCC
from cscluster.algorithms.registry import Algorithm
from cscluster.algorithms.shared import sharing_parts
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, ParameterError, warn
from cscluster.selection.compare import OnFit, baseline_for, compare, constrained_labels


def require_hard(estimator: Any, constraints: Constraints) -> None:
    """Raise a ConstraintError if constraints are hard and an estimator cannot guarantee them."""
    if len(constraints.hard) and not getattr(estimator, "satisfies_hard_constraints", False):
        raise ConstraintError(
            f"{title(estimator)} cannot guarantee hard constraints. Use pccc or cop_kmeans, or give the "
            "constraints finite weights."
        )


def guard_problem(algorithm: Algorithm) -> str | None:
    """Return why an algorithm cannot be guarded, or None."""
    if algorithm.family == "selection":
        return f"'{algorithm.name}' needs no guard: it compares methods with k-means itself"
    if "constraints" not in algorithm.tags:
        return f"'{algorithm.name}' uses no constraints, so a guard has nothing to compare"
    if "noise" in algorithm.tags:
        return f"'{algorithm.name}' finds the number of clusters, which k-means needs"
    return None


class Choosing(Clusterer):
    """A clusterer that compares candidates with a baseline and fits what wins; `Auto` has its attributes."""

    accepts_sparse = True

    @property
    def satisfies_hard_constraints(self) -> bool:
        """True: methods that cannot guarantee hard constraints do not take part where there are any."""
        return True

    def fit(self, X: Samples, y: Any = None, constraints: Any = None, *, on_fit: OnFit | None = None) -> Self:
        """Compare the candidates with the baseline, and fit the winner to all constraints.

        Parameters
        ----------
        X, y, constraints
            As in `ConstrainedEstimator.fit`.
        on_fit : callable, optional
            Is called before each fit with the name of the method, the number of earlier fits, and that of
            all.
        """
        X, constraints = self._validate(X, y, constraints)
        seed = int(np.random.default_rng().integers(2**31)) if self._seed is None else self._seed
        n_clusters, methods = self._methods(X, constraints)
        baseline = baseline_for(constraints, n_clusters, seed)
        candidates = {title(each): configured(each, {"random_state": seed}) for each in methods}
        with sharing_parts(X):
            comparison = compare(candidates, baseline, X, constraints, seed=seed, on_fit=on_fit)
            self.uses_baseline_ = comparison.chosen is None
            self.algorithm_ = comparison.chosen or title(baseline)
            self.estimator_ = candidates[comparison.chosen] if comparison.chosen else baseline
            if on_fit is not None:
                on_fit(self.algorithm_, 0, 1)
            self.estimator_.fit(X, constraints=constraints)
        self.reason_, self.comparison_ = comparison.reason, comparison
        if comparison.scores and not comparison.scores[self.algorithm_].exceeds_chance:
            warn(
                "Held-out constraints are satisfied no better than by chance: these features hardly show "
                "the classes of the constraints."
            )
        return self._set_partition(
            constrained_labels(self.estimator_, X, constraints),
            objective=getattr(self.estimator_, "objective_", ()),
            n_iter=getattr(self.estimator_, "n_iter_", 1),
            converged=getattr(self.estimator_, "converged_", True),
        )

    @abstractmethod
    def _methods(self, X: Samples, constraints: Constraints) -> tuple[int, list[Any]]:
        """Return the number of clusters and the candidates, in the order of preference."""

    @available_if(lambda self: hasattr(getattr(self, "estimator_", KMeans), "predict"))
    def predict(self, X: Samples) -> IntArray:
        """Return the clusters of new samples by `estimator_`."""
        X = self._validate_new(X)
        return np.asarray(self.estimator_.predict(X))

    @available_if(lambda self: hasattr(getattr(self, "estimator_", KMeans), "predict_proba"))
    def predict_proba(self, X: Samples) -> FloatArray:
        """Return the probabilities of the clusters of new samples by `estimator_`."""
        X = self._validate_new(X)
        return np.asarray(self.estimator_.predict_proba(X))


class Guarded(Choosing):
    """A clusterer that gives way to k-means where held-out constraints do not support it.

    The estimator and the baseline are fitted five times each, without the constraints of a fifth of the
    constrained samples.  The one that satisfies more of these is fitted to all constraints (`compare`).  The
    baseline is k-means, or PCCC where constraints are hard.  An estimator that cannot guarantee them is then
    refused.  Labels of constrained samples are chosen jointly where the winner gives costs of samples in
    clusters.

    Parameters
    ----------
    estimator : estimator
        The clusterer, with its number of clusters.
    random_state : int, RandomState, Generator or None, default None
        Seed of the folds, of the estimator and of the baseline.

    Attributes
    ----------
    estimator_, algorithm_, uses_baseline_, reason_, comparison_
        What was fitted and why, as in `Auto`.

    Notes
    -----
    With fewer than ten constraints, or fewer than three of a kind, the baseline is used.

    References
    ----------
    Of this package.  The held-out rule is described in ``docs/defaults.md``.

    Examples
    --------
    >>> from cscluster import Guarded, PCKMeans
    >>> model = Guarded(PCKMeans(n_clusters=2), random_state=0)
    >>> model = model.fit([[0.0], [0.1], [5.0], [5.1]], constraints=[(0, 1, "must")])
    >>> model.uses_baseline_, model.reason_
    (True, 'a comparison needs 10 constraints with 3 of each kind')
    """

    version: ClassVar[int] = 2 + KMeans.version + PCCC.version  # results change with those of the baseline
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "estimator": Parameter("the clusterer", Estimator()),
        "random_state": Clusterer.parameters["random_state"],
    }

    def __init__(self, estimator: Any, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def _methods(self, X: Samples, constraints: Constraints) -> tuple[int, list[Any]]:
        if isinstance(self.estimator, Choosing):
            raise ParameterError(f"'estimator' of Guarded must not be {type(self.estimator).__name__}.")
        given = self.estimator.get_params(deep=False)
        if isinstance(self.estimator, Clusterer):
            check(type(self.estimator).__name__, self.estimator.parameters, given)
        n_clusters = given.get("n_clusters")
        if n_clusters is None:
            raise ParameterError("'estimator' of Guarded must have a parameter 'n_clusters'.")
        require_hard(self.estimator, constraints)
        return n_clusters, [self.estimator]
