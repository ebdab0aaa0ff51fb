"""The choice of a method by held-out constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from scipy import sparse

from cscluster.algorithms import registry
from cscluster.algorithms.base import Samples
from cscluster.algorithms.build import build
from cscluster.constraints import Constraints
from cscluster.selection.guarded import Choosing, Guarded


@dataclass(frozen=True)
class Candidate:
    """A method that `Auto` may choose.

    `max_rows` and `max_columns` bound the data that it is tried on.
    """

    name: str
    clusterer: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    max_rows: int = 10**9
    max_columns: int = 10**9

    def build(self, n_clusters: int, seed: int) -> Any:
        """Return the unfitted estimator; a metric learner is joined with `clusterer`, k-means by default."""
        return build(
            self.name, self.params, n_clusters, seed, (self.clusterer, {}) if self.clusterer else None
        )

    def suits(self, X: Any) -> bool:
        """Tell whether it can be fitted to such data."""
        n, d = X.shape
        takes_sparse = "sparse" in registry.find(self.name).tags
        return n <= self.max_rows and d <= self.max_columns and (takes_sparse or not sparse.issparse(X))


CANDIDATES = (
    Candidate("pmmc", max_rows=20_000),
    Candidate("itml", max_columns=1000),
    Candidate("lmnn", max_columns=1000),
    Candidate("trace_ratio_nonlinear", max_rows=20_000, max_columns=1000),
    Candidate("mpckmeans_full", max_columns=50),
)
"""In the order of preference; chosen on the sets of ``configs/benchmark/development.yaml``."""

MIXTURES = (
    Candidate("constrained_gmm", max_rows=20_000, max_columns=100),
    Candidate("constrained_gmm", params={"covariance": "diag"}, max_columns=1000),
    Candidate("constrained_gmm", params={"covariance": "full"}, max_rows=20_000, max_columns=100),
)
"""Preferred to the others where methods learn from all that answers entail; see ``docs/labelling.md``."""

HARD_CANDIDATES = (
    Candidate("itml", "pccc", max_columns=1000),
    Candidate("rca", "pccc", max_columns=1000),
)
"""Those that satisfy hard constraints; the baseline is then PCCC."""


def candidates_for(X: Any, constraints: Constraints, first: Sequence[Candidate] = ()) -> list[Candidate]:
    """Return the candidates for such data and constraints, in the order of preference."""
    every = HARD_CANDIDATES if len(constraints.hard) else (*first, *CANDIDATES)
    return [each for each in every if each.suits(X)]


_EVERY = (*CANDIDATES, *HARD_CANDIDATES)
_METHODS = {each.name for each in _EVERY} | {each.clusterer or registry.JOINED for each in _EVERY}


def _version(name: str) -> int:
    return registry.find(name).load().version


class Auto(Choosing):
    """The method that satisfies most held-out constraints, chosen anew for each fit.

    Each candidate and the baseline, k-means, are fitted five times, without the constraints of a fifth of
    the constrained samples.  The first candidate within a standard error of the best is fitted to all
    constraints, or the baseline where none exceeds it (`compare`).  No labels are used.  Where constraints
    are hard, all candidates and the baseline satisfy them.

    Attributes
    ----------
    estimator_ : estimator
        What was fitted to all constraints.
    algorithm_ : str
        Its name.
    uses_baseline_ : bool
        Whether it is the baseline.
    reason_ : str
        Why.
    comparison_ : Comparison
        Held-out constraint accuracy of each candidate and of the baseline.

    Notes
    -----
    With fewer than ten constraints, or fewer than three of a kind, the baseline is used.  A fit costs five
    fits of each candidate on at most 1,000 samples and one of the winner on all.

    References
    ----------
    Of this package.  The rule and its thresholds are described in ``docs/defaults.md``.

    Examples
    --------
    >>> from cscluster import Auto, Constraints, load_dataset
    >>> iris = load_dataset("iris")
    >>> pairs = [(i, (7 * i + 3) % 150) for i in range(40)]
    >>> model = Auto(n_clusters=3, random_state=0)
    >>> model = model.fit(iris.X, constraints=Constraints.from_labels(pairs, iris.y))
    >>> model.estimator_.n_clusters
    3
    """

    version: ClassVar[int] = 12 + Guarded.version + sum(map(_version, _METHODS))  # results follow theirs

    _first: ClassVar[Sequence[Candidate]] = ()

    def _methods(self, X: Samples, constraints: Constraints) -> tuple[int, list[Any]]:
        candidates = candidates_for(X, constraints, self._first)
        return self.n_clusters, [each.build(self.n_clusters, 0) for each in candidates]


class AnswerAuto(Auto):
    """`Auto` for answers to questions: constrained mixtures are candidates too, and preferred."""

    _first: ClassVar[Sequence[Candidate]] = MIXTURES
