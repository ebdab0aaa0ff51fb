"""Instances with given constraints, and the distance from the best known objective."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from cscluster.algorithms import registry
from cscluster.papers import exact

RESULTS = Path(__file__).parents[2] / "results"


def test_the_classes_of_each_instance_satisfy_its_constraints():
    assert len(exact.best_known()) == 9
    for instance in exact.best_known().index:
        X, constraints, n_clusters = exact.load(instance)
        name = instance.partition("_constraints_")[0]
        classes = np.loadtxt(exact.folder() / f"{name}_data.csv", delimiter=",", skiprows=1)[:, -1]
        assert X.shape == (500, 2)
        assert len(np.unique(classes)) == n_clusters
        assert len(constraints) == int(instance.rpartition("_")[2])
        assert len(constraints.hard) == len(constraints)
        assert len(constraints.violated(classes)) == 0


def test_the_objective_is_that_of_the_pairwise_distances():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 3)), rng.integers(0, 4, size=40)
    pairs = sum((pdist(X[labels == k]) ** 2).sum() / (labels == k).sum() for k in range(4))
    assert exact.sum_of_squares(X, labels) == pytest.approx(pairs)


def test_no_stored_run_that_satisfies_all_constraints_is_below_the_best_known():
    rows = pd.read_csv(exact.reference(RESULTS))
    best = exact.best_known()
    assert set(rows["instance"]) == set(best.index)
    legal = rows[rows["violated"] == 0]
    assert len(legal)
    assert (legal["objective"] >= legal["instance"].map(best) * (1 - 1e-7)).all()


def test_the_stored_runs_are_those_of_the_methods_as_they_are_now():
    rows = pd.read_csv(exact.reference(RESULTS))
    now = {method: registry.find(name).load().version for method, (name, _) in exact.METHODS.items()}
    assert dict(zip(rows["method"], rows["version"], strict=True)) == now
    assert set(rows[["instance", "method", "run"]].itertuples(index=False, name=None)) == set(
        exact.planned(exact.RUNS)
    )


def test_failures_are_rows(tmp_path, monkeypatch):
    methods = {"k-means": ("kmeans", {}), "none": ("kmeans", {"n_init": -1})}
    monkeypatch.setattr(exact, "METHODS", methods)
    failures = []
    rows = exact.run_all(1, failures.append)
    assert sorted(failures) == [0] * 9 + [1] * 9
    assert len(rows) == 18
    assert exact.section(tmp_path) == []
    exact.write(tmp_path, rows)
    assert len(exact.stored(tmp_path)) == 18
    table = {row[0]: row[1:] for row in exact.table(rows).rows}
    assert table["none"][-1] == "9"
    assert table["none"][2] == "0 of 9"
    assert float(table["k-means"][3]) > 1  # k-means sees no constraint
    (fold,) = exact.section(tmp_path)
    assert fold.summary == exact.TITLE


def test_the_gap_is_that_of_the_runs_without_violation():
    instance, best = next(iter(exact.best_known().items()))
    rows = pd.DataFrame(
        {
            "instance": instance,
            "method": "a",
            "run": [0, 1, 2],
            "objective": [1.02 * best, 1.04 * best, 0.5 * best],
            "violated": [0, 0, 7],
            "cpu_seconds": 1.0,
            "error": "",
        }
    )
    (row,) = exact.table(rows).rows
    assert row == ["a", "3.00", "4.00", "2 of 3", "2.3", "1", ""]
