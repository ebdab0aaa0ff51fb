"""The clusters that answers make."""

import json
import re
from pathlib import Path

import numpy as np

from cscluster import labelling, report
from cscluster.constraints.files import Link, as_constraints
from cscluster.constraints.sampling import random_pairs
from cscluster.labelling.clusters import AnswerClusterer, colours
from cscluster.report.colours import CLUSTERS
from cscluster.selection import auto, compare
from cscluster.selection.auto import AnswerAuto


def random_answers(y, count):
    """Return that many answers about random pairs."""
    pairs = random_pairs(len(y), count, np.random.default_rng(0)).tolist()
    return [Link(a, b, bool(y[a] == y[b])) for a, b in pairs]


def test_clusters_are_those_of_auto_whatever_was_answered_before(beads):
    answers = random_answers(beads.y, 45)
    clusterer = AnswerClusterer(beads, beads.X, 3, seed=5)
    for count in (0, 5, 30, 45):
        made = clusterer(answers[:count])
        constraints = as_constraints(answers[:count], 60).closure()
        expected = AnswerAuto(n_clusters=3, random_state=5).fit(beads.X, constraints=constraints)
        assert made.labels.tolist() == expected.labels_.tolist()
        assert (made.algorithm, made.reason) == (expected.algorithm_, expected.reason_)
    assert [part.size for part in made.described] == np.bincount(made.labels, minlength=3).tolist()
    assert all(part.traits and len(part.typical) == 8 for part in made.described)


def test_a_given_method_is_used(beads):
    made = AnswerClusterer(beads, beads.X, 3, "cop_kmeans")(random_answers(beads.y, 9))
    assert (made.algorithm, made.reason) == ("COP-KMeans", "you asked for it")


def test_a_change_of_the_method_is_said(beads, monkeypatch):
    answers = random_answers(beads.y, 80)
    clusterer = AnswerClusterer(beads, beads.X, 3)
    rca, pckmeans = auto.Candidate("rca", "pckmeans"), auto.Candidate("pckmeans")
    monkeypatch.setattr(compare, "ABOVE", -1.0)  # the beads are clear to every method
    monkeypatch.setattr(AnswerAuto, "_first", ())
    rounds = (
        (20, rca, "RCA + PCK-Means", ""),
        (21, pckmeans, "PCK-Means", "Now clustered by PCK-Means: its held-out constraint accuracy is "),
        (22, pckmeans, "PCK-Means", ""),
    )
    for count, candidate, name, news in rounds:
        monkeypatch.setattr(auto, "CANDIDATES", (candidate,))
        made = clusterer(answers[:count])
        assert made.algorithm == name
        assert made.news.startswith(news)
        assert bool(made.news) == bool(news)


def test_without_a_number_there_are_as_many_clusters_as_groups(beads):
    clusterer = AnswerClusterer(beads, beads.X, None, "pckmeans")
    apart = [Link(0, 20, False), Link(0, 40, False), Link(20, 40, False)]
    assert [clusterer(apart[:count]).n_clusters for count in range(4)] == [2, 2, 2, 3]
    assert clusterer([*apart[:2], Link(20, 40, True)]).n_clusters == 2


def test_colours_stay_with_most_rows():
    before = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    now = np.array([2, 2, 2, 0, 0, 1, 1, 0])
    assert colours(now, before, np.arange(3), 3).tolist() == [1, 2, 0]
    assert colours(np.minimum(now, 1), before, np.array([5, 1, 3]), 2).tolist() == [1, 5]
    assert sorted(colours(np.array([0, 1, 2, 3, 0, 1, 2, 3]), before, np.arange(3), 4)) == [0, 1, 2, 3]


def test_the_page_has_the_colours_of_maps():
    script = (Path(labelling.__file__).parent / "page" / "page.js").read_text(encoding="utf-8")
    style = (Path(report.__file__).parent / "html" / "assets" / "page.css").read_text(encoding="utf-8")
    pairs = [re.search(rf"--series-{i}: light-dark\((#\w+), (#\w+)\)", style).groups() for i in CLUSTERS]
    for name, colours_of in zip(("LIGHT", "DARK"), zip(*pairs, strict=True), strict=True):
        assert f"const {name} = {json.dumps(colours_of)};" in script
