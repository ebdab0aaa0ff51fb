"""Held-out constraint accuracy."""

import numpy as np
import pytest

from cscluster import Constraints, PCKMeans
from cscluster.selection import heldout
from cscluster.selection.heldout import Score
from tests.selection.toys import Y, constraints, rows


def test_held_out_constraints_never_follow_from_shown_ones():
    everything = Constraints.from_labels([(i, j) for i in range(0, 90, 6) for j in range(0, i, 6)], Y)
    asked = np.zeros(len(everything))
    for held_out in heldout.folds(everything, seed=3):
        closure = everything.select(~held_out).closure()
        hidden = everything.select(held_out)
        for pairs, known in (
            (hidden.must_links, closure.must_links),
            (hidden.cannot_links, closure.cannot_links),
        ):
            assert not set(map(tuple, pairs.tolist())) & set(map(tuple, known.tolist()))
        asked += held_out
    assert set(asked) == {1.0, 2.0}, "one fold for each end"


def test_both_kinds_count_alike():
    assert Score(must=0.5, cannot=1.0, n_must=2, n_cannot=30).value == 0.75
    assert Score(must=0.5, cannot=0.0, n_must=2, n_cannot=0).value == 0.5


def test_the_standard_error_is_that_of_two_independent_proportions():
    score = Score(must=0.5, cannot=0.5, n_must=100, n_cannot=25)
    assert score.standard_error == pytest.approx(np.sqrt(0.25 / 100 + 0.25 / 25) / 2)
    assert Score(1.0, 1.0, 10, 10).standard_error > 0, "no proportion is known exactly"


def test_chance():
    assert not Score(0.6, 0.6, 10, 10).exceeds_chance
    assert Score(0.9, 0.9, 10, 10).exceeds_chance


def test_each_constraint_counts_once():
    """Labels that depend on the fold: a constraint of two folds counts with its mean."""
    given = constraints(40)
    calls = []

    def fit(shown):
        calls.append(shown)
        return np.zeros(90, dtype=int) if len(calls) % 2 else np.arange(90)

    score = heldout.accuracy(fit, given, seed=0)
    together = np.zeros(len(given))
    folds = heldout.folds(given, 0)
    for number, held_out in enumerate(folds):
        together += held_out * (number % 2 == 0)
    share = together / sum(fold.astype(float) for fold in folds)
    assert score.must == pytest.approx(share[given.is_must].mean())
    assert score.cannot == pytest.approx(1 - share[~given.is_must].mean())
    assert (score.n_must, score.n_cannot) == (len(given.must_links), len(given.cannot_links))


def test_perfect_and_constant_labels():
    given = constraints(40)
    assert heldout.accuracy(lambda shown: Y, given, 0).value == 1.0
    assert heldout.accuracy(lambda shown: np.zeros(90, dtype=int), given, 0).value == 0.5
    labels = heldout.labels_of(PCKMeans(n_clusters=3, random_state=0), rows())
    assert 0 < heldout.accuracy(labels, given, 0).value <= 1


def test_constraints_survive_when_rows_are_drawn(monkeypatch):
    monkeypatch.setattr(heldout, "MAX_ROWS", 40)
    given = constraints(15)
    X = np.arange(90)[:, None]
    fewer, inside = heldout.fewer_rows(X, given, 0)
    assert len(fewer) == inside.n_samples == 40
    assert np.array_equal(fewer[inside.pairs, 0], given.pairs)


def test_of_many_constrained_rows_some_stay_with_all_constraints_between_them(monkeypatch):
    monkeypatch.setattr(heldout, "MAX_ROWS", 20)
    given = constraints(80)
    assert len(given.touched) > 40
    X = np.arange(90)[:, None]
    fewer, inside = heldout.fewer_rows(X, given, 0)
    assert len(fewer) == inside.n_samples == 20
    expected = np.isin(given.pairs, fewer[:, 0]).all(axis=1)
    assert np.array_equal(fewer[inside.pairs, 0], given.pairs[expected])
    assert len(inside) >= 10
