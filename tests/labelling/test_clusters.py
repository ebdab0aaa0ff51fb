"""The clusters that answers make."""

import json
import re
from pathlib import Path

import numpy as np

from cscluster import labelling, report
from cscluster.constraints.files import Link, as_constraints
from cscluster.constraints.schedules import random_pairs
from cscluster.labelling import clusters as module
from cscluster.labelling.clusters import Clusterer, colours
from cscluster.report.colours import CLUSTERS
from cscluster.selection.heldout import Attempt
from cscluster.selection.method import Choice
from cscluster.tables import method


def links(y, count, seed=0):
    """Return that many answers about random pairs."""
    pairs = random_pairs(len(y), count, np.random.default_rng(seed)).tolist()
    return [Link(a, b, bool(y[a] == y[b])) for a, b in pairs]


def test_clusters_are_those_of_the_chosen_method_and_depend_on_no_earlier_answers(beads):
    answers = links(beads.y, 30)
    clusterer = Clusterer(beads, beads.numbers, 3, seed=5)
    for count in (0, 5, 30):
        made = clusterer(answers[:count])
        given = as_constraints(answers[:count], 60)
        expected = method.fit(made.algorithm, {}, 3, beads.numbers, given, 5).labels
        assert made.labels.tolist() == expected.tolist()
    assert [part.size for part in made.described] == np.bincount(made.labels, minlength=3).tolist()
    assert all(part.traits and len(part.typical) == 8 for part in made.described)


def test_a_given_method_is_used(beads):
    assert Clusterer(beads, beads.numbers, 3, "cop_kmeans")(links(beads.y, 9)).algorithm == "cop_kmeans"


def choose(scores):
    """Return a stand-in for the rule, which finds these scores and takes the best."""
    attempts = [Attempt(name, (round(100 * score), 100)) for name, score in scores.items()]
    return lambda *_: Choice(max(scores, key=scores.get), attempts, "it is best")


def test_the_method_changes_only_where_another_is_better_and_that_is_said(beads, monkeypatch):
    answers = links(beads.y, 80)
    clusterer = Clusterer(beads, beads.numbers, 3)
    rounds = (
        (20, {"rca": 0.9, "pckmeans": 0.8}, "rca", ""),
        (39, {"rca": 0.1, "pckmeans": 0.9}, "rca", ""),  # too early to look again
        (40, {"rca": 0.895, "pckmeans": 0.9}, "rca", ""),
        (60, {"rca": 0.7, "pckmeans": 0.9}, "pckmeans", "Now clustered by PCK-Means: it is best."),
        (61, {"rca": 0.9, "pckmeans": 0.1}, "pckmeans", ""),
    )
    for count, scores, name, news in rounds:
        monkeypatch.setattr(module.method, "choose_algorithm", choose(scores))
        made = clusterer(answers[:count])
        assert (made.algorithm, made.news) == (name, news)


def test_without_a_number_there_are_as_many_clusters_as_groups(beads):
    clusterer = Clusterer(beads, beads.numbers, None, "pckmeans")
    apart = [Link(0, 20, False), Link(0, 40, False), Link(20, 40, False)]
    assert [clusterer(apart[:count]).n_clusters for count in range(4)] == [2, 2, 2, 3]
    assert clusterer([*apart[:2], Link(20, 40, True)]).n_clusters == 2


def test_colours_stay_with_most_rows():
    before = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    now = np.array([2, 2, 2, 0, 0, 1, 1, 0])
    assert colours(now, before, np.arange(3), 3).tolist() == [1, 2, 0]
    assert colours(np.minimum(now, 1), before, np.array([5, 1, 3]), 2).tolist() == [1, 5]
    assert sorted(colours(np.array([0, 1, 2, 3, 0, 1, 2, 3]), before, np.arange(3), 4)) == [0, 1, 2, 3]


def test_rows_that_twenty_answers_moved(beads, monkeypatch):
    labels = beads.y.copy()
    monkeypatch.setattr(module.tables, "fit", lambda *_: method.Fit(None, labels.copy(), []))
    clusterer = Clusterer(beads, beads.numbers, 3, "pckmeans")
    answers = links(beads.y, 40)
    moved = []
    for count in range(22):
        if count == 10:
            labels[:4] = 1
        moved.append(clusterer(answers[:count]).moved)
    assert moved == [None] * 20 + [4, 4]
    assert clusterer(answers[:30]).moved == 0


def test_the_page_has_the_colours_of_maps():
    script = (Path(labelling.__file__).parent / "page" / "page.js").read_text(encoding="utf-8")
    style = (Path(report.__file__).parent / "html" / "assets" / "page.css").read_text(encoding="utf-8")
    pairs = [re.search(rf"--series-{i}: light-dark\((#\w+), (#\w+)\)", style).groups() for i in CLUSTERS]
    for name, colours_of in zip(("LIGHT", "DARK"), zip(*pairs, strict=True), strict=True):
        assert f"const {name} = {json.dumps(colours_of)};" in script
