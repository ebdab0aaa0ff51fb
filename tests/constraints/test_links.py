import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster import Constraints
from cscluster.errors import ConstraintError


@st.composite
def links(draw, consistent=False):
    """Random links with weights; consistent ones agree with some hidden partition."""
    n = draw(st.integers(2, 9))
    pair = st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)
    must, cannot = draw(st.lists(pair, max_size=8)), draw(st.lists(pair, max_size=8))
    if consistent:
        y = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
        pairs = must + cannot
        must = [p for p in pairs if y[p[0]] == y[p[1]]]
        cannot = [p for p in pairs if y[p[0]] != y[p[1]]]
    weight = st.floats(0.1, 10)
    return Constraints(
        must,
        cannot,
        n_samples=n,
        must_weights=[draw(weight) for _ in must],
        cannot_weights=[draw(weight) for _ in cannot],
    )


def reachable(c):
    """Warshall's algorithm: which samples do chains of must-links join?"""
    joined = np.eye(c.n_samples, dtype=bool)
    for i, j in c.must_links:
        joined[i, j] = joined[j, i] = True
    for k in range(c.n_samples):
        for i in range(c.n_samples):
            for j in range(c.n_samples):
                joined[i, j] |= joined[i, k] and joined[k, j]
    return joined


def brute_force_closure(c):
    """All pairs i < j joined by must-links, and all separated by must* cannot must*."""
    joined = reachable(c)
    pairs = [(i, j) for i in range(c.n_samples) for j in range(i + 1, c.n_samples)]
    must = [[i, j] for i, j in pairs if joined[i, j]]
    cannot = [
        [i, j]
        for i, j in pairs
        if any(
            (joined[i, a] and joined[b, j]) or (joined[i, b] and joined[a, j])
            for a, b in c.cannot_links.tolist()
        )
    ]
    return must, cannot


def test_pairs_are_canonical_and_the_largest_weight_of_a_repeated_pair_stays():
    c = Constraints([(3, 1), (1, 3), (0, 2)], [(2, 1)], n_samples=4, must_weights=[2.0, 5.0, 1.0])
    assert c.must_links.tolist() == [[0, 2], [1, 3]]
    assert c.must_weights.tolist() == [1.0, 5.0]
    assert c.cannot_links.tolist() == [[1, 2]]
    assert len(c) == 3
    assert repr(c) == "Constraints(2 must-links, 1 cannot-link, n_samples=4)"


@given(links(), st.randoms())
def test_order_of_links_and_of_ends_does_not_matter(c, random):
    weighted = zip(c.must_links.tolist(), c.must_weights, strict=True)
    rows = [(*random.sample(pair, 2), w) for pair, w in weighted]
    random.shuffle(rows)
    shuffled = Constraints(
        [row[:2] for row in rows],
        c.cannot_links[:, ::-1],
        n_samples=c.n_samples,
        must_weights=[row[2] for row in rows],
        cannot_weights=c.cannot_weights,
    )
    assert shuffled == c


@given(links())
def test_equal_after_copying(c):
    for other in (copy.deepcopy(c), pickle.loads(pickle.dumps(c)), c | c, c | Constraints.empty(c.n_samples)):
        assert other == c


def test_is_immutable():
    c = Constraints([(0, 1)], n_samples=2)
    with pytest.raises(AttributeError, match="immutable"):
        c.n_samples = 3
    with pytest.raises(ValueError, match="read-only"):
        c.must_links[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        c.must_weights[0] = 2


def test_keeps_no_view_of_the_given_arrays():
    pairs = np.array([[0, 1]])
    c = Constraints(pairs, n_samples=3)
    pairs[0, 1] = 2
    assert c.must_links.tolist() == [[0, 1]]


@given(links())
def test_components_are_numbered_by_first_appearance(c):
    joined = reachable(c)
    assert np.array_equal(joined, c.components[:, None] == c.components[None, :])
    first_seen = list(dict.fromkeys(c.components.tolist()))
    assert first_seen == list(range(c.n_components))


@given(links())
def test_neighbourhoods_are_the_components_with_a_must_link(c):
    expected = [
        np.flatnonzero(c.components == k).tolist()
        for k in range(c.n_components)
        if (c.components == k).sum() > 1
    ]
    assert [members.tolist() for members in c.neighbourhoods] == expected
    for i in range(c.n_samples):
        holders = [number for number, members in enumerate(expected) if i in members]
        assert c.chunklets[i] == (holders[0] if holders else -1)


@given(links(consistent=True))
def test_closure_agrees_with_brute_force(c):
    must, cannot = brute_force_closure(c)
    closure = c.closure()
    assert closure.must_links.tolist() == must
    assert closure.cannot_links.tolist() == cannot
    assert c.closure_size == (len(must), len(cannot))
    assert len(c.contradictions) == 0
    c.require_consistent()


@given(links(consistent=True))
def test_closure_is_idempotent_and_keeps_given_weights(c):
    closure = c.closure()
    assert closure.closure() == closure
    for kind in ("must", "cannot"):
        given_weights = dict(
            zip(
                map(tuple, getattr(c, f"{kind}_links").tolist()),
                getattr(c, f"{kind}_weights").tolist(),
                strict=True,
            )
        )
        for pair, weight in zip(
            map(tuple, getattr(closure, f"{kind}_links").tolist()),
            getattr(closure, f"{kind}_weights").tolist(),
            strict=True,
        ):
            assert weight == given_weights.get(pair, 1.0)


@given(links())
def test_contradictions_are_the_cannot_links_inside_components(c):
    joined = reachable(c)
    expected = [[i, j] for i, j in c.cannot_links.tolist() if joined[i, j]]
    assert c.contradictions.tolist() == expected
    closure = c.closure()
    assert c.closure_size == (len(closure.must_links), len(closure.cannot_links))
    assert all(pair in closure.cannot_links.tolist() for pair in expected)
    if expected:
        with pytest.raises(
            ConstraintError, match=rf"\b{expected[0][0]} and {expected[0][1]}\b.*cannot-linked"
        ):
            c.require_consistent()


def test_says_how_many_contradictions_there_are():
    c = Constraints([(0, 1), (1, 2)], [(0, 2), (0, 1)], n_samples=3)
    with pytest.raises(ConstraintError, match=r"\b0\b.*\b1\b.*\(1 more"):
        c.require_consistent()


def test_closure_has_the_size_that_is_known_before():
    chain = [(i, i + 1) for i in range(99)]
    c = Constraints(chain, n_samples=100)
    assert c.closure_size == (4950, 0)
    assert len(c.closure()) == 4950


def test_closure_size_of_a_huge_component_is_known_without_expanding_it():
    n = 200_000
    c = Constraints(np.column_stack([np.arange(n - 1), np.arange(1, n)]), n_samples=n)
    assert c.closure_size == (n * (n - 1) // 2, 0)


@given(links(), st.lists(st.integers(0, 2), min_size=9, max_size=9))
def test_violated_are_the_links_that_a_partition_breaks(c, labels):
    y = labels[: c.n_samples]
    broken = c.violated(y)
    assert broken.must_links.tolist() == [[i, j] for i, j in c.must_links.tolist() if y[i] != y[j]]
    assert broken.cannot_links.tolist() == [[i, j] for i, j in c.cannot_links.tolist() if y[i] == y[j]]


@given(links())
def test_touched(c):
    assert c.touched.tolist() == sorted({*c.must_links.ravel().tolist(), *c.cannot_links.ravel().tolist()})


@given(st.lists(st.integers(0, 2), min_size=4, max_size=8))
def test_from_labels_breaks_nothing(y):
    pairs = [(i, j) for i in range(len(y)) for j in range(i)]
    c = Constraints.from_labels(pairs, y)
    assert len(c) == len(pairs)
    assert len(c.violated(y)) == 0


def test_union_and_selection():
    a = Constraints([(0, 1)], [(1, 2)], n_samples=4, must_weights=[3.0])
    b = Constraints([(0, 1), (2, 3)], n_samples=4)
    both = a | b
    assert both.must_links.tolist() == [[0, 1], [2, 3]]
    assert both.must_weights.tolist() == [3.0, 1.0]
    assert both.select([True, False, False]) == Constraints([(0, 1)], n_samples=4, must_weights=[3.0])
    with pytest.raises(ConstraintError, match=r"\b4 samples.*\b5\b"):
        a | Constraints.empty(5)


def test_no_links():
    c = Constraints.empty(3)
    assert len(c) == len(c.touched) == len(c.neighbourhoods) == len(c.contradictions) == 0
    assert c.components.tolist() == [0, 1, 2]
    assert c.chunklets.tolist() == [-1, -1, -1]
    assert c.closure() == c
    assert Constraints.empty(0).n_components == 0


def test_notebooks_show_the_counts():
    html = Constraints([(0, 1)], [(0, 1)], n_samples=7)._repr_html_()
    assert "<th>samples</th><td>7</td>" in html
    assert "<th>contradictions</th><td>1</td>" in html


@pytest.mark.parametrize(
    ("must", "weights", "message"),
    [
        ([(0, 3)], None, r"sample 3\b.*\b0 to 2\b"),
        ([(-1, 2)], None, "sample -1"),
        ([(1, 1)], None, "sample 1.*itself"),
        ([(0, 1, 2)], None, r"must-links.*\(1, 3\)"),
        ([0, 1], None, r"must-links.*\(2,\)"),
        ([(0, 1), (2,)], None, "must-links.*pairs of row"),
        ([("a", "b")], None, "must-links.*integers"),
        ([(0.5, 1)], None, "must-links.*integers.*float64"),
        ([(np.nan, 1)], None, "must-links.*integers"),
        ([(0, 1)], [1.0, 2.0], r"\b2 weights.*\b1\b"),
        ([(0, 1)], [0.0], "positive.*infinite"),
        ([(0, 1)], [np.nan], "positive.*infinite"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_says_what_is_wrong_with_links(must, weights, message):
    with pytest.raises(ConstraintError, match=message):
        Constraints(must, n_samples=3, must_weights=weights)


@pytest.mark.parametrize("pair", [(0, 2), (-1, 0)])
def test_from_labels_refuses_samples_without_a_label(pair):
    with pytest.raises(ConstraintError, match=r"\b0 to 1\b"):
        Constraints.from_labels([pair], [0, 1])


def test_hard_links_are_those_of_infinite_weight():
    c = Constraints([(0, 1), (1, 2)], [(2, 3)], n_samples=4, must_weights=[np.inf, 2.0])
    assert c.hard.must_links.tolist() == [[0, 1]]
    assert len(c.hard.cannot_links) == 0
    assert c.softened().must_weights.tolist() == [1.0, 2.0]
    assert len(c.hardened().hard) == 3
    repeated = Constraints([(0, 1), (1, 0)], n_samples=2, must_weights=[3.0, np.inf])
    assert len(repeated.hard) == len(repeated) == 1


@given(st.lists(st.integers(-1, 3), min_size=3, max_size=12))
def test_partial_labels_entail_all_that_is_known_and_nothing_else(y):
    y = np.array(y)
    known = np.flatnonzero(y >= 0)
    c = Constraints.from_partial_labels(y)
    pairs = [(i, j) for i in known for j in known if i < j]
    n_classes = len(set(y[known]))
    if n_classes:
        assert c.closure() == Constraints.from_labels(pairs, y)
    assert len(c.must_links) == len(known) - n_classes
    assert len(c.cannot_links) <= len(known) + n_classes * (n_classes - 1) // 2
    assert set(c.cannot_links.ravel()) == (set(known) if n_classes > 1 else set())


def test_samples_of_known_classes_have_cannot_links_with_the_other_classes_in_turn():
    y = np.repeat([0, 1, 2], 4)
    c = Constraints.from_partial_labels(y)
    seen = {(y[i], y[j]) for i, j in c.cannot_links}
    assert seen == {(0, 1), (0, 2), (1, 2)}
    assert len(c.cannot_links) == len(y)  # those of the first samples are among them


def test_methods_that_cannot_guarantee_hard_constraints_say_so():
    from cscluster import RCA, COPKMeans, MetricClusterer, PCKMeans

    X = np.random.default_rng(0).normal(size=(12, 2))
    c = Constraints([(0, 1), (2, 3)], [(0, 2)], n_samples=12).hardened()
    with pytest.warns(UserWarning, match="PCKMeans.*hard constraints"):
        soft = PCKMeans(n_clusters=2, random_state=0).fit(X, constraints=c)
    expected = PCKMeans(n_clusters=2, random_state=0).fit(X, constraints=c.softened())
    assert np.array_equal(soft.labels_, expected.labels_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (
            COPKMeans(n_clusters=2, random_state=0),
            MetricClusterer(metric=RCA(), clusterer=COPKMeans(n_clusters=2), random_state=0),
        ):
            assert len(c.violated(model.fit(X, constraints=c).labels_)) == 0


def test_groups_become_chains_or_all_pairs():
    rng = np.random.default_rng(0)
    groups = rng.integers(-1, 6, 40)
    together = Constraints.from_groups(groups, together=True)
    apart = Constraints.from_groups(groups, together=False)
    same = {(i, j) for i in range(40) for j in range(i + 1, 40) if groups[i] == groups[j] != -1}
    assert {tuple(pair) for pair in apart.cannot_links.tolist()} == same
    assert len(apart.must_links) == len(together.cannot_links) == 0
    part = together.components
    assert {(i, j) for i in range(40) for j in range(i + 1, 40) if part[i] == part[j]} == same
    none = Constraints.from_groups([-1, -1], together=False)
    assert (len(none), none.n_samples) == (0, 2)
