"""The number of clusters."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import Constraints, KMeans, MPCKMeans, load_dataset
from cscluster.errors import ConstraintError
from cscluster.selection import count
from tests.selection.toys import constraints, rows


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
def test_constraints_bound_the_number_of_clusters(must, cannot, bound):
    assert count.lower_bound(Constraints(must, cannot, n_samples=8)) == bound


def test_the_number_is_found_by_constraints_or_by_silhouette():
    iris = load_dataset("iris")
    X = (iris.X - iris.X.mean(axis=0)) / iris.X.std(axis=0)
    given = constraints(60, y=iris.y)
    by_constraints = count.choose_count(X, given, lambda k: [MPCKMeans(n_clusters=k, random_state=0)], 0)
    assert by_constraints.n_clusters == 3  # the silhouette alone says two
    by_shape = count.choose_count(X, Constraints.empty(150), None, 0)
    assert (by_shape.n_clusters, by_shape.score_name) == (2, "silhouette")
    few = Constraints([], [(0, 50), (0, 100), (50, 100)], n_samples=150)
    assert min(count.choose_count(X, few, None, 0).scores) == 3


def test_among_equal_numbers_the_smallest():
    chosen = count._best_count({2: 0.7, 3: 0.895, 4: 0.9}, "score", "it is the best")
    assert (chosen.n_clusters, chosen.reason) == (3, "no number is better by 0.01 or more")
    assert count._best_count({2: 0.7, 3: 0.9}, "score", "it is the best").reason == "it is the best"


def test_more_components_than_rows_allow():
    apart = Constraints([], [(i, j) for i in range(4) for j in range(i)], n_samples=4)
    with pytest.raises(ConstraintError, match=r"\b4 clusters.*\b4 rows"):
        count.candidates(4, apart)


def test_every_number_and_method_is_announced():
    calls = []
    count.choose_count(
        rows(), constraints(40), lambda k: [KMeans(n_clusters=k)], 0, lambda *call: calls.append(call)
    )
    assert [done for _, done, _ in calls] == list(range(len(calls)))
    assert {total for _, _, total in calls} == {len(calls)}


def test_a_wide_sparse_table_has_methods_too(monkeypatch):
    monkeypatch.setattr(count, "MOST", 2)
    monkeypatch.setattr(count, "_BEYOND_BOUND", 0)
    X = csr_array(np.random.default_rng(0).random((60, 2000)))
    given = Constraints([(0, i) for i in range(2, 12)], [(1, i) for i in range(2, 12)], n_samples=60)
    assert count.choose_count(X, given, None, 0).n_clusters >= 2
