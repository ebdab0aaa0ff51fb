"""Distances in the place of columns: read, checked, clustered by."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import cscluster
from cscluster.data.dataset import Dataset
from cscluster.errors import DataError, ParameterError
from cscluster.tables.distances import distances_between

N = 24
X = np.random.default_rng(0).normal(size=(N, 2)) + 9 * np.eye(3)[np.arange(N) % 3][:, :2]
D = cdist(X, X)
NAMES = [f"row{i}" for i in range(N)]
ROWS = Dataset("rows", X, ids=NAMES)


def changed(*cells):
    E = D.copy()
    for i, j, value in cells:
        E[i, j] = value
    return E


def test_every_form_is_read(tmp_path):
    np.save(tmp_path / "a.npy", D)
    np.savetxt(tmp_path / "b.csv", D, delimiter=",")
    pd.DataFrame(D, index=NAMES, columns=NAMES).to_csv(tmp_path / "c.csv")
    for given in (D, pd.DataFrame(D), tmp_path / "a.npy", str(tmp_path / "b.csv"), tmp_path / "c.csv"):
        np.testing.assert_allclose(distances_between(ROWS, given), D, rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (D[:5], r"square.*\(5, 24\)"),
        (D[:5, :5], r"\b24 rows.*\(5, 5\)"),
        (changed((0, 1, 7.0)), r"symmetric.*\b7\b.*row 0\b.*row 1\b"),
        (changed((3, 3, 1.0)), r"diagonal.*\b1\b.*row 3\b.*row 3\b"),
        (changed((2, 4, -1.0), (4, 2, -1.0)), r"negative.*-1\b.*row 2\b.*row 4\b"),
        (changed((2, 4, np.nan)), r"finite.*\bnan\b.*row 2\b.*row 4\b"),
        ([["0", "x"], ["x", "0"]], "numbers.*'x'"),
        ("missing.npy", r"'missing\.npy'"),
    ],
)
def test_what_is_no_distance_is_refused_in_a_sentence(given, problem):
    with pytest.raises(DataError, match=problem):
        distances_between(ROWS, given)


def test_rows_in_another_order_are_refused(tmp_path):
    pd.DataFrame(D[::-1, ::-1], index=NAMES[::-1], columns=NAMES[::-1]).to_csv(tmp_path / "d.csv")
    with pytest.raises(DataError, match=r"d\.csv'.*'row23'.*'row0'"):
        distances_between(ROWS, tmp_path / "d.csv")


def test_rows_are_clustered_by_distances_alone():
    table = pd.DataFrame({"useless": np.arange(N) % 2})
    found = cscluster.cluster(table, n_clusters=3, distances=D)
    assert found.algorithm == "constrained agglomerative"
    assert sorted(found.sizes) == [8, 8, 8]
    assert found.silhouette == cscluster.cluster(X, n_clusters=3, distances=D).silhouette > 0.7
    dense = cscluster.cluster(table, algorithm="hdbscan", distances=D)
    assert dense.n_clusters == 3
    with pytest.raises(ParameterError, match=r"predict.*kmeans, pckmeans"):
        cscluster.save_model(dense, "model.zip")


@pytest.mark.parametrize("algorithm", ["kernel_kmeans", "csp"])
def test_other_methods_of_distances(algorithm):
    links = [(0, 3, "must"), (0, 1, "cannot"), (1, 2, "cannot"), (4, 7, "must")]
    found = cscluster.cluster(X, links, n_clusters=3, algorithm=algorithm, distances=D)
    assert sorted(found.sizes) == [8, 8, 8]
    with pytest.raises(ParameterError, match=r"predict.*kmeans, pckmeans"):
        cscluster.save_model(found, "model.zip")


def test_methods_that_need_columns_are_refused():
    for options, problem in (
        (
            {"algorithm": "pckmeans", "n_clusters": 3},
            "'pckmeans'.*columns.*kernel_kmeans, csp, agglom",
        ),
        ({"algorithm": "agglomerative", "n_clusters": 3, "guard": True}, "guard.*columns"),
        ({}, "number of clusters.*'hdbscan'"),
        ({"algorithm": "hdbscan", "n_clusters": 3}, "HDBSCAN.*-k"),
    ):
        with pytest.raises(ParameterError, match=problem):
            cscluster.cluster(X, distances=D, **options)


def test_noise_is_no_cluster_and_comes_last():
    table = pd.DataFrame(np.vstack([X, [[99.0, -99.0]]]), columns=["a", "b"])
    found = cscluster.cluster(table, [(0, N, "must"), (0, 3, "must")], algorithm="hdbscan")
    assert found.labels[-1] == -1
    assert found.sizes.tolist() == [8, 8, 8]
    assert [cluster.name for cluster in found.clusters] == ["0", "1", "2", "noise"]
    assert found.clusters[-1].typical == [N]
    assert found.violated.must_links.tolist() == [[0, N]]
    assert "noise: 1 row (4%)" in found._repr_html_()
