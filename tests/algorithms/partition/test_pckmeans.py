import numpy as np
import pytest
import sklearn.cluster

from cscluster import Constraints, KMeans, PCKMeans, load_dataset
from cscluster.algorithms.partition._seeding import authors_seeds, seed_centers
from cscluster.errors import DataError, ParameterError
from cscluster.metrics.scores import satisfied
from tests.algorithms.samples import with_random_pairs

from .listed import assign_as_listed


@pytest.mark.parametrize("name", ["iris", "wine", "pendigit389"])
def test_without_constraints_it_is_kmeans_from_the_same_start(name):
    X = load_dataset(name).X
    start = seed_centers(X, Constraints.empty(len(X)), 3, np.random.default_rng(0))
    theirs = sklearn.cluster.KMeans(3, init=start, n_init=1, tol=0, algorithm="lloyd").fit(X)
    ours = PCKMeans(n_clusters=3, start="neighbourhoods", tol=0, random_state=0).fit(X)
    assert ours.converged_
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert ours.objective_[-1] == pytest.approx(theirs.inertia_)
    assert np.array_equal(ours.predict(X), ours.labels_)


@pytest.mark.parametrize("assignment", ["keep", "reset", "block"])
def test_objective_is_equation_1(assignment):
    X, _, constraints = with_random_pairs("iris", 80)
    rng = np.random.default_rng(0)
    constraints = Constraints(
        constraints.must_links,
        constraints.cannot_links,
        n_samples=len(X),
        must_weights=rng.uniform(0.1, 2, len(constraints.must_links)),
    )
    model = PCKMeans(n_clusters=3, w=0.7, assignment=assignment, random_state=0).fit(
        X, constraints=constraints
    )
    violated = (constraints.binding.closure() | constraints).violated(model.labels_)
    spread = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    cost = 0.7 * violated.weights.sum()
    assert model.objective_[-1] == pytest.approx(spread + cost)


@pytest.mark.parametrize("assignment", ["keep", "block"])
@pytest.mark.parametrize("name", ["iris", "wine", "ionosphere", "letterIJL"])
def test_objective_never_rises(name, assignment):
    for trial in range(2):
        X, y, constraints = with_random_pairs(name, 100, trial)
        model = PCKMeans(n_clusters=len(np.unique(y)), w=2, assignment=assignment, random_state=trial).fit(
            X, constraints=constraints
        )
        assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()


def test_blocks_violate_no_must_link_and_a_high_cost_satisfies_all_constraints():
    X, _, constraints = with_random_pairs("iris", 100)
    free = PCKMeans(n_clusters=3, w=0, random_state=0).fit(X, constraints=constraints)
    assert len(constraints.violated(free.labels_).must_links) == 0
    strict = PCKMeans(n_clusters=3, w=1e6, random_state=0).fit(X, constraints=constraints)
    assert satisfied(constraints, strict.labels_) == 1


def test_constraints_in_any_order_give_the_same_labels():
    X, _, constraints = with_random_pairs("iris", 60)
    shuffled = Constraints(
        constraints.must_links[::-1, ::-1], constraints.cannot_links[::-1], n_samples=len(X)
    )
    a, b = (
        PCKMeans(n_clusters=3, random_state=3).fit(X, constraints=c).labels_ for c in (constraints, shuffled)
    )
    assert np.array_equal(a, b)


def test_an_empty_cluster_is_given_a_sample_and_counted():
    # The three neighbourhoods have the same centroid, so two clusters start empty.
    X = np.array([[-1.0], [1.0], [-2.0], [2.0], [-3.0], [3.0], [9.0]])
    constraints = Constraints([(0, 1), (2, 3), (4, 5)], n_samples=7)
    start = {"start": "neighbourhoods", "assignment": "keep", "w": 0}
    model = PCKMeans(n_clusters=3, random_state=0, **start).fit(X, constraints=constraints)
    assert model.n_reseeded_ >= 2
    assert set(model.labels_) == {0, 1, 2}


def test_more_clusters_than_distinct_samples():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    with pytest.raises(DataError, match=r"3 clusters .* 2 samples"):
        PCKMeans(n_clusters=3, random_state=0).fit(X)
    assert PCKMeans(n_clusters=2, random_state=0).fit(X).objective_[-1] == pytest.approx(0)


def test_a_constant_column_changes_nothing():
    X, _, constraints = with_random_pairs("iris", 60)
    padded = np.column_stack([X, np.full(len(X), 7.0)])
    seeded = {"n_clusters": 3, "random_state": 0}
    assert np.array_equal(
        PCKMeans(**seeded).fit(X, constraints=constraints).labels_,
        PCKMeans(**seeded).fit(padded, constraints=constraints).labels_,
    )


def test_contradictory_constraints_are_named():
    X = load_dataset("iris").X
    constraints = Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=len(X))
    with pytest.warns(UserWarning, match="Samples 0 and 2"):
        PCKMeans(n_clusters=3, random_state=0).fit(X, constraints=constraints)


def test_says_what_is_wrong():
    with pytest.raises(ParameterError, match=r"'assignment'.*PCKMeans"):
        PCKMeans(assignment="x").fit([[0.0], [1.0]])
    with pytest.raises(ParameterError, match=r"'w'.*PCKMeans"):
        PCKMeans(w=-1).fit([[0.0], [1.0]])


def test_a_violated_constraint_costs_as_much_as_a_sample_in_kmeans_whatever_the_unit():
    X, _, constraints = with_random_pairs("iris", 50)
    model = PCKMeans(n_clusters=3, random_state=0).fit(X, constraints=constraints)
    w = KMeans(n_clusters=3, random_state=0).fit(X).objective_[-1] / len(X)
    given = PCKMeans(n_clusters=3, w=w, random_state=0).fit(X, constraints=constraints)
    assert np.array_equal(model.labels_, given.labels_)
    assert np.array_equal(
        model.labels_, PCKMeans(n_clusters=3, random_state=0).fit(1000 * X, constraints=constraints).labels_
    )


@pytest.mark.parametrize("start", ["authors", "paper"])
@pytest.mark.parametrize("seed", range(5))
def test_published_form_step_by_step(seed, start):
    # The program of the authors on tiny data, in plain loops: seeds have labels before the first sweep, and
    # only the two largest neighbourhoods are closed; the text closes the third one too.
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2)) + 4
    constraints = Constraints([(0, 1), (1, 2), (3, 4), (5, 6)], [(2, 3), (4, 6), (0, 8)], n_samples=12)
    model = PCKMeans.published(n_clusters=2, random_state=seed, tol=0, start=start)
    model.fit(X, constraints=constraints)
    entailed = [(a, b) for a in (0, 1, 2) for b in (3, 4)]
    entailed += [(3, 5), (3, 6), (4, 5)] if start == "paper" else []
    closed = constraints | Constraints([(0, 2)], entailed, n_samples=12)
    rng = np.random.default_rng(seed)
    mu, labels = authors_seeds(X, constraints, 2, rng)
    cost_one = lambda *_: 1.0  # noqa: E731
    while True:
        before = labels
        D = ((X[:, None] - mu[None]) ** 2).sum(axis=2)
        labels = D.argmin(axis=1)
        order = [constraints.touched[[k]] for k in rng.permutation(len(constraints.touched))]
        seen = np.where(np.isin(np.arange(12), constraints.touched), before, -1)
        labels[constraints.touched] = assign_as_listed(D, seen, closed, order, cost_one, cost_one)[
            constraints.touched
        ]
        mu = np.array([X[labels == h].mean(axis=0) for h in range(2)])
        if np.array_equal(labels, before):
            break
    assert np.array_equal(model.labels_, labels)


def test_constraints_move_the_centers():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 2.0], 40), np.tile([0.0, 1.5], 40)]) + 0.1 * rng.normal(size=(80, 2))
    rows = np.arange(0, 40, 2)
    constraints = Constraints(
        np.column_stack([rows, rows + 40]), np.column_stack([rows, rows + 1]), n_samples=80
    )
    model = PCKMeans(n_clusters=2, random_state=0).fit(
        X, constraints=constraints
    )  # k-means goes by the first column
    assert satisfied(constraints, KMeans(n_clusters=2, random_state=0).fit(X).labels_) == 0
    assert satisfied(constraints, model.predict(X)) > 0.8
