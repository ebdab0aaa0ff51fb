"""When to keep to k-means."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from cscluster import Constraints, load_dataset
from cscluster.algorithms.build import build
from cscluster.algorithms.fallback import Reference, beats_kmeans, links_needed, surprise
from cscluster.constraints.schedules import random_pairs

LINKS = Constraints([(0, 1), (2, 3)], [(0, 2), (1, 3)], n_samples=4)
RIGHT, HALF, WRONG = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]), np.array([0, 1, 0, 1])


def test_surprise_is_the_entropy_of_the_broken_share():
    assert surprise(LINKS, RIGHT) == 0
    assert surprise(LINKS, HALF) == pytest.approx(4 * np.log(2))
    one_of_four = np.array([0, 0, 1, 2])
    assert surprise(LINKS, one_of_four) == pytest.approx(-np.log(0.25) - 3 * np.log(0.75))


def test_labels_that_break_most_links_are_no_better_than_chance():
    assert surprise(LINKS, WRONG) == surprise(LINKS, HALF)


def pairs(n):
    return Constraints([(i, i + 1) for i in range(0, 2 * n, 2)], n_samples=2 * n)


def breaking(n, count):
    """Return labels that break `count` of `pairs(n)`."""
    labels = np.zeros(2 * n, dtype=np.int64)
    labels[0 : 2 * count : 2] = 1
    return labels


def test_a_model_must_keep_more_links_than_kmeans_by_more_than_are_needed():
    links = pairs(20)
    assert beats_kmeans("X", links, breaking(20, 1), breaking(20, 5), 3.9)
    with pytest.warns(match="do not favour X"):
        assert not beats_kmeans("X", links, breaking(20, 1), breaking(20, 5), 4)
    with pytest.warns(match="do not favour X"):
        assert not beats_kmeans("X", links, breaking(20, 5), breaking(20, 1), 0)


def test_a_model_must_explain_the_links_better_than_kmeans_by_a_nat():
    links = pairs(500)
    assert beats_kmeans("X", links, breaking(500, 230), breaking(500, 260), 10)
    with pytest.warns(match="do not favour X"):
        assert not beats_kmeans(
            "X", links, breaking(500, 240), breaking(500, 270), 10
        )  # no better than chance


def test_a_light_link_counts_by_its_weight_and_a_heavy_one_once():
    links = pairs(20)
    light, heavy = (
        Constraints(links.must_links, n_samples=40, must_weights=np.full(20, weight)) for weight in (0.5, 9.0)
    )
    assert surprise(light, breaking(20, 4)) == pytest.approx(surprise(links, breaking(20, 4)) / 2)
    assert surprise(heavy, breaking(20, 4)) == surprise(links, breaking(20, 4))
    assert beats_kmeans("X", heavy, breaking(20, 0), breaking(20, 6), 5)
    with pytest.warns(match="do not favour X"):
        assert not beats_kmeans("X", light, breaking(20, 0), breaking(20, 6), 5)


def test_as_many_links_are_needed_as_there_are_effective_features_or_clusters():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert links_needed(square, 1) == pytest.approx(2)
    assert links_needed(square, 3) == 3
    assert links_needed(sparse.csr_array(square), 1) == pytest.approx(2)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_kmeans_as_a_net_keeps_its_centres_and_labels_linked_samples_together(form):
    X = np.array([[0.0], [1.0], [4.6], [8.0], [9.0], [10.0]])
    reference = Reference(form(X), 2, 0)
    kmeans = reference.kmeans.labels_
    links = Constraints([(2, 3), (2, 4)], n_samples=6, must_weights=[np.inf, np.inf])
    labels = reference.linked_labels(links)
    assert labels[2] == labels[3] == labels[4]
    assert np.array_equal(labels[[0, 1, 3, 4, 5]], kmeans[[0, 1, 3, 4, 5]])
    assert np.array_equal(reference.linked_labels(Constraints.empty(6)), kmeans)
    assert np.array_equal(reference.linked_labels(links, price=0.0), kmeans)
    assert np.array_equal(kmeans, reference.kmeans.predict(form(X)))  # nothing was changed in place


def test_labels_that_keep_many_links_which_the_clusters_of_kmeans_cannot_keep():
    links = Constraints([], [(i, i + 1) for i in range(0, 40, 2)], n_samples=40)
    X = np.random.default_rng(0).normal(size=(40, 2))
    reference = Reference(X, 2, 0)
    blind = reference.kmeans.labels_
    together, apart = np.zeros(40, dtype=np.int64), np.arange(40) % 2
    assert reference.is_beaten_by("X", links, blind, with_links=(apart, together))
    for both in ((apart, apart), (together, apart)):
        with pytest.warns(match="do not favour X"):
            assert not reference.is_beaten_by("X", links, blind, with_links=both)


def test_no_labels_beat_what_cannot_be_beaten():
    """The few links of a draw that k-means breaks do not suffice, whatever labels a model has."""
    iris = load_dataset("iris")
    found = set()
    for count, seed in [(10, 0), (30, 0), (30, 1), (200, 0)]:
        pairs = random_pairs(150, count, np.random.default_rng(seed))
        links = Constraints.from_labels(pairs, iris.y)
        reference = Reference(iris.X, 3, 0)
        linked = reference.linked_labels(links)
        with warnings.catch_warnings(action="ignore"):
            unbeatable = reference.is_unbeatable("X", links, linked)
            by_truth = reference.is_beaten_by("X", links, iris.y, with_links=(iris.y, linked))
        assert not (unbeatable and by_truth)
        found.add(unbeatable)
    assert found == {True, False}


@pytest.mark.parametrize(
    "name", ["pckmeans", "mpckmeans", "mpckmeans_full", "mkmeans", "pmmc", "cpcmmc", "rca", "itml"]
)
def test_a_method_that_falls_back_at_once_ends_as_one_that_learned_first(name, monkeypatch):
    iris = load_dataset("iris")
    links = Constraints.from_labels(random_pairs(150, 10, np.random.default_rng(0)), iris.y)
    asked = []
    is_unbeatable = Reference.is_unbeatable

    def noting(self, *args):
        asked.append(is_unbeatable(self, *args))
        return asked[-1]

    def fitted():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = build(name, {}, 3, 0).fit(iris.X, links)
        return model, {str(warning.message) for warning in caught}

    monkeypatch.setattr(Reference, "is_unbeatable", noting)
    at_once, told = fitted()
    monkeypatch.setattr(Reference, "is_unbeatable", lambda self, *args: False)
    learned, told_later = fitted()
    assert asked == [True]
    assert told == told_later
    assert np.array_equal(at_once.labels_, learned.labels_)
    assert np.array_equal(at_once.predict(iris.X), learned.predict(iris.X))
    assert np.array_equal(at_once.objective_, learned.objective_)
    assert (at_once.n_iter_, at_once.converged_) == (learned.n_iter_, learned.converged_)
