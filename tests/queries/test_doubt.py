"""Questions about the most doubtful sample."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cscluster.constraints import Constraints
from cscluster.queries.active import ask, entailed
from cscluster.queries.doubt import Doubt, Placement
from tests.algorithms.samples import blobs

HEAPS = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])


def answered(rule, y, count):
    return ask(rule.next_pair, count, lambda a, b, _: bool(y[a] == y[b]))


def linked(answers, n):
    must = [(a, b) for a, b, same in answers if same]
    return Constraints(must, [(a, b) for a, b, same in answers if not same], n_samples=n)


def test_likelihoods_follow_the_formula():
    rule = Doubt(HEAPS, 2, 0)
    groups = [[0, 1], [3, 4, 5]]
    # of sample 2: D = (4 + 1) / 2 and (64 + 81 + 100) / 3; its median squared distance is (4 + 64) / 2
    logs = -np.array([2.5, 245 / 3]) / (34 / 4)
    expected = np.exp(logs) / np.exp(logs).sum()
    assert rule.likelihoods([2], groups)[0] == pytest.approx(expected)


def test_the_first_questions_are_about_samples_that_stand_for_many():
    X, y = blobs(3, 90, 5)
    first = {sample for *pair, _ in answered(Doubt(X, 3, 0), y, 3) for sample in pair}
    assert set(y[list(first)]) == {0, 1, 2}
    for sample in first:
        spread = np.linalg.norm(X[y == y[sample]] - X[y == y[sample]].mean(axis=0), axis=1)
        own = np.linalg.norm(X[sample] - X[y == y[sample]].mean(axis=0))
        assert own <= np.median(spread)


def test_a_sample_is_compared_with_the_farthest_member_of_its_likeliest_group(monkeypatch):
    monkeypatch.setattr("cscluster.queries.doubt.EARLY", 0)
    rule = Doubt(HEAPS, 2, 0)
    answers = [(1, 4, False), (0, 1, True), (3, 4, True)]
    a, b = rule.next_pair(answers, skipped=[5])
    assert (a, b) == (2, 0)
    a, b = rule.next_pair(answers, skipped=[2])
    assert (a, b) == (5, 3)


def test_after_a_no_the_next_likely_group_is_asked_until_none_is_likely():
    X = np.array([[0.0], [0.2], [5.0], [5.2], [400.0], [400.2], [2.4]])
    rule = Doubt(X, 3, 0)
    answers = [(0, 1, True), (2, 3, True), (4, 5, True), (0, 2, False), (2, 4, False), (0, 4, False)]
    assert rule.next_pair([*answers, (6, 0, False)]) == (6, 3)
    groups, waiting, _ = rule.find_groups([*answers, (6, 0, False), (6, 3, False)])
    assert waiting == []  # that it is none of those at 400 need not be asked
    assert [6] in groups


def test_where_most_answers_are_yes_groups_are_compared():
    X = np.array([[0.0], [0.2], [0.4], [90.0], [90.2], [90.4], [180.0], [180.2], [180.4]])
    answers = [(0, 1, True), (3, 4, True), (6, 7, True), (0, 3, False)]
    one, other = sorted(Doubt(X, 3, 0).next_pair(answers))
    assert one in (3, 4)
    assert other in (6, 7)


@pytest.mark.parametrize("n_classes", [2, 3, 6, 10])
def test_each_kind_has_a_third_of_the_first_thirty_answers(n_classes):
    X, y = blobs(n_classes, 30 * n_classes, 5, gap=2)
    yes = sum(same for *_, same in answered(Doubt(X, n_classes, 0), y, 30))
    assert 10 <= yes <= 20


@pytest.mark.parametrize("n_clusters", [3, None])
def test_all_groups_are_found(n_clusters):
    X, y = blobs(3, 60, 5)
    rule = Doubt(X, n_clusters, 0)
    groups, _, _ = rule.find_groups(answered(rule, y, 30))
    assert sorted(set(y[group]).pop() for group in groups) == [0, 1, 2]


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10), st.integers(0, 99))
def test_no_answer_is_entailed_by_those_before_and_in_the_end_all_are(kinds, seed):
    y = np.array(kinds)
    X = np.random.default_rng(seed).normal(size=(len(y), 2))
    answers = answered(Doubt(X, len(set(kinds)), seed), y, 1000)
    for t, (a, b, _) in enumerate(answers):
        links = linked(answers[:t], len(y))
        assert links.components[a] != links.components[b]
        assert sorted(links.components[[a, b]].tolist()) not in links.component_cannot_links.tolist()
    assert linked(answers, len(y)).n_components == len(set(kinds))


def test_skipped_samples_are_left_out():
    X, y = blobs(3, 30, 5, gap=4)
    rule = Doubt(X, 3, 0)
    answers, skipped = answered(rule, y, 10), []
    while (pair := rule.next_pair(answers, skipped)) is not None:
        assert pair[0] not in skipped
        skipped.append(pair[0])
    assert Doubt(X, 3, 0).next_pair([], range(30)) is None


def test_samples_that_have_answers_already_are_candidates(monkeypatch):
    monkeypatch.setattr("cscluster.queries.doubt.MAX_CANDIDATES", 20)
    X, y = blobs(3, 90, 5)
    strangers = [i for i in range(90) if i not in Doubt(X, 3, 0)._place]
    a, b, c = (next(i for i in strangers if y[i] == kind) for kind in range(3))
    answers = [(a, b, False), (a, c, False), (b, c, False)]
    rule = Doubt(X, 3, 0, linked=[a, b, c])
    assert rule._place.keys() >= {a, b, c}
    for _ in range(20):
        i, j = rule.next_pair(answers)
        answers.append((i, j, bool(y[i] == y[j])))
    assert not len(linked(answers, 90).contradictions)


def test_sparse_samples_are_asked_about_as_dense_ones():
    X, y = blobs(3, 45, 5, gap=5)
    X = np.maximum(X, 0)
    assert answered(Doubt(X, 3, 0), y, 15) == answered(Doubt(sparse.csr_array(X), 3, 0), y, 15)


def test_placement_asks_about_medoids_first_and_then_about_others():
    X, y = blobs(3, 90, 5)
    rule = Placement(X, 3, 0)
    answers = answered(rule, y, 40)
    asked = dict.fromkeys(sample for a, b, _ in answers for sample in (b, a))
    n_medoids = len(rule._medoids)
    assert set(list(asked)[:n_medoids]) == set(rule._medoids)
    assert len(asked) > n_medoids
    groups, waiting, _ = rule.find_groups(answers)
    assert len(groups) == 3
    assert len(waiting) <= 1  # each sample is placed before the next one


def test_placement_goes_on_from_any_answers_and_leaves_out_what_is_skipped():
    X, _ = blobs(3, 30, 5, gap=4)
    answers = [(0, 1, True), (0, 15, False), (25, 2, False)]
    assert Placement(X, 3, 0).next_pair(answers) == Placement(X, 3, 0).next_pair(answers)
    rule, skipped = Placement(X, 3, 0), []
    while (pair := rule.next_pair(answers, skipped)) is not None:
        assert pair[0] not in skipped
        skipped.append(pair[0])
    assert Placement(X, 3, 0).next_pair([], range(30)) is None


@given(st.lists(st.integers(0, 3), min_size=2, max_size=10), st.integers(0, 99))
def test_placement_asks_nothing_that_follows_and_in_the_end_all_does(kinds, seed):
    y = np.array(kinds)
    X = np.random.default_rng(seed).normal(size=(len(y), 2))
    answers = answered(Placement(X, len(set(kinds)), seed), y, 1000)
    for t, (a, b, _) in enumerate(answers):
        assert entailed(answers[:t], a, b) is None
    assert linked(answers, len(y)).n_components == len(set(kinds))
