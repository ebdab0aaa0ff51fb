import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from cscluster import SCSC, Constraints, KMeans, LandmarkEnsemble, load_dataset
from cscluster.algorithms import shared
from cscluster.algorithms.ensemble import _partitions
from cscluster.errors import ConstraintError, ParameterError
from cscluster.experiment.config.schedules import Tiers
from cscluster.metrics.scores import score

X, Y = make_blobs(500, n_features=8, centers=4, cluster_std=1.5, random_state=1)
SMALL = {"n_partitions": 8, "random_state": 0}
CONSENSUS = ["spectral", "rounding", "kmeans"]


def ensemble(consensus, **params):
    """Return the landmark ensemble for its 'spectral' consensus, else SCSC, with features enough for few partitions."""
    if consensus == "spectral":
        return LandmarkEnsemble(**{"partitions": "graph"} | params)
    return SCSC(consensus=consensus, **{"features": 0.75} | params)


def tiers(y=Y, per_tier=40, count=3, name="blobs"):
    return Tiers(per_tier=[per_tier], tiers=count).episode(per_tier, y, 0, name, 0).tiers


@pytest.mark.parametrize("consensus", CONSENSUS)
@pytest.mark.parametrize("partitions", ["graph", "kernel"])
def test_clear_clusters_are_found(consensus, partitions):
    model = ensemble(consensus, n_clusters=4, partitions=partitions, features=0.75, **SMALL)
    first, *rest = tiers()
    model.fit(X, constraints=first)
    assert score("nmi", Y, model.labels_) > 0.9
    for tier in rest:
        assert score("nmi", Y, model.partial_fit(tier).labels_) > 0.9
    assert model.converged_
    assert model.offline_seconds_ > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"consensus": "spectral"},
        *({"consensus": c, "update": u} for c in CONSENSUS[1:] for u in ("full", "relaxed")),
    ],
)
def test_an_update_needs_no_partitions_anew_and_repeats(settings):
    first, second, _ = tiers()
    a, b = (ensemble(**settings, n_clusters=4, **SMALL).fit(X, constraints=first) for _ in range(2))
    L = a.partitions_.copy()
    a.partial_fit(second)
    b.partial_fit(second)
    assert np.array_equal(a.labels_, b.labels_)
    assert np.array_equal(a.partitions_, L)
    if settings["consensus"] != "spectral":
        assert a.weights_.min() >= 0
        assert a.weights_.sum() == pytest.approx(1)


@pytest.mark.parametrize("consensus", CONSENSUS)
def test_an_empty_tier_changes_nothing(consensus):
    model = ensemble(consensus, n_clusters=4, **SMALL).fit(X, constraints=tiers()[0])
    labels = model.labels_.copy()
    model.partial_fit(Constraints.empty(len(X)))
    assert np.array_equal(model.labels_, labels)


@pytest.mark.parametrize("make", [SCSC, LandmarkEnsemble])
def test_a_tier_takes_all_forms_of_constraints(make):
    a, b, c = (make(n_clusters=4, **SMALL).fit(X, constraints=tiers()[0]) for _ in range(3))
    pairs = [(0, 1, "must"), (2, 3, "cannot")]
    a.partial_fit(constraints=Constraints([(0, 1)], [(2, 3)], n_samples=len(X)))
    b.partial_fit(constraints=pairs)
    c.partial_fit(constraints=pd.DataFrame(pairs, columns=["a", "b", "kind"]))
    assert np.array_equal(a.labels_, b.labels_)
    assert np.array_equal(a.labels_, c.labels_)


@pytest.mark.parametrize("consensus", CONSENSUS)
def test_links_are_optional_and_may_be_of_one_kind(consensus):
    links = tiers()[0]
    n = len(X)
    model = ensemble(consensus, n_clusters=4, **SMALL).fit(X)
    model.partial_fit(Constraints(links.must_links, n_samples=n))
    model.partial_fit(Constraints((), links.cannot_links, n_samples=n))
    assert set(model.labels_) <= set(range(4))


def test_relaxed_weights_move_away_from_partitions_that_break_links():
    model = SCSC(n_clusters=4, features=1, C=20.0, **SMALL)
    links = tiers(per_tier=200)[0]
    model.fit(X, constraints=links)
    broken = [len(links.violated(row)) for row in model.partitions_]
    assert model.weights_[np.argmin(broken)] > model.weights_[np.argmax(broken)]


def test_full_update_lowers_the_loss_of_the_links():
    links = tiers(per_tier=200)[0]
    model = SCSC(n_clusters=4, features=1, update="full", lam=0.1, **SMALL).fit(X, constraints=links)
    assert model.objective_[-1] < model.objective_[0]
    assert model.n_iter_ == len(model.objective_) - 1


def test_spectral_consensus_learns_the_same_from_parts_as_at_once():
    first, second, third = tiers()
    parts = (
        LandmarkEnsemble(n_clusters=4, **SMALL)
        .fit(X, constraints=first)
        .partial_fit(second)
        .partial_fit(third)
    )
    whole = LandmarkEnsemble(n_clusters=4, **SMALL).fit(X, constraints=first | second | third)
    assert np.array_equal(parts.labels_, whole.labels_)


def test_links_lift_the_consensus_on_digits_far_above_kmeans():
    data = load_dataset("optdigits_test")
    model = LandmarkEnsemble(n_clusters=10, n_partitions=10, random_state=0)
    found = []
    for number, tier in enumerate(tiers(data.y, 100, 5, "optdigits_test")):
        model = model.partial_fit(tier) if number else model.fit(data.X, constraints=tier)
        found.append(score("nmi", data.y, model.labels_))
    plain = score("nmi", data.y, KMeans(n_clusters=10, random_state=0).fit(data.X).labels_)
    assert min(found) > plain + 0.05
    assert found[-1] > found[0]


def test_samples_outside_memory_give_the_same_labels(tmp_path):
    expected = LandmarkEnsemble(n_clusters=4, **SMALL).fit(X, constraints=tiers()[0])
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    model = LandmarkEnsemble(n_clusters=4, labels_path=str(tmp_path / "labels.npy"), **SMALL)
    model.fit(mapped, constraints=tiers()[0])
    assert np.array_equal(model.labels_, expected.labels_)
    assert np.array_equal(np.load(tmp_path / "labels.npy"), expected.partitions_)
    assert np.load(tmp_path / "labels.npy", mmap_mode="r").dtype == np.uint8


def test_the_offline_step_holds_a_small_part_of_the_file_in_memory(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "x.npy"
    np.save(path, rng.random((60_000, 250), dtype=np.float32))
    model = SCSC(n_clusters=3, n_partitions=2, sample_size=500, random_state=0)
    tracemalloc.start()
    model.fit(np.load(path, mmap_mode="r"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < path.stat().st_size / 3


def test_partitions_learned_from_a_sample_label_everything():
    model = LandmarkEnsemble(n_clusters=4, sample_size=100, **SMALL).fit(X, constraints=tiers()[0])
    assert len(model.labels_) == len(X)
    assert score("nmi", Y, model.labels_) > 0.9


def test_partitions_made_elsewhere():
    built = LandmarkEnsemble(n_clusters=4, **SMALL).fit(X, constraints=tiers()[0])
    again = LandmarkEnsemble(n_clusters=4, **SMALL)
    again._fit_consensus(built.partitions_, tiers()[0], np.random.SeedSequence(0).spawn(2)[1], 0.0)
    assert np.array_equal(again.labels_, built.labels_)


def test_more_than_255_clusters():
    rng = np.random.default_rng(0)
    many = rng.standard_normal((900, 3))
    model = SCSC(n_clusters=300, n_partitions=3, features=2, random_state=0)
    model.fit(many)
    assert model.partitions_.dtype == np.uint16
    assert model.partitions_.max() > 255
    assert model.labels_.max() > 255


@pytest.mark.parametrize("features", [0, 0.0, -1, 1.5])
def test_a_feature_subset_has_at_least_one_feature(features):
    with pytest.raises(ParameterError, match=rf"'features'.*SCSC.* {features}\.$"):
        SCSC(n_clusters=2, features=features).fit(X)


def test_share_of_features_is_rounded_up_and_a_number_may_not_exceed_them():
    assert SCSC()._n_features(64) == 4
    assert SCSC()._n_features(3) == 1
    assert SCSC(features=1.0)._n_features(3) == 3
    with pytest.raises(ParameterError, match=r"'features'.*SCSC.*\b8\b.*\b9\b"):
        SCSC(n_clusters=2, features=9).fit(X)


def test_bad_calls():
    with pytest.raises(NotFittedError):
        SCSC(n_clusters=2).partial_fit(Constraints.empty(5))
    model = SCSC(n_clusters=4, **SMALL).fit(X)
    with pytest.raises(ConstraintError, match=r"501.*X.*500"):
        model.partial_fit(Constraints([(0, 500)], n_samples=501))
    with pytest.raises(ConstraintError, match=r"500.*\b0\b.*499"):
        Constraints([(0, 500)], n_samples=500)
    with pytest.raises(ConstraintError):
        model.partial_fit([(0, 1)])
    with pytest.raises(ParameterError, match=r"'consensus'.*SCSC.*'spectral'"):
        SCSC(n_clusters=2, consensus="spectral").fit(X)


def test_fewer_samples_than_landmarks_and_repeated_samples():
    tiny = np.repeat(np.arange(4.0), 3)[:, None]
    for consensus in CONSENSUS:
        assert len(ensemble(consensus, n_clusters=3, **SMALL).fit(tiny).labels_) == 12


def test_scsc_is_the_published_method():
    # One tier by hand: the simplex projection (11) of the weights, and the largest entry of each row of F.
    links = tiers()[0]
    model = SCSC(n_clusters=4, n_partitions=6, features=2, random_state=0).fit(X, constraints=links)
    m, L = 6, model.partitions_
    broken = np.array([len(links.violated(row)) for row in L]) / len(links) / m
    v = np.full(m, 1 / m) - model.C / (2 * model.lam) * broken
    ordered = np.sort(v)[::-1]
    theta = [(ordered[: j + 1].sum() - 1) / (j + 1) for j in range(m)]
    rho = max(j for j in range(m) if ordered[j] > theta[j])
    gamma = np.maximum(v - theta[rho], 0)
    np.testing.assert_allclose(model.weights_, gamma, atol=1e-12)
    F = np.zeros((len(X), 4))
    for weight, row in zip(gamma, L, strict=True):
        F[np.arange(len(X)), row] += weight
    largest = F.max(axis=1)
    assert (F[np.arange(len(X)), model.labels_] >= largest - 1e-12).all()


@pytest.mark.parametrize("make", [SCSC, LandmarkEnsemble])
def test_fits_to_the_same_samples_share_the_partitions_that_they_have_in_common(make, monkeypatch):
    built = []
    build = _partitions.build

    def counted(rows, L, *rest):
        built.append(len(L))
        return build(rows, L, *rest)

    monkeypatch.setattr(_partitions, "build", counted)
    X = np.random.default_rng(0).normal(size=(60, 4))

    def fit(m):
        return make(n_clusters=3, n_partitions=m, features=0.5, random_state=1).fit(X)

    alone = {m: fit(m) for m in (100, 50)}
    built.clear()
    shared.forget()
    with shared.sharing(X):
        together = {m: fit(m) for m in (100, 50)}
    shared.forget()
    assert built == [50, 50]
    for m, model in alone.items():
        np.testing.assert_array_equal(model.partitions_, together[m].partitions_)
        np.testing.assert_array_equal(model.labels_, together[m].labels_)
