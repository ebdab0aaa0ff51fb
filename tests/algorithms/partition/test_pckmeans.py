import numpy as np
import pytest
import sklearn.cluster

from cscluster import Constraints, KMeans, PCKMeans, load_dataset
from cscluster.algorithms import registry
from cscluster.algorithms.partition._lloyd import Run, best_run
from cscluster.algorithms.partition._seeding import authors_seeds, seed_centers
from cscluster.algorithms.partition.pckmeans import Euclidean
from cscluster.constraints.schedules import RandomPairs
from cscluster.errors import DataError, ParameterError
from cscluster.metrics.scores import satisfied

from .printed import assign_as_printed


def draw(name, count, trial=0):
    data = load_dataset(name)
    return data.X, data.y, RandomPairs(counts=[count]).episode(count, data.y, 5, name, trial).tiers[0]


@pytest.mark.parametrize("name", ["iris", "wine", "pendigit389"])
def test_without_links_it_is_kmeans_from_the_same_start(name):
    X = load_dataset(name).X
    start = seed_centers(X, Constraints.empty(len(X)), 3, np.random.default_rng(0))
    theirs = sklearn.cluster.KMeans(3, init=start, n_init=1, tol=0, algorithm="lloyd").fit(X)
    ours = PCKMeans(fallback=False, n_clusters=3, start="neighbourhoods", tol=0, random_state=0).fit(X)
    assert ours.converged_
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.objective_[-1] == pytest.approx(theirs.inertia_)
    assert np.array_equal(ours.predict(X), ours.labels_)


@pytest.mark.parametrize("assignment", ["keep", "reset", "block"])
def test_objective_is_equation_1(assignment):
    X, _, links = draw("iris", 80)
    rng = np.random.default_rng(0)
    links = Constraints(
        links.must_links,
        links.cannot_links,
        n_samples=len(X),
        must_weights=rng.uniform(0.1, 2, len(links.must_links)),
    )
    model = PCKMeans(fallback=False, n_clusters=3, w=0.7, assignment=assignment, random_state=0).fit(X, links)
    broken = (links.binding.closure() | links).violated(model.labels_)
    spread = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    cost = 0.7 * (broken.must_weights.sum() + broken.cannot_weights.sum())
    assert model.objective_[-1] == pytest.approx(spread + cost)


@pytest.mark.parametrize("assignment", ["keep", "block"])
@pytest.mark.parametrize("name", ["iris", "wine", "ionosphere", "letterIJL"])
def test_objective_never_rises(name, assignment):
    for trial in range(2):
        X, y, links = draw(name, 100, trial)
        model = PCKMeans(
            fallback=False, n_clusters=len(np.unique(y)), w=2, assignment=assignment, random_state=trial
        ).fit(X, links)
        assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()


def test_blocks_break_no_must_link_and_a_high_cost_keeps_all_links():
    X, _, links = draw("iris", 100)
    free = PCKMeans(fallback=False, n_clusters=3, w=0, random_state=0).fit(X, links)
    assert len(links.violated(free.labels_).must_links) == 0
    strict = PCKMeans(fallback=False, n_clusters=3, w=1e6, random_state=0).fit(X, links)
    assert satisfied(links, strict.labels_) == 1


def test_links_in_any_order_give_the_same_labels():
    X, _, links = draw("iris", 60)
    shuffled = Constraints(links.must_links[::-1, ::-1], links.cannot_links[::-1], n_samples=len(X))
    a, b = (
        PCKMeans(fallback=False, n_clusters=3, random_state=3).fit(X, c).labels_ for c in (links, shuffled)
    )
    assert np.array_equal(a, b)


def test_an_empty_cluster_is_given_a_sample_and_counted():
    # The three neighbourhoods have the same centroid, so two clusters start empty.
    X = np.array([[-1.0], [1.0], [-2.0], [2.0], [-3.0], [3.0], [9.0]])
    links = Constraints([(0, 1), (2, 3), (4, 5)], n_samples=7)
    start = {"start": "neighbourhoods", "assignment": "keep", "w": 0}
    model = PCKMeans(fallback=False, n_clusters=3, random_state=0, **start).fit(X, links)
    assert model.n_reseeded_ >= 2
    assert set(model.labels_) == {0, 1, 2}


def test_more_clusters_than_distinct_samples():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    with pytest.raises(DataError, match="3 clusters are wanted, but only 2 samples are distinct"):
        PCKMeans(fallback=False, n_clusters=3, random_state=0).fit(X)
    assert PCKMeans(fallback=False, n_clusters=2, random_state=0).fit(X).objective_[-1] == pytest.approx(0)


def test_a_constant_column_changes_nothing():
    X, _, links = draw("iris", 60)
    padded = np.column_stack([X, np.full(len(X), 7.0)])
    seeded = {"n_clusters": 3, "fallback": False, "random_state": 0}
    assert np.array_equal(
        PCKMeans(**seeded).fit(X, links).labels_, PCKMeans(**seeded).fit(padded, links).labels_
    )


def test_contradictory_links_are_named():
    X = load_dataset("iris").X
    links = Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=len(X))
    with pytest.warns(
        UserWarning, match="Samples 0 and 2 are cannot-linked, but must-links put them together"
    ):
        PCKMeans(fallback=False, n_clusters=3, random_state=0).fit(X, links)


def test_says_what_is_wrong():
    with pytest.raises(ParameterError, match="'assignment' of PCKMeans must be 'keep'"):
        PCKMeans(assignment="x").fit([[0.0], [1.0]])
    with pytest.raises(ParameterError, match="'w' of PCKMeans must be a number >= 0 or null, got -1"):
        PCKMeans(w=-1).fit([[0.0], [1.0]])


@pytest.mark.parametrize("name", ["iris", "wine", "letterIJL"])
def test_kmeans_is_among_the_starts(name):
    X = load_dataset(name).X
    ours = PCKMeans(n_clusters=3, fallback=False, random_state=0).fit(X).objective_[-1]
    assert ours <= KMeans(n_clusters=3, random_state=0).fit(X).objective_[-1] * (1 + 1e-6)


def test_a_broken_link_costs_as_much_as_a_sample_in_kmeans_whatever_the_unit():
    X, _, links = draw("iris", 50)
    model = PCKMeans(n_clusters=3, fallback=False, random_state=0).fit(X, links)
    w = KMeans(n_clusters=3, random_state=0).fit(X).objective_[-1] / len(X)
    given = PCKMeans(n_clusters=3, fallback=False, w=w, random_state=0).fit(X, links)
    assert np.array_equal(model.labels_, given.labels_)
    assert np.array_equal(
        model.labels_, PCKMeans(n_clusters=3, fallback=False, random_state=0).fit(1000 * X, links).labels_
    )


@pytest.mark.parametrize("seed", range(5))
def test_as_printed_with_the_authors_start_step_by_step(seed):
    # The program of the authors on tiny data, in plain loops: seeds have labels before the first sweep, and
    # only the two largest neighbourhoods are closed.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2)) + 4
    links = Constraints([(0, 1), (1, 2), (3, 4), (5, 6)], [(2, 3), (6, 7), (0, 8)], n_samples=12)
    entry = registry.find("pckmeans_printed")
    model = entry.load()(**entry.preset | {"n_clusters": 2, "random_state": seed, "tol": 0}).fit(X, links)
    closed = links | Constraints([(0, 2)], [(a, b) for a in (0, 1, 2) for b in (3, 4)], n_samples=12)
    rng = np.random.default_rng(seed)
    mu, labels = authors_seeds(X, links, 2, rng)
    cost_one = lambda *_: 1.0  # noqa: E731
    while True:
        before = labels
        D = ((X[:, None] - mu[None]) ** 2).sum(axis=2)
        labels = D.argmin(axis=1)
        order = [links.touched[[k]] for k in rng.permutation(len(links.touched))]
        seen = np.where(np.isin(np.arange(12), links.touched), before, -1)
        labels[links.touched] = assign_as_printed(D, seen, closed, order, cost_one, cost_one)[links.touched]
        mu = np.array([X[labels == h].mean(axis=0) for h in range(2)])
        if np.array_equal(labels, before):
            break
    assert np.array_equal(model.labels_, labels)


def test_links_choose_the_start_where_they_say_enough():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    by_width, by_height = (
        Run(np.array(labels), np.array(mu), Euclidean(1.0, 2), np.array([value]), value, True, 0)
        for labels, mu, value in (
            ([0, 0, 1, 1], [[0.0, 0.5], [2.0, 0.5]], 1.0),
            ([0, 1, 0, 1], [[1.0, 0.0], [1.0, 1.0]], 4.0),
        )
    )
    many = Constraints([(0, 2), (1, 3)], [(0, 1), (2, 3)], n_samples=4)
    one = Constraints([(0, 2)], n_samples=4)  # half a guess: less than a nat
    for runs in ([by_width, by_height], [by_height, by_width]):
        assert best_run(runs, X, many) is by_height
        assert best_run(runs, X, one) is by_width


def test_it_keeps_the_centres_of_kmeans_where_links_do_not_speak_against_them():
    X, _, links = draw("wine", 20)
    with pytest.warns(UserWarning, match="The links do not favour PCKMeans"):
        model = PCKMeans(n_clusters=3, random_state=0).fit(X, links)
    kmeans = KMeans(n_clusters=3, random_state=0).fit(X)
    assert model.uses_kmeans_
    assert np.array_equal(model.cluster_centers_, kmeans.cluster_centers_)
    assert np.array_equal(model.predict(X), kmeans.labels_)
    unlinked = np.setdiff1d(np.arange(len(X)), links.touched)
    assert np.array_equal(model.labels_[unlinked], kmeans.labels_[unlinked])
    assert len(links.violated(model.labels_)) < len(links.violated(kmeans.labels_))


def test_what_a_broken_link_costs_holds_for_the_centres_of_kmeans_as_well():
    X, _, links = draw("wine", 20)
    kmeans = KMeans(n_clusters=3, random_state=0).fit(X)
    free, strict = (PCKMeans(n_clusters=3, w=w, random_state=0).fit(X, links) for w in (0.0, 1e9))
    assert free.uses_kmeans_
    assert np.array_equal(free.labels_, kmeans.labels_)
    assert strict.uses_kmeans_
    assert satisfied(links, strict.labels_) == 1


def test_links_that_speak_against_kmeans_move_its_centres():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 2.0], 40), np.tile([0.0, 1.5], 40)]) + 0.1 * rng.normal(size=(80, 2))
    rows = np.arange(0, 40, 2)
    links = Constraints(np.column_stack([rows, rows + 40]), np.column_stack([rows, rows + 1]), n_samples=80)
    model = PCKMeans(n_clusters=2, random_state=0).fit(X, links)  # k-means goes by the first column
    assert not model.uses_kmeans_
    assert satisfied(links, KMeans(n_clusters=2, random_state=0).fit(X).labels_) == 0
    assert satisfied(links, model.predict(X)) > 0.8
