"""One comparison of methods by held-out constraints; `Guarded` and `Auto` follow from it."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from cscluster.algorithms.build import title
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.algorithms.partition.pccc import PCCC
from cscluster.algorithms.shared import sharing_parts
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.errors import CsclusterError
from cscluster.selection import heldout
from cscluster.selection.heldout import Score
from cscluster.selection.joint import joint_labels

WITHIN = 1.0
"""A method this many standard errors below the best counts as equal to it."""
ABOVE = 0.0
"""The best must exceed the baseline by this many standard errors."""
VIOLATION_COST = 2.0
"""Cost of a violated constraint, in units of the mean difference of a sample's two lowest costs."""

OnFit = Callable[[str, int, int], None]
"""Is called before each fit with the name of the method, the number of earlier fits, and that of all."""


@dataclass(frozen=True)
class Comparison:
    """What a comparison came to.

    Attributes
    ----------
    chosen : str, optional
        Name of the candidate; None stands for the baseline.
    reason : str
        Why, in a sentence.
    scores : mapping of str to Score
        Held-out constraint accuracy of each candidate and, last, of the baseline; empty without comparison.
    failures : mapping of str to str
        Why a candidate could not be fitted to any fold.
    """

    chosen: str | None
    reason: str
    scores: Mapping[str, Score] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)


def baseline_for(constraints: Constraints, n_clusters: int, seed: int | None) -> Any:
    """Return the unfitted baseline: k-means, or PCCC where constraints are hard."""
    kind = PCCC if len(constraints.hard) else KMeans
    return kind(n_clusters=n_clusters, random_state=seed)


def constrained_labels(model: Any, X: Any, constraints: Constraints) -> IntArray:
    """Return the labels of a fitted model, with those of constrained samples chosen jointly.

    A model without ``costs(X)`` keeps its labels, and so does one that satisfies hard constraints.
    """
    labels = np.asarray(model.labels_)
    if not len(constraints) or not hasattr(model, "costs") or len(constraints.hard):
        return labels
    costs = model.costs(X)
    lowest = np.partition(costs, 1, axis=1)[:, :2] if costs.shape[1] > 1 else np.zeros((1, 2))
    gap = float((lowest[:, 1] - lowest[:, 0]).mean())
    touched = constraints.touched
    labels = labels.copy()
    labels[touched] = joint_labels(costs[touched], constraints.renumbered(touched), VIOLATION_COST * gap)
    return labels


def compare(
    candidates: Mapping[str, Any],
    baseline: Any,
    X: Any,
    constraints: Constraints,
    *,
    seed: int = 0,
    on_fit: OnFit | None = None,
) -> Comparison:
    """Compare methods with a baseline by held-out constraints.

    The first candidate whose score is within `WITHIN` standard errors of the best is chosen.  The baseline
    is kept unless the best exceeds it by `ABOVE` standard errors, and where there are too few constraints.
    A candidate that cannot be fitted to a fold has the baseline's labels there.

    Parameters
    ----------
    candidates : mapping of str to estimator
        Unfitted estimators by name, in the order of preference.
    baseline : estimator
        Unfitted.
    X, constraints : array, Constraints
        Samples and constraints.  At most `heldout.MAX_ROWS` samples take part.
    seed : int
        Seed of the folds.
    on_fit : callable, optional
        Reports progress.
    """
    if not len(constraints):
        return Comparison(None, "there are no constraints")
    if not heldout.are_enough(constraints):
        needed = f"{heldout.MIN_CONSTRAINTS} constraints with {heldout.MIN_OF_EACH_KIND} of each kind"
        return Comparison(None, f"a comparison needs {needed}")
    X, constraints = heldout.fewer_rows(X, constraints, seed)
    scores: dict[str, Score] = {}
    failures: dict[str, str] = {}
    done, total = itertools.count(), heldout.FOLDS * (len(candidates) + 1)

    def labels(name: str, method: Any, errors: list[str], shown: Constraints) -> IntArray:
        """Return the labels of a method that is shown constraints, or the baseline's where that fails."""
        if on_fit is not None:
            on_fit(name, next(done), total)
        try:
            return _fitted_labels(method, X, shown)
        except (ValueError, CsclusterError) as error:
            if method is baseline:
                raise
            errors.append(str(error))
            return _fitted_labels(baseline, X, shown)

    with sharing_parts(X):
        for name, method in [*candidates.items(), (title(baseline), baseline)]:
            errors: list[str] = []
            score = heldout.accuracy(partial(labels, name, method, errors), constraints, seed)
            if len(errors) == heldout.FOLDS:
                failures[name] = errors[0]
            else:
                scores[name] = score
    return _choose(scores, failures)


def _fitted_labels(method: Any, X: Any, shown: Constraints) -> IntArray:
    with warnings.catch_warnings(action="ignore"):
        return constrained_labels(clone(method).fit(X, constraints=shown), X, shown)


def _choose(scores: Mapping[str, Score], failures: Mapping[str, str]) -> Comparison:
    """Apply the rule to scores, the last of which is the baseline's."""
    *names, baseline = scores
    if not names:
        return Comparison(None, "no other method can be fitted to such data", scores, failures)
    reference = scores[baseline].value
    best = max(names, key=lambda name: scores[name].value)
    top, error = scores[best].value, scores[best].standard_error
    if top <= reference + ABOVE * error:
        reason = f"no method exceeds its held-out constraint accuracy of {reference:.2f}"
        return Comparison(None, reason, scores, failures)
    chosen = next(name for name in names if scores[name].value >= top - WITHIN * error)
    reason = (
        f"its held-out constraint accuracy is {scores[chosen].value:.2f}, that of {baseline} {reference:.2f}"
    )
    if chosen != best:
        reason += f", and {best} ({top:.2f}) is not better by more than a standard error"
    return Comparison(chosen, reason, scores, failures)
