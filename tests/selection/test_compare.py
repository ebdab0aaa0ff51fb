"""The comparison: one rule for `Guarded` and `Auto`."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from cscluster import Constraints, KMeans, MPCKMeans, PCKMeans
from cscluster.errors import ConstraintError
from cscluster.selection import compare as module
from cscluster.selection import heldout
from cscluster.selection.compare import compare, constrained_labels
from cscluster.selection.heldout import Score
from tests.selection.toys import Y, constraints, rows


class Fixed(BaseEstimator):
    """Labels of any number of correct samples, whatever is shown."""

    def __init__(self, n_right=90, message=""):
        self.n_right = n_right
        self.message = message

    def fit(self, X, constraints=None):
        if self.message:
            raise ConstraintError(self.message)
        self.labels_ = np.where(np.arange(90) % 90 < self.n_right, Y, (Y + 1) % 3)
        return self


def scores(**values):
    """Return scores of a hundred constraints."""
    return {name: Score(value, value, 50, 50) for name, value in values.items()}


def test_the_first_within_a_standard_error_of_the_best_is_chosen():
    found = module._choose(scores(a=0.7, b=0.86, c=0.88, baseline=0.6), {})
    assert found.chosen == "b"
    assert "0.86" in found.reason
    assert "c (0.88)" in found.reason


def test_the_baseline_stays_unless_it_is_exceeded():
    assert module._choose(scores(a=0.6, baseline=0.6), {}).chosen is None
    assert module._choose(scores(a=0.61, baseline=0.6), {}).chosen == "a"


def test_a_better_method_is_chosen_and_each_fit_is_announced():
    calls = []
    found = compare(
        {"poor": Fixed(45), "good": Fixed(90)},
        KMeans(n_clusters=3, random_state=0),
        rows(),
        constraints(60),
        on_fit=lambda *call: calls.append(call),
    )
    assert found.chosen == "good"
    assert list(found.scores) == ["poor", "good", "k-means"]
    assert found.scores["good"].value == 1.0
    assert calls == [
        (name, 5 * place + fold, 15)
        for place, name in enumerate(["poor", "good", "k-means"])
        for fold in range(5)
    ]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (Constraints.empty(90), "no constraints"),
        (constraints(9), "10 constraints with 3 of each kind"),
        (Constraints(must_links=[(i, i + 1) for i in range(20)], n_samples=90), "3 of each kind"),
    ],
)
def test_few_constraints_are_not_compared(given, reason):
    found = compare({"good": Fixed()}, KMeans(n_clusters=3), rows(), given)
    assert (found.chosen, found.scores) == (None, {})
    assert reason in found.reason


def test_a_method_that_cannot_be_fitted_is_out_and_named():
    found = compare(
        {"failing": Fixed(message="no weights"), "good": Fixed()},
        KMeans(n_clusters=3, random_state=0),
        rows(),
        constraints(60),
    )
    assert found.chosen == "good"
    assert found.failures == {"failing": "no weights"}
    alone = compare({"failing": Fixed(message="no")}, KMeans(n_clusters=3), rows(), constraints(60))
    assert alone.chosen is None


def test_a_method_that_fails_on_a_fold_has_the_baselines_labels_there(monkeypatch):
    calls = []
    fit = Fixed.fit

    def sometimes(self, X, constraints=None):
        calls.append(len(constraints))
        if len(calls) == 1:
            raise ConstraintError("not this time")
        return fit(self, X, constraints)

    monkeypatch.setattr(Fixed, "fit", sometimes)
    given = constraints(60)
    baseline = KMeans(n_clusters=3, random_state=0)
    found = compare({"good": Fixed()}, baseline, rows(), given)
    folds = iter(heldout.folds(given, 0))
    X = rows()

    def expected(shown):
        next(folds)
        expected.calls += 1
        return constrained_labels(baseline.fit(X), X, shown) if expected.calls == 1 else Y

    expected.calls = 0
    assert found.failures == {}
    assert found.scores["good"] == heldout.accuracy(expected, given, 0)


def test_the_order_of_candidates_changes_no_score():
    X, given = rows(), constraints(60)
    methods = {
        "PCK-Means": PCKMeans(n_clusters=3, random_state=0),
        "MPCK": MPCKMeans(n_clusters=3, random_state=0),
    }
    baseline = KMeans(n_clusters=3, random_state=0)
    forth = compare(methods, baseline, X, given).scores
    back = compare(dict(reversed(methods.items())), baseline, X, given).scores
    assert forth == back


def test_joint_labels_satisfy_more_and_leave_the_others_alone():
    X, given = rows(), constraints(40)
    model = KMeans(n_clusters=3, random_state=0).fit(X)
    labels = constrained_labels(model, X, given)
    free = np.setdiff1d(np.arange(90), given.touched)
    assert np.array_equal(labels[free], model.labels_[free])
    assert len(given.violated(labels)) < len(given.violated(model.labels_))
    assert np.array_equal(constrained_labels(Fixed(45).fit(X), X, given), Fixed(45).fit(X).labels_)
