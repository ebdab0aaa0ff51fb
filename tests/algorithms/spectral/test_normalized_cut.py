import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from cscluster import NormalizedCut, load_dataset
from cscluster.algorithms.spectral import normalized_cut
from cscluster.algorithms.spectral.normalized_cut import DenseAffinity, LowRankAffinity, threshold_cut
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.kernels import Kernel
from cscluster.metrics.scores import score


def ncut(W, labels):
    return sum(
        W[labels == c][:, labels != c].sum() / W[labels == c].sum() for c in np.unique(labels)
    )  # fmt: skip


def test_objective_is_the_normalized_cut():
    X = load_dataset("iris").X.astype(float)
    W = Kernel.of("gaussian", X, 0.5, "median")(X)
    for k in (2, 3):
        model = NormalizedCut(n_clusters=k, random_state=0).fit(X)
        assert model.objective_[0] == pytest.approx(ncut(W, model.labels_))
        assert np.ptp(model.embedding_[:, 0]) < 1e-8


def test_finds_the_best_cut_of_well_separated_samples():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(5, 2)), rng.normal(5, 1, size=(6, 2))])
    W = Kernel.of("gaussian", X, 0.5, "median")(X)
    model = NormalizedCut().fit(X)
    best = min(ncut(W, np.array([0, *y])) for y in itertools.product((0, 1), repeat=10) if any(y))
    assert model.objective_[0] == pytest.approx(best)


def test_threshold_is_the_best_of_all():
    rng = np.random.default_rng(1)
    F = rng.uniform(size=(30, 4))
    values = rng.normal(size=30)
    labels, cut = threshold_cut(DenseAffinity(F @ F.T), values, "ncut")
    splits = [ncut(F @ F.T, (values > v).astype(int)) for v in np.sort(values)[:-1]]
    assert cut == pytest.approx(min(splits))
    low_rank_labels, low_rank_cut = threshold_cut(LowRankAffinity(F), values, "ncut")
    assert low_rank_cut == pytest.approx(cut)
    assert np.array_equal(low_rank_labels, labels)


def test_split_at_zero_follows_the_sign():
    data = load_dataset("optdigits_3_8")
    model = NormalizedCut(sigma=2, split="zero").fit(data.X)
    assert np.array_equal(model.labels_ == 1, model.embedding_[:, 1] > 0)
    assert score("error", data.y, model.labels_) == pytest.approx(0.064, abs=0.005)  # zhang2009, Table IV


def test_lanczos_and_nystroem_agree_with_lapack(monkeypatch):
    X = load_dataset("synthetic_moons").X
    exact = NormalizedCut(sigma=0.2, random_state=0).fit(X)
    nystroem = NormalizedCut(sigma=0.2, n_landmarks=200, random_state=0).fit(X)
    monkeypatch.setattr(normalized_cut, "_SMALL", 1000)
    lapack = NormalizedCut(sigma=0.2).fit(X)
    assert score("ari", lapack.labels_, exact.labels_) == 1
    assert score("ari", lapack.labels_, nystroem.labels_) > 0.98
    assert nystroem.objective_[0] == pytest.approx(lapack.objective_[0], abs=0.02)


def test_a_width_too_small_for_lanczos_still_gives_a_cut():
    X = np.random.default_rng(0).normal(size=(400, 10))
    model = NormalizedCut(sigma=0.05, random_state=0).fit(X)
    assert set(model.labels_) == {0, 1}
    assert model.objective_[0] < 1e-6


def test_a_matrix_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("cscluster.arrays.psutil.virtual_memory", lambda: SimpleNamespace(available=1000))
    with pytest.raises(DataError, match="'n_landmarks'"):
        NormalizedCut().fit(np.arange(20.0)[:, None])


def test_a_cut_needs_two_landmarks():
    with pytest.raises(ParameterError, match=r"'n_landmarks'.*NormalizedCut.*\b2\b"):
        NormalizedCut(n_clusters=2, n_landmarks=1).fit(np.arange(12.0).reshape(6, 2))
