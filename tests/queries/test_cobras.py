"""COBRAS asks its own questions and makes its own clusters."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from cscluster import load_dataset
from cscluster.errors import DataError
from cscluster.metrics import scores
from cscluster.queries.cobras import cobras, scaled


def interview(X, y, count, seed=0):
    return cobras(X, count, lambda a, b, _: bool(y[a] == y[b]), seed)


def test_clear_groups_are_found_without_their_number():
    y = np.arange(60) % 4
    centres = 20 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    X = np.random.default_rng(0).normal(size=(60, 2)) + centres[y]
    answers, labels = interview(X, y, 30)
    assert len(answers) <= 30
    assert scores.score("ari", y, labels) == pytest.approx(1)


@pytest.mark.parametrize("count", [1, 10, 80])
def test_the_budget_is_kept_and_no_answer_is_repeated(count):
    data = load_dataset("iris")
    answers, _ = interview(data.X, data.y, count)
    assert len(answers) == count
    assert len({frozenset(pair) for *pair, _ in answers}) == count
    assert answers[: count // 2] == interview(data.X, data.y, count // 2)[0]


def test_when_all_is_known_there_are_no_more_questions():
    y = np.array([0, 0, 1, 1, 0, 2])
    answers, labels = interview(np.arange(6.0)[:, None], y, 1000)
    assert len(answers) < 15
    assert scores.score("ari", y, labels) == pytest.approx(1)


def test_samples_that_coincide_are_split():
    y = np.array([0, 1, 0, 1])
    assert scores.score("ari", y, interview(np.zeros((4, 2)), y, 20)[1]) == pytest.approx(1)


def test_distances_take_the_place_of_samples():
    y = np.arange(60) % 4
    centres = 20 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    X = np.random.default_rng(0).normal(size=(60, 2)) + centres[y]
    D = cdist(X, X)
    np.testing.assert_allclose(cdist(scaled(D), scaled(D)), D, atol=1e-6)
    answers, labels = cobras(D, 30, lambda a, b, _: bool(y[a] == y[b]), 0, "precomputed")
    assert len(answers) <= 30
    assert scores.score("ari", y, labels) == pytest.approx(1)
    with pytest.raises(DataError, match="symmetric"):
        cobras(np.triu(D), 30, lambda a, b, _: True, 0, "precomputed")
