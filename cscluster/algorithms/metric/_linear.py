"""Linear metrics: a map of the features, learned on features that vary and share a scale."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from scipy import sparse

from cscluster.algorithms.base import BoolArray, FloatArray, MetricLearner, Samples, dense
from cscluster.algorithms.parameters import Choice, Real, parameter
from cscluster.arrays import require_memory
from cscluster.constraints import Constraints
from cscluster.errors import DataError, ParameterError, warn
from cscluster.linalg.scatter import common_scales, effective_dimension, principal_map, shrunk_covariance

MAX_DIRECTIONS = 100
"""Features beyond which defaults learn a metric on so many principal components; publications use all."""


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

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Learn the map on features that vary, each divided by its scale.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        name, d = type(self).__name__, X.shape[1]
        if sparse.issparse(X):
            require_memory(name, X.shape, "use PMMC, which keeps the samples sparse")
        require_memory(name, (d, d), "reduce the number of features, for example by PCA")
        X = dense(X)
        varies, scales = self._scales(X)
        if not varies.any():
            raise DataError(f"{name} cannot use these samples: all coincide.")
        most = self._most_directions()
        if most is not None and varies.sum() > most:
            divisors = np.ones(d)
            divisors[varies] = scales
            P = principal_map(X, divisors, most)
            self.n_directions_ = P.shape[1]
            self.components_ = self._learn(X @ P, constraints) @ P.T
            return self
        self.n_directions_ = 0
        L = self._learn(X[:, varies] / scales, constraints)
        self.components_ = np.zeros((len(L), d))
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

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    @abstractmethod
    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Return the map of the scaled features, or of their principal components."""

    def _prior(self, Z: FloatArray, missing: str) -> FloatArray:
        """Return the map without constraints, the identity of Z, and warn of those that are missing."""
        self._warn_prior(missing)
        return np.eye(Z.shape[1])

    def transform(self, X: Samples) -> FloatArray:
        """Return ``X @ components_.T``."""
        X = self._validate_new(X)
        return np.asarray(X @ self.components_.T)


class ShrunkMetric(LinearMetric):
    """A linear metric from a covariance inside must-links that is shrunk towards a prior."""

    shrinkage: float | str = parameter(
        "auto",
        "tau: the prior, the features' own spread, counts as tau * d further observations of must-links. "
        "'auto': the effective number of features over that of observations",
        Real(0),
        Choice("auto"),
        published=0.0,
        why="few must-links do not determine a covariance. The prior fades with more must-links",
    )

    def _scales(self, X: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Leave the features as they are where nothing is shrunk, as the publications do."""
        varies, s = super()._scales(X)
        return varies, np.ones_like(s) if self.shrinkage == 0 else s

    def _most_directions(self) -> int | None:
        return MAX_DIRECTIONS if self.shrinkage == "auto" else None

    def _lacks_must_links(self, n_must: int) -> bool:
        """Tell whether must-links are missing and no prior replaces their covariance; warn where it does."""
        if not n_must and self.shrinkage != 0:
            warn(f"{type(self).__name__} got no must-links: their covariance is that of the prior.")
        return not n_must and self.shrinkage == 0

    def _shrunk(self, S: FloatArray, freedom: int, Z: FloatArray) -> FloatArray:
        """Return the shrunk covariance of a scatter of scaled samples Z.

        By default the scatter weighs ``freedom^2`` against d times the effective dimension of Z, so that it
        hardly counts where there are fewer observations than dimensions, and soon is all where there are
        more.
        """
        auto = self.shrinkage == "auto"
        tau = effective_dimension(Z) / max(freedom, 1) if auto else float(self.shrinkage)
        return shrunk_covariance(S, freedom, tau)


def require_at_most(owner: MetricLearner, n_components: int | str, limit: int, of_what: str) -> None:
    """Raise a ParameterError where more dimensions are asked for than there are."""
    if n_components != "auto" and int(n_components) > limit:
        raise ParameterError(
            f"'n_components' of {type(owner).__name__} must not exceed the {limit} {of_what}, "
            f"got {n_components}."
        )
