import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import Constraints, TraceRatio, load_dataset
from cscluster.algorithms.build import build
from cscluster.algorithms.cost import allowing
from cscluster.constraints.schedules import random_pairs
from cscluster.data import synthetic
from cscluster.errors import ConstraintError
from cscluster.selection import count, heldout
from cscluster.selection import method as choose
from cscluster.selection.heldout import Attempt

Y = np.repeat([0, 1, 2], 30)


def rows(seed=0):
    """Three groups along the second feature, and a first that is large and says nothing."""
    rng = np.random.default_rng(seed)
    return np.column_stack([6 * rng.normal(size=90), 4 * Y + rng.normal(size=90)])


def links(number, seed=0, y=Y):
    return Constraints.from_labels(random_pairs(len(y), number, np.random.default_rng(seed)), y)


def silent(name):
    pass


def test_held_out_links_never_follow_from_shown_ones():
    everything = Constraints.from_labels([(i, j) for i in range(0, 90, 6) for j in range(0, i, 6)], Y)
    asked = 0
    for shown, hidden in heldout.splits(everything, seed=3):
        assert len(shown) + len(hidden) == len(everything)
        closure = shown.closure()
        for pairs, known in (
            (hidden.must_links, closure.must_links),
            (hidden.cannot_links, closure.cannot_links),
        ):
            assert not set(map(tuple, pairs.tolist())) & set(map(tuple, known.tolist()))
        asked += len(hidden)
    assert asked >= len(everything)


def test_score_weighs_both_kinds_alike():
    assert Attempt("kmeans", must=(1, 2), cannot=(30, 30)).score == 0.75
    assert Attempt("kmeans", must=(1, 2)).score == 0.5
    assert Attempt("kmeans", problem="no").score < 0


def test_links_survive_when_rows_are_drawn(monkeypatch):
    monkeypatch.setattr(heldout, "MAX_ROWS", 40)
    given = links(15)
    X = np.arange(90)[:, None]
    fewer, kept = heldout.fewer_rows(X, given, seed=0)
    assert len(fewer) == kept.n_samples == 40
    assert np.array_equal(fewer[kept.must_links, 0], given.must_links)
    assert np.array_equal(fewer[kept.cannot_links, 0], given.cannot_links)


def test_of_many_linked_rows_some_are_kept_with_all_links_between_them(monkeypatch):
    monkeypatch.setattr(heldout, "MAX_ROWS", 20)
    given = links(80)
    assert len(given.touched) > 40
    X = np.arange(90)[:, None]
    fewer, kept = heldout.fewer_rows(X, given, seed=0)
    assert len(fewer) == kept.n_samples == 20
    inside = np.isin(given.pairs, fewer[:, 0]).all(axis=1)
    assert np.array_equal(fewer[kept.pairs, 0], given.pairs[inside])
    assert len(kept) >= 10


def test_methods_that_would_take_too_long_are_not_tried():
    def tried(seconds):
        told = []
        with allowing(seconds):
            chosen = choose.choose_algorithm(rows(), links(60), 3, 0, told.append)
            assert len(told) == choose.n_fits(rows(), links(60), 3)
        return [found.algorithm for found in chosen.attempts if not found.problem]

    needed = TraceRatio(map="nonlinear")._cost(90, 2, links(60)).seconds
    assert "trace_ratio_nonlinear" in tried(20 * needed)
    assert "trace_ratio_nonlinear" not in tried(5 * needed), "a quarter of the time is for its five fits"
    assert "trace_ratio_nonlinear" not in tried(1.9 * needed), "half of the time is for the last fit"
    assert "pmmc" in tried(1.9 * needed)


def test_the_method_that_learns_what_matters_is_chosen():
    chosen = choose.choose_algorithm(rows(), links(60), 3, 0, silent)
    by_name = {found.algorithm: found for found in chosen.attempts}
    assert list(by_name) == list(choose.CANDIDATES)
    assert chosen.algorithm not in ("pckmeans", "kmeans")
    assert by_name[chosen.algorithm].score > by_name["kmeans"].score + 0.2
    assert choose.choose_algorithm(rows(), links(60), 3, 0, silent).algorithm == chosen.algorithm


def test_among_equals_the_preferred_one():
    X = np.random.default_rng(0).normal(size=(90, 2)) + 20 * np.eye(3)[Y][:, :2]
    chosen = choose.choose_algorithm(X, links(60), 3, 0, silent)
    assert chosen.algorithm == choose.CANDIDATES[0]
    assert "preferred one of those within 0.01 of the most held-out links kept (1.00)" in chosen.reason


def test_the_reason_names_the_most_links_kept_where_the_preferred_method_keeps_a_few_less():
    found = [
        Attempt("pmmc", must=(83, 100)),
        Attempt("rca", must=(836, 1000)),
        Attempt("kmeans", must=(8, 10)),
    ]
    chosen, reason = choose._best_attempt(found)
    assert chosen.algorithm == "pmmc"
    assert reason == "it is the preferred one of those within 0.01 of the most held-out links kept (0.84)"


def test_groups_that_are_not_convex_find_their_method():
    data = synthetic.generate("rings", 200, np.random.default_rng(0))
    pairs = random_pairs(200, 50, np.random.default_rng(1))
    chosen = choose.choose_algorithm(data.X, Constraints.from_labels(pairs, data.y), 2, 0, silent)
    assert chosen.algorithm == "trace_ratio_nonlinear"


def test_kmeans_where_no_method_keeps_more_held_out_links(monkeypatch):
    def attempt(name, *rest):
        return Attempt(name, must=(6, 10) if name == "kmeans" else (5, 10), cannot=(9, 10))

    monkeypatch.setattr(heldout, "attempt", attempt)
    with pytest.warns(UserWarning, match="No method that learns from links keeps more held-out ones"):
        chosen = choose.choose_algorithm(rows(), links(60), 3, 0, silent)
    assert chosen.algorithm == "kmeans"
    assert "than any method that learns from links" in chosen.reason


def test_columns_that_do_not_show_the_groups_are_named():
    named = 0
    for seed in (5, 6):  # now and then some method keeps links of no meaning by luck
        shuffled = np.random.default_rng(seed).permutation(Y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            choose.choose_algorithm(rows(), links(60, y=shuffled), 3, 0, silent)
        named += any("hardly show the groups" in str(warning.message) for warning in caught)
    assert named
    assert not Attempt("kmeans", must=(6, 10), cannot=(6, 10)).exceeds_chance
    assert Attempt("kmeans", must=(9, 10), cannot=(9, 10)).exceeds_chance


def test_agreement_is_the_score_of_an_attempt():
    X, given = rows(), links(60)
    score = heldout.attempt("rca", {}, X, heldout.splits(given, 4), 3, 4, silent).score
    assert score == heldout.agreement(lambda shown: build("rca", {}, 3, 4).fit(X, shown).labels_, given, 4)


def test_few_or_no_links():
    few = choose.choose_algorithm(rows(), links(10), 3, 0, silent)
    assert (few.algorithm, few.attempts) == ("pmmc", [])
    assert "20 links with 5 of each kind" in few.reason
    assert choose.choose_algorithm(rows(), links(0), 3, 0, silent).algorithm == "kmeans"


def test_the_short_list_suits_the_data():
    assert choose.shortlist(np.zeros((50_000, 600))) == ["rca", "mpckmeans", "pckmeans", "kmeans"]
    assert choose.shortlist(csr_array((100, 2000))) == ["pmmc", "kmeans"]


def test_a_method_that_fails_is_out_but_named():
    found = heldout.attempt("gmmc_sdp", {}, rows(), heldout.splits(links(40), 0), 3, 0, silent)
    assert "n_clusters" in found.problem  # it makes two clusters only
    assert found.score < 0


def test_every_fit_is_announced():
    told = []
    choose.choose_algorithm(rows(), links(40), 3, 0, told.append)
    assert len(told) == choose.n_fits(rows(), links(40), 3)
    told.clear()
    count.choose_count(rows(), links(40), "kmeans", {}, 0, told.append)
    assert len(told) == count.n_fits(rows(), links(40), "kmeans")


@pytest.mark.parametrize(
    ("must", "cannot", "bound"),
    [
        ([], [], 0),
        ([(0, 1)], [], 0),
        ([], [(0, 1)], 2),
        ([(0, 1)], [(0, 2), (1, 3), (2, 3)], 3),  # {0, 1}, {2} and {3} are apart from each other
        ([], [(0, 1), (1, 2), (2, 3), (3, 0)], 2),  # a ring of four needs two colours
        ([], [(i, j) for i in range(6) for j in range(i)], 6),
    ],
)
def test_links_bound_the_number_of_clusters(must, cannot, bound):
    assert count.lower_bound(Constraints(must, cannot, n_samples=8)) == bound


def test_the_number_is_found_by_links_or_by_silhouette():
    iris = load_dataset("iris")
    X = (iris.X - iris.X.mean(axis=0)) / iris.X.std(axis=0)
    by_links = count.choose_count(X, links(60, y=iris.y), "itml", {}, 0, silent)
    assert by_links.n_clusters == 3  # the silhouette alone says two
    by_shape = count.choose_count(X, Constraints.empty(150), None, {}, 0, silent)
    assert (by_shape.n_clusters, by_shape.score_name) == (2, "silhouette")
    few = Constraints([], [(0, 50), (0, 100), (50, 100)], n_samples=150)
    assert min(count.choose_count(X, few, None, {}, 0, silent).scores) == 3


def test_among_equal_numbers_the_smallest():
    chosen = count._best_count({2: 0.7, 3: 0.895, 4: 0.9}, "score", "it is the best")
    assert (chosen.n_clusters, chosen.reason) == (3, "no number is better by 0.01 or more")
    assert count._best_count({2: 0.7, 3: 0.9}, "score", "it is the best").reason == "it is the best"


def test_more_groups_than_rows_allow():
    apart = Constraints([], [(i, j) for i in range(4) for j in range(i)], n_samples=4)
    with pytest.raises(ConstraintError, match="need at least 4 clusters of 4 rows"):
        count.candidates(4, apart)


def test_a_table_too_large_for_all_that_learn_from_links_goes_to_kmeans():
    X = csr_array((20_001, 1001))
    links = Constraints(
        [(i, i + 1) for i in range(0, 80, 2)], [(i, i + 2) for i in range(0, 80, 4)], n_samples=20_001
    )
    assert choose.n_fits(X, links, 2) == 0
    with pytest.warns(UserWarning, match="takes a table of this size"):
        choice = choose.choose_algorithm(X, links, 2, 0, lambda _: None)
    assert (choice.algorithm, choice.attempts) == ("kmeans", [])
