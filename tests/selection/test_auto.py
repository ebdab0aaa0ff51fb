"""`auto` as a method: what experiments run is what ``cscluster cluster`` chooses."""

import numpy as np

from cscluster import Auto, cluster, load_dataset
from cscluster.algorithms.build import build
from cscluster.constraints import Constraints
from cscluster.constraints.schedules import random_pairs
from cscluster.experiment.config.load import load
from cscluster.selection import heldout, method


def wine():
    data = load_dataset("wine")
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    pairs = random_pairs(len(X), 40, np.random.default_rng(0))
    return X, Constraints.from_labels(pairs, data.y)


def test_the_clusters_are_those_of_the_command(monkeypatch):
    monkeypatch.setattr(method, "CANDIDATES", ("rca", "pckmeans", "kmeans"))
    X, links = wine()
    made = Auto(n_clusters=3, random_state=5).fit(X, links)
    found = cluster(X, links, n_clusters=3, algorithm="auto", preprocess=["none"], seed=5)
    assert made.algorithm_ == found.algorithm
    assert np.array_equal(made.labels_, found.labels)
    assert np.array_equal(made.predict(X), made.estimator_.predict(X))


def test_shared_work_changes_nothing():
    """Each attempt, and the chosen method, end as they would alone."""
    X, links = wine()
    together = method.choose_algorithm(X, links, 3, 5, lambda _: None)
    made = Auto(n_clusters=3, random_state=5).fit(X, links)
    parts = heldout.splits(links, 5)
    alone = [heldout.attempt(name, {}, X, parts, 3, 5, lambda _: None) for name in method.CANDIDATES]
    assert [(a.algorithm, a.must, a.cannot) for a in together.attempts] == [
        (a.algorithm, a.must, a.cannot) for a in alone
    ]
    assert made.algorithm_ == together.algorithm
    assert np.array_equal(made.labels_, build(together.algorithm, {}, 3, 5).fit(X, links).labels_)


def test_without_links_it_is_kmeans():
    X, _ = wine()
    assert Auto(n_clusters=3, random_state=0).fit(X).algorithm_ == "kmeans"


def test_an_experiment_can_name_it():
    experiment = load("benchmark/benchmark")
    assert "auto" in [entry.title for entry in experiment.algorithms]


def test_a_candidate_with_new_results_makes_stored_trials_of_auto_stale():
    versions = [method.registry.find(name).load().version for name in method.CANDIDATES]
    assert Auto.version > sum(versions)
