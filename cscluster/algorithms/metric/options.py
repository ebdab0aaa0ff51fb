"""Parameters that several metric learners share."""

from __future__ import annotations

from cscluster.algorithms.base import MetricLearner
from cscluster.algorithms.parameters import Integer, Null, Parameter, Real
from cscluster.errors import ParameterError

SHRINKAGE = Parameter(
    "weight of the prior, the features' own spread, in observations for each feature", Real(0)
)
N_COMPONENTS = Parameter("dimensions of the learned space; half of the features if null", Integer(1), Null())


def require_at_most(owner: MetricLearner, n_components: int | None, limit: int, of_what: str) -> None:
    """Raise a ParameterError where more dimensions are asked for than there are."""
    if n_components is not None and n_components > limit:
        raise ParameterError(
            f"'n_components' of {type(owner).__name__} must not exceed the {limit} {of_what}, "
            f"got {n_components}."
        )
