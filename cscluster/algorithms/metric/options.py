"""Parameters that several metric learners share."""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import BoolArray, FloatArray, LinearMetric, MetricLearner
from cscluster.algorithms.parameters import Null, Real, parameter
from cscluster.errors import ConstraintError, ParameterError, warn
from cscluster.linalg.scatter import effective_dimension, shrunk_covariance

MAX_DIRECTIONS = 100
"""Features beyond which our forms learn a metric on so many principal components; publications use all."""


class ShrunkMetric(LinearMetric):
    """A linear metric from a covariance inside must-links that is shrunk towards a prior."""

    shrinkage: float | None = parameter(
        None,
        "tau: the prior, the features' own spread, counts as tau * d further observations of must-links; "
        "the effective number of features over that of observations if null; zero is the method as published",
        Real(0),
        Null(),
    )

    def _scales(self, X: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Leave the features as they are where nothing is shrunk, as the publications do."""
        varies, s = super()._scales(X)
        return varies, np.ones_like(s) if self.shrinkage == 0 else s

    def _most_directions(self) -> int | None:
        return MAX_DIRECTIONS if self.shrinkage is None else None

    def _warn_without(self, n_must: int, instead: str) -> None:
        """Warn where there are no must-links, which a method without a prior cannot do without."""
        name = type(self).__name__
        if not n_must and self.shrinkage == 0:
            raise ConstraintError(f"{name} with 'shrinkage' 0 needs must-links, got none.")
        if not n_must:
            warn(f"{name} got no must-links: it uses the features' {instead} instead.")

    def _shrunk(self, S: FloatArray, freedom: int, Z: FloatArray) -> FloatArray:
        """Return the shrunk covariance of a scatter of scaled samples Z.

        By default the scatter weighs ``freedom^2`` against d times the effective dimension of Z, so that it
        hardly counts where there are fewer observations than dimensions, and soon is all where there are
        more.
        """
        tau = effective_dimension(Z) / max(freedom, 1) if self.shrinkage is None else self.shrinkage
        return shrunk_covariance(S, freedom, tau)


def require_at_most(owner: MetricLearner, n_components: int | None, limit: int, of_what: str) -> None:
    """Raise a ParameterError where more dimensions are asked for than there are."""
    if n_components is not None and n_components > limit:
        raise ParameterError(
            f"'n_components' of {type(owner).__name__} must not exceed the {limit} {of_what}, "
            f"got {n_components}."
        )
