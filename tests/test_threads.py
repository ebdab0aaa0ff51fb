import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_info, threadpool_limits

from cscluster import cluster, threads
from cscluster.algorithms.partition.kmeans import KMeans
from cscluster.data.table import Columns, from_pandas
from cscluster.labelling.clusters import AnswerClusterer


def most_threads():
    return max(library["num_threads"] for library in threadpool_info())


@pytest.fixture
def during_fits(monkeypatch):
    """Return a list that gets the number of threads in each fit of k-means; three are allowed."""
    seen, fit = [], KMeans.fit

    def watched(self, X, constraints=None, y=None):
        seen.append(most_threads())
        return fit(self, X, constraints)

    monkeypatch.setattr(KMeans, "fit", watched)
    with threadpool_limits(3):
        yield seen
        assert most_threads() == 3


def test_small_data_has_one_thread():
    with threadpool_limits(3):
        with threads.for_table(np.empty((threads.SMALL // 50, 50))):
            assert most_threads() == 1
        with threads.for_table(np.empty((threads.SMALL // 50 + 1, 50))):
            assert most_threads() == 3
        assert most_threads() == 3


def test_a_small_table_is_clustered_by_one_thread(during_fits):
    X, _ = make_blobs(60, centers=3, random_state=0)
    cluster(X, algorithm="kmeans")
    assert len(during_fits) > 5  # one for each number of clusters, and the last
    assert set(during_fits) == {1}


def test_of_a_large_table_only_the_choice_is_made_by_one_thread(during_fits):
    X, _ = make_blobs(threads.SMALL // 2 + 1, centers=2, random_state=0)
    cluster(X, algorithm="kmeans")
    assert set(during_fits[:-1]) == {1}
    assert during_fits[-1] == 3


def test_labelling_fits_by_one_thread(during_fits):
    X, _ = make_blobs(60, centers=3, random_state=0)
    table = from_pandas(pd.DataFrame(X, columns=["x", "y"]), Columns())
    AnswerClusterer(table, X, 3, "kmeans")([])
    assert set(during_fits) == {1}
