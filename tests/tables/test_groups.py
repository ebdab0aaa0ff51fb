import numpy as np
import pandas as pd
import pytest

from cscluster import cluster
from cscluster.errors import CsclusterError, DataError


@pytest.fixture
def records():
    """Two records of each of twelve persons, from two sources, with typing errors."""
    rng = np.random.default_rng(0)
    persons = np.repeat(rng.normal(scale=4, size=(12, 2)), 2, axis=0)
    table = pd.DataFrame(persons + rng.normal(scale=1.5, size=(24, 2)), columns=["x", "y"])
    return table.assign(
        source=[f"{'ab'[i % 2]}{i // 8}" for i in range(24)], household=["h1", "h1"] + [None] * 22
    )


def test_rows_that_share_a_cell_are_in_different_clusters(records):
    found = cluster(records, n_clusters=12, algorithm="pccc", apart="source")
    assert not records.assign(cluster=found.labels).duplicated(["source", "cluster"]).any()
    assert "source" not in found.table.features


def test_rows_that_share_a_cell_are_in_one_cluster(records):
    found = cluster(records, n_clusters=4, algorithm="pccc", together="household", apart="source")
    assert found.labels[0] == found.labels[1]
    assert not records.assign(cluster=found.labels).duplicated(["source", "cluster"]).any()


def test_more_rows_than_clusters_cannot_be_apart(records):
    with pytest.raises(DataError, match=r"\b4 rows.*\(3\)"):
        cluster(records, n_clusters=3, algorithm="pccc", apart="source")


def test_a_column_cannot_do_both(records):
    with pytest.raises(CsclusterError):
        cluster(records, n_clusters=4, algorithm="pccc", together="source", apart="source")


def test_a_column_that_is_not_there_is_told(records):
    with pytest.raises(DataError, match=r"'sourc'.*'source'"):
        cluster(records, n_clusters=4, apart="sourc")
