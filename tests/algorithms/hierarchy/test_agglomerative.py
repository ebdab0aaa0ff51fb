"""Agglomerative clustering against a plain implementation, SciPy's, and what it promises of constraints."""

import itertools

import numpy as np
import pytest
from scipy.cluster.hierarchy import dendrogram, fcluster, is_monotonic, is_valid_linkage, linkage
from scipy.spatial.distance import cdist

from cscluster import Agglomerative, Constraints, load_dataset
from cscluster.constraints.sampling import random_pairs
from cscluster.errors import ConstraintError, DataError, InfeasibleError, ParameterError
from cscluster.testing.contract import same_partition
from tests.algorithms.samples import with_random_pairs

LINKAGES = ("single", "complete", "average", "ward")
each_linkage = pytest.mark.parametrize("method", LINKAGES)


def distance(X, A, B, method):
    """Return the distance of two clusters by the definition of the linkage."""
    D = cdist(X[A], X[B])
    if method == "ward":
        gap = np.linalg.norm(X[A].mean(axis=0) - X[B].mean(axis=0))
        return gap * np.sqrt(2 * len(A) * len(B) / (len(A) + len(B)))
    return {"single": D.min, "complete": D.max, "average": D.mean}[method]()


def greedy(X, constraints, method, k):
    """Merge the two clusters of least cost, found among all pairs, until k are left or none may be merged."""
    groups = [np.flatnonzero(constraints.components == c) for c in range(constraints.n_components)]

    def cost(pair):
        A, B = pair
        i, j = constraints.cannot_links.T
        crossing = (np.isin(i, A) & np.isin(j, B)) | (np.isin(i, B) & np.isin(j, A))
        return constraints.cannot_weights[crossing].sum(), distance(X, A, B, method)

    while len(groups) > k:
        A, B = min(itertools.combinations(groups, 2), key=cost)
        if np.isinf(cost((A, B))[0]):
            break
        groups = [g for g in groups if g is not A and g is not B] + [np.concatenate([A, B])]
    labels = np.empty(len(X), dtype=int)
    for number, group in enumerate(groups):
        labels[group] = number
    return labels


def problem(seed, n=14, n_must=3, n_cannot=8):
    """Return random samples and consistent constraints."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    must = Constraints(must_links=random_pairs(n, n_must, rng), n_samples=n)
    pairs = random_pairs(n, n_cannot, rng)
    return X, must | Constraints(
        cannot_links=pairs[must.components[pairs[:, 0]] != must.components[pairs[:, 1]]], n_samples=n
    )


@each_linkage
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore:.*forbid all")
def test_merges_are_those_of_a_search_among_all_pairs(method, hard, seed):
    X, constraints = problem(seed)
    constraints = constraints.hardened() if hard else constraints
    model = Agglomerative(n_clusters=1, linkage=method).fit(X, constraints=constraints)
    for k in range(1, constraints.n_components + 1):
        expected = greedy(X, constraints, method, k)
        n_left = expected.max() + 1
        assert n_left == max(k, model.fewest_clusters_)
        assert same_partition(model.labels_at(n_left), expected)


@each_linkage
def test_without_constraints_the_hierarchy_is_scipys(method):
    X = load_dataset("wine").X
    expected = linkage(X, method)
    for given, metric in ((X, "euclidean"), (cdist(X, X), "precomputed")):
        model = Agglomerative(n_clusters=3, linkage=method, metric=metric).fit(given)
        np.testing.assert_allclose(model.linkage_matrix_, expected, rtol=1e-9)
        assert same_partition(model.labels_, fcluster(expected, 3, "maxclust"))


@each_linkage
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.filterwarnings("ignore:.*forbid all")
def test_scipy_cuts_the_linkage_matrix_at_the_same_places(method, seed, hard):
    X, constraints = problem(seed, n=40, n_cannot=60)
    constraints = constraints.hardened() if hard else constraints
    model = Agglomerative(n_clusters=1, linkage=method).fit(X, constraints=constraints)
    Z = model.linkage_matrix_
    assert is_valid_linkage(Z)
    assert is_monotonic(Z)
    for k in range(model.fewest_clusters_, constraints.n_components):
        assert same_partition(fcluster(Z, k, "maxclust"), model.labels_at(k))
    if not hard:
        assert sorted(dendrogram(Z, no_plot=True)["leaves"]) == list(range(40))


@each_linkage
@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.filterwarnings("ignore:.*forbid all")
def test_must_links_always_hold_and_hard_cannot_links_too(method, hard):
    X, _, constraints = with_random_pairs("iris", 80)
    constraints = constraints.hardened() if hard else constraints
    model = Agglomerative(n_clusters=3, linkage=method).fit(X, constraints=constraints)
    violated = constraints.violated(model.labels_)
    assert not len(violated.must_links)
    assert not hard or not len(violated)


def test_a_dead_end_is_reported():
    # 1 and 2 merge first, and then 0 and 3 are each cannot-linked with that pair and with each other
    X = [[0.0], [5.0], [5.1], [9.0]]
    constraints = Constraints(cannot_links=[(0, 1), (2, 3), (0, 3)], n_samples=4)
    with pytest.warns(UserWarning, match=r"\b3\b.*\b2\b.*cannot-links"):
        model = Agglomerative(n_clusters=2).fit(X, constraints=constraints.hardened())
    assert (model.n_clusters_, model.fewest_clusters_, model.converged_) == (3, 3, False)
    assert np.isinf(model.linkage_matrix_[:, 2]).sum() == 2
    with pytest.raises(ParameterError, match=r"\b3\b.*\b4\b.*\b2\b"):
        model.labels_at(2)
    soft = Agglomerative(n_clusters=2).fit(X, constraints=constraints)
    assert (soft.n_clusters_, soft.fewest_clusters_) == (2, 1)
    assert len(constraints.violated(soft.labels_)) == 1


def test_soft_contradictory_constraints_warn_and_hard_ones_are_refused():
    X = [[0.0], [1.0], [2.0]]
    constraints = Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=3)
    with pytest.warns(UserWarning, match=r"\b0\b.*\b2\b.*must-links are satisfied"):
        assert set(Agglomerative(n_clusters=1).fit(X, constraints=constraints).labels_) == {0}
    with pytest.raises(ConstraintError, match=r"\b0\b.*\b2\b.*cannot-linked"):
        Agglomerative(n_clusters=1).fit(X, constraints=constraints.hardened())


def test_too_many_clusters_for_the_must_links_are_refused():
    constraints = Constraints([(0, 1), (1, 2)], n_samples=4)
    with pytest.raises(InfeasibleError, match=r"\b2 components.*\b3 clusters"):
        Agglomerative(n_clusters=3).fit(np.eye(4), constraints=constraints)


def test_what_does_not_fit_into_memory_is_refused():
    with pytest.raises(DataError, match="2 x 1000000 x 1000000"):
        Agglomerative().fit(np.zeros((1_000_000, 1)))


def test_duplicate_samples_are_no_must_links():
    model = Agglomerative(n_clusters=3).fit([[0.0], [0.0], [1.0]])
    assert len(set(model.labels_)) == 3
