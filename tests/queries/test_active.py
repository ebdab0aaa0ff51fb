"""The rule that picks pairs, and the schedule that asks a simulated annotator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError
from cscluster.experiment.config.schedules import Active, RandomPairs
from cscluster.queries import active

LINE = np.array([[0.0], [1.0], [2.0], [9.5], [9.0], [20.0]])
KIND = np.array([0, 0, 0, 1, 1, 2])


def rule(X=LINE, n_clusters=3, preference=None, interest=None):
    order = np.arange(len(X), 0, -1.0) if preference is None else preference
    return active.ExploreConsolidate(n_clusters, active.euclidean(X), order, interest)


def asked(count, y=KIND, **options):
    return active.ask(rule(**options).next_pair, count, lambda a, b, _: bool(y[a] == y[b]))


def uneven_classes():
    """Return samples of four classes of 60 down to 5 samples."""
    y = np.repeat(np.arange(4), (60, 40, 20, 5))
    return np.random.default_rng(0).normal(size=(len(y), 3)) + 6 * np.eye(4, 3)[y], y


def test_explore_goes_farthest_first_and_asks_the_closest_group_first():
    # by hand: from 0 the farthest is 5; then 3, which is 9.5 away from both, while 4 is 9 away
    assert asked(3) == [(5, 0, False), (3, 0, False), (3, 5, False)]


def test_consolidate_places_the_rest_beside_their_closest_members():
    # now 4, 2 and 1 are free; the preference is for the smallest number, groups are {0}, {3}, {5}
    assert asked(6)[3:] == [(1, 0, True), (2, 1, True), (4, 3, True)]
    assert rule().next_pair(asked(6)) is None


def test_consolidate_takes_the_most_interesting_sample():
    interest = lambda groups: np.array([0, 1, 5, 0, 9, 0.0])  # noqa: E731
    assert [sample for sample, _, _ in asked(6, interest=interest)[3:]] == [4, 2, 1]


def test_a_sample_apart_from_all_groups_is_a_new_one():
    answers = asked(12, y=np.array([0, 3, 0, 1, 1, 2]))
    assert sorted(map(sorted, active.find_groups(answers).groups)) == [[0, 2], [1], [3, 4], [5]]


def test_skipped_samples_are_left_out():
    assert rule().next_pair([], skipped={5}) == (3, 0)
    assert rule().next_pair([(5, 0, False), (3, 0, False)], skipped={3})[0] == 4
    assert rule().next_pair([], skipped=range(6)) is None


def test_goes_on_from_links_made_elsewhere():
    answers = [(0, 1, True), (3, 4, True), (0, 3, False), (1, 5, False)]
    known = active.find_groups(answers)
    assert known.groups == [[0, 1], [3, 4]]
    assert known.waiting == [[5]]
    assert known.open_to(5) == [[3, 4]]
    assert rule().next_pair(answers) == (5, 3)


def test_sparse_distances_are_those_of_dense_data():
    X = np.random.default_rng(0).normal(size=(9, 4)) * (np.arange(4) > 1)
    for i in range(9):
        expected = ((X - X[i]) ** 2).sum(axis=1)
        assert active.euclidean(X)(i) == pytest.approx(expected)
        assert active.euclidean(sparse.csr_array(X))(i) == pytest.approx(expected)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_no_answer_is_entailed_by_those_before_and_in_the_end_all_are(kinds, random):
    y = np.array(kinds)
    X = np.array([[random.random(), random.random()] for _ in kinds])
    answers = asked(1000, y=y, X=X, n_clusters=len(set(kinds)))
    for t, (a, b, _) in enumerate(answers):
        links = linked(answers[:t], len(y))
        assert links.components[a] != links.components[b]
        assert sorted(links.components[[a, b]].tolist()) not in links.component_cannot_links.tolist()
    links = linked(answers, len(y))
    assert not len(links.contradictions)
    assert links.n_components == len(set(kinds))


def linked(answers, n):
    must = [(a, b) for a, b, same in answers if same]
    cannot = [(a, b) for a, b, same in answers if not same]
    return Constraints(must, cannot, n_samples=n)


def episode(count, X, y, trial=0, noise=0.0, seed=1):
    schedule = Active(counts=[count], noise=noise)
    return schedule.episode(count, y, seed, "toy", trial, (), X).tiers[0]


def test_schedule_links_agree_with_the_classes_and_larger_counts_extend_smaller_ones():
    X, y = uneven_classes()
    few, many = episode(20, X, y), episode(60, X, y)
    assert (len(few), len(many)) == (20, 60)
    assert few | many == many
    assert len(many.closure().violated(y)) == 0


def test_schedule_is_a_function_of_seed_data_set_and_trial():
    X, y = uneven_classes()
    assert episode(30, X, y) == episode(30, X, y)
    assert episode(30, X, y) != episode(30, X, y, trial=1)
    assert episode(30, X, y) != episode(30, X, y, seed=2)


def test_schedule_flips_its_share_of_answers():
    X, y = uneven_classes()
    wrong = episode(40, X, y, noise=0.25).violated(y)
    assert len(wrong) == 10


def test_schedule_meets_all_classes_before_random_pairs_do():
    X, y = uneven_classes()
    first = {"active": [], "random": []}
    for trial in range(10):
        for kind in first:
            for count in range(1, 200):
                links = (
                    episode(count, X, y, trial)
                    if kind == "active"
                    else RandomPairs(counts=[count]).episode(count, y, 1, "toy", trial).tiers[0]
                )
                if len(np.unique(y[links.touched])) == 4:
                    first[kind].append(count)
                    break
    assert np.mean(first["active"]) < np.mean(first["random"])
    assert max(first["active"]) <= 12


def test_more_links_than_there_are_questions():
    with pytest.raises(ConstraintError, match=r"\b99 constraints.*\b6 questions"):
        episode(99, LINE, KIND)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8),
    st.integers(0, 5),
    st.integers(0, 5),
)
def test_what_answers_entail_is_their_closure(pairs, a, b):
    y = np.array([0, 0, 1, 1, 1, 2])
    answers = [(i, j, bool(y[i] == y[j])) for i, j in pairs if i != j]
    closure = linked(answers, 6).closure()
    expected = {tuple(pair): True for pair in closure.must_links.tolist()}
    expected |= {tuple(pair): False for pair in closure.cannot_links.tolist()}
    assert active.entailed(answers, a, b) == (True if a == b else expected.get((min(a, b), max(a, b))))
