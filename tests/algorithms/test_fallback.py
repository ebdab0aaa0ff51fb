"""When to keep to k-means."""

import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.fallback import beats_kmeans, surprise

LINKS = Constraints([(0, 1), (2, 3)], [(0, 2), (1, 3)], n_samples=4)
RIGHT, HALF, WRONG = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]), np.array([0, 1, 0, 1])


def test_surprise_is_the_entropy_of_the_broken_share():
    assert surprise(LINKS, RIGHT) == 0
    assert surprise(LINKS, HALF) == pytest.approx(4 * np.log(2))
    one_of_four = np.array([0, 0, 1, 2])
    assert surprise(LINKS, one_of_four) == pytest.approx(-np.log(0.25) - 3 * np.log(0.75))


def test_labels_that_break_most_links_are_no_better_than_chance():
    assert surprise(LINKS, WRONG) == surprise(LINKS, HALF)


def test_a_model_must_gain_on_kmeans_and_pay_for_its_parameters():
    assert beats_kmeans("X", LINKS, RIGHT, HALF)
    many = Constraints([(i, i + 1) for i in range(0, 40, 2)], n_samples=40)
    one_broken, none_broken = np.arange(40) // 2, np.arange(40) // 2
    one_broken[0] = 39  # 3.97 nats
    assert beats_kmeans("X", many, none_broken, one_broken, n_fitted=15)
    with pytest.warns(match="k-means"):
        assert not beats_kmeans("X", many, none_broken, one_broken, n_fitted=16)
    assert beats_kmeans("X", LINKS, RIGHT, HALF, n_fitted=1000)  # four links cannot fit more than four
    with pytest.warns(match="k-means"):
        assert not beats_kmeans("X", LINKS, RIGHT, RIGHT)
    few = Constraints([(0, 1)], n_samples=4)  # a broken link is a surprise of 0.7 nats
    with pytest.warns(match="k-means"):
        assert not beats_kmeans("X", few, RIGHT, WRONG)
