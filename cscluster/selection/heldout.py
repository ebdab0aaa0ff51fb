"""Held-out constraint accuracy: the share of constraints satisfied by a method that was not shown them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from cscluster import seeds
from cscluster.arrays import BoolArray, FloatArray, IntArray
from cscluster.constraints import Constraints

FOLDS = 5
MIN_CONSTRAINTS = 10
MIN_OF_EACH_KIND = 3
MAX_ROWS = 1000


@dataclass(frozen=True)
class Score:
    """Held-out constraint accuracy.

    Attributes
    ----------
    must, cannot : float
        Shares of the held-out must-links and cannot-links that are satisfied.
    n_must, n_cannot : int
        Their numbers; each constraint counts once.
    """

    must: float
    cannot: float
    n_must: int
    n_cannot: int

    @property
    def _kinds(self) -> list[tuple[float, int]]:
        """Share and number of each kind of which there are any."""
        return [(p, n) for p, n in ((self.must, self.n_must), (self.cannot, self.n_cannot)) if n]

    @property
    def value(self) -> float:
        """Mean of both shares, so that neither kind outweighs the other."""
        return float(np.mean([share for share, _ in self._kinds])) if self._kinds else 0.0

    @property
    def standard_error(self) -> float:
        """Standard error of `value`: that of the mean of two independent proportions.

        A share p of n is taken as ``(n p + 1) / (n + 2)``, so that no proportion is known exactly.
        """
        shrunk = [((n * share + 1) / (n + 2), n) for share, n in self._kinds]
        variances = [p * (1 - p) / n for p, n in shrunk]
        return float(np.sqrt(sum(variances)) / len(variances)) if variances else np.inf

    @property
    def exceeds_chance(self) -> bool:
        """Whether `value` is above one half, that of random labels, by two standard errors."""
        return self.value > 0.5 + 2 * self.standard_error


def are_enough(constraints: Constraints) -> bool:
    """Tell whether there are enough constraints to hold some out."""
    return n_missing(constraints) == 0


def n_missing(constraints: Constraints) -> int:
    """Return how many more constraints are needed at least to hold some out."""
    kinds = (len(constraints.must_links), len(constraints.cannot_links))
    return max(MIN_CONSTRAINTS - sum(kinds), sum(max(0, MIN_OF_EACH_KIND - kind) for kind in kinds))


def folds(constraints: Constraints, seed: int) -> list[BoolArray]:
    """Set aside a fifth of the constrained samples, five times; return which constraints touch them.

    A fit is shown the other constraints only.  Samples are set aside, not pairs, so that no held-out
    constraint follows from those that are shown.
    """
    fold = np.full(constraints.n_samples, -1)
    order = np.arange(len(constraints.touched)) % FOLDS
    fold[constraints.touched] = seeds.generator(seed, "held-out links").permutation(order)
    return [(fold[constraints.pairs] == number).any(axis=1) for number in range(FOLDS)]


def accuracy(fit: Callable[[Constraints], IntArray], constraints: Constraints, seed: int) -> Score:
    """Return the held-out constraint accuracy of `fit`.

    A constraint whose samples are set aside in two folds counts once, with its mean.

    Parameters
    ----------
    fit : callable
        Is shown constraints and returns labels.
    constraints : Constraints
        All constraints.
    seed : int
        Seed of the folds.
    """
    n_held_out, n_satisfied = np.zeros((2, len(constraints)))
    for held_out in folds(constraints, seed):
        labels = fit(constraints.select(~held_out))
        n_held_out += held_out
        n_satisfied += held_out & ~constraints.is_violated(labels)
    must, cannot = np.split(n_satisfied / n_held_out, [len(constraints.must_links)])
    return Score(_mean(must), _mean(cannot), len(must), len(cannot))


def _mean(shares: FloatArray) -> float:
    return float(shares.mean()) if len(shares) else 0.0


def labels_of(estimator: Any, X: Any) -> Callable[[Constraints], IntArray]:
    """Return the function from constraints that are shown to the labels of an unfitted estimator."""

    def labels(shown: Constraints) -> IntArray:
        with warnings.catch_warnings(action="ignore"):
            return np.asarray(clone(estimator).fit(X, constraints=shown).labels_)

    return labels


def fewer_rows(X: Any, constraints: Constraints, seed: int) -> tuple[Any, Constraints]:
    """Keep at most `MAX_ROWS` samples, with the constraints between them.

    All constrained samples stay and others at random; of more, those of constraints drawn at random.
    """
    n = constraints.n_samples
    if n <= MAX_ROWS:
        return X, constraints
    rng = seeds.generator(seed, "rows")
    touched = constraints.touched
    if len(touched) > MAX_ROWS:
        ends = constraints.pairs[rng.permutation(len(constraints))].ravel()
        first = np.sort(np.unique(ends, return_index=True)[1])
        rows = np.sort(ends[first[:MAX_ROWS]])
        constraints = constraints.select(np.isin(constraints.pairs, rows).all(axis=1))
    else:
        others = np.setdiff1d(np.arange(n), touched)
        drawn = rng.choice(others, MAX_ROWS - len(touched), replace=False)
        rows = np.sort(np.concatenate([touched, drawn]))
    return X[rows], constraints.renumbered(rows)
