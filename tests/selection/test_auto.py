"""`auto` as a method: an experiment runs what ``cscluster cluster`` uses."""

import itertools
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import PCCC, Auto, Constraints, KMeans, cluster, load_dataset
from cscluster.algorithms import registry
from cscluster.constraints.sampling import random_pairs
from cscluster.data import synthetic
from cscluster.experiment.config.load import load
from cscluster.selection import auto, compare
from cscluster.selection.auto import MIXTURES, AnswerAuto, Candidate, candidates_for
from tests.selection.toys import Y, constraints, rows


def wine():
    data = load_dataset("wine")
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    pairs = random_pairs(len(X), 40, np.random.default_rng(0))
    return X, Constraints.from_labels(pairs, data.y)


def test_the_clusters_are_those_of_the_command(monkeypatch):
    few = (Candidate("rca", "pckmeans"), Candidate("pckmeans"))
    monkeypatch.setattr(auto, "CANDIDATES", few)
    X, given = wine()
    model = Auto(n_clusters=3, random_state=5).fit(X, constraints=given)
    found = cluster(X, given, n_clusters=3, preprocess=["none"], seed=5)
    assert model.algorithm_ == found.algorithm
    assert np.array_equal(model.labels_, found.labels)
    assert np.array_equal(model.predict(X), model.estimator_.predict(X))


def test_a_method_that_learns_what_matters_is_chosen():
    model = Auto(n_clusters=3, random_state=0).fit(rows(), constraints=constraints(60))
    scores = model.comparison_.scores
    assert list(scores)[-1] == "k-means"
    assert not model.uses_baseline_
    assert scores[model.algorithm_].value > scores["k-means"].value + 0.2
    assert str(round(scores[model.algorithm_].value, 2)) in model.reason_


def test_non_convex_clusters_find_their_method():
    data = synthetic.generate("rings", 200, np.random.default_rng(0))
    pairs = random_pairs(200, 50, np.random.default_rng(1))
    given = Constraints.from_labels(pairs, data.y)
    model = Auto(n_clusters=2, random_state=0).fit(data.X, constraints=given)
    assert model.algorithm_ == "trace ratio, non-linear + k-means"


def test_few_or_no_constraints_leave_the_baseline():
    X, given = rows(), constraints(9)
    few = Auto(n_clusters=3, random_state=0).fit(X, constraints=given)
    assert few.uses_baseline_
    assert "10 constraints with 3 of each kind" in few.reason_
    expected = compare.constrained_labels(KMeans(n_clusters=3, random_state=0).fit(X), X, given)
    assert np.array_equal(few.labels_, expected)
    none = Auto(n_clusters=3, random_state=0).fit(X)
    assert (none.algorithm_, none.reason_) == ("k-means", "there are no constraints")
    assert np.array_equal(none.labels_, KMeans(n_clusters=3, random_state=0).fit(X).labels_)


def test_the_candidates_suit_the_data():
    def names(X, given):
        return [each.name for each in candidates_for(X, given)]

    soft = Constraints([(0, 1)], n_samples=50_000)
    assert names(np.zeros((50_000, 600)), soft) == ["itml", "lmnn"]
    assert names(csr_array((100, 2000)), soft) == ["pmmc"]
    for each in candidates_for(np.zeros((100, 4)), soft.hardened()):
        assert each.build(3, 0).satisfies_hard_constraints


def feasible(seed):
    """Return a small random case with hard constraints that some partition satisfies."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(12, 30)), int(rng.integers(2, 5))
    y = rng.integers(0, k, n)
    pairs = np.array(list(itertools.combinations(range(n), 2)))
    pairs = pairs[rng.permutation(len(pairs))[: int(rng.integers(3, 40))]]
    return rng.normal(size=(n, 3)), k, Constraints.from_labels(pairs, y).hardened()


@pytest.mark.filterwarnings("ignore")
def test_no_hard_constraint_is_ever_violated():
    compared = 0
    for seed in range(60):
        X, k, given = feasible(seed)
        model = Auto(n_clusters=k, random_state=seed).fit(X, constraints=given)
        assert not len(given.violated(model.labels_)), seed
        assert isinstance(model.estimator_, PCCC) == model.uses_baseline_
        compared += bool(model.comparison_.scores)
    assert compared > 30


def test_hard_and_soft_constraints_together():
    X, given = rows(), constraints(60)
    mixed = given.select(given.is_must).hardened() | given.select(~given.is_must)
    model = Auto(n_clusters=3, random_state=0).fit(X, constraints=mixed)
    assert not len(mixed.hard.violated(model.labels_))


def test_weighted_constraints_leave_out_methods_that_cannot_weigh_them():
    given = constraints(60).weighted(2.0)
    model = Auto(n_clusters=3, random_state=0).fit(rows(), constraints=given)
    assert not set(model.comparison_.failures) & set(model.comparison_.scores)
    assert np.array_equal(np.bincount(model.labels_).shape, [3])


def test_an_experiment_can_name_it():
    experiment = load("benchmark/benchmark")
    assert "auto" in [entry.title for entry in experiment.algorithms]


def test_a_candidate_with_new_results_makes_stored_trials_stale():
    names = {each.name for each in auto.CANDIDATES} | {"kmeans"}
    assert Auto.version > sum(registry.find(name).load().version for name in names)


def test_features_that_do_not_show_the_classes_are_named():
    warned = 0
    for seed in (5, 6, 7):  # now and then some method satisfies random constraints by luck
        given = constraints(60, y=np.random.default_rng(seed).permutation(Y))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Auto(n_clusters=3, random_state=0).fit(rows(), constraints=given)
        warned += any("no better than by chance" in str(each.message) for each in caught)
    assert warned


def test_mixtures_come_first_where_methods_learn_from_answers():
    X, given = wine()
    titles = list(AnswerAuto(n_clusters=3, random_state=0).fit(X, constraints=given).comparison_.scores)
    assert titles[:3] == ["constrained GMM", "constrained GMM, diag", "constrained GMM, full"]
    assert titles[3:] == list(Auto(n_clusters=3, random_state=0).fit(X, constraints=given).comparison_.scores)
    wide = [each.name for each in candidates_for(np.zeros((100, 600)), given, MIXTURES)]
    assert wide[:2] == ["constrained_gmm", "pmmc"]
