"""Samples of any size that a float can hold: computed with, or refused with a sentence."""

from dataclasses import replace

import numpy as np
import pytest

from cscluster import KMeans, MetricClusterer
from cscluster.algorithms.base import LARGEST, SMALLEST, MetricLearner
from cscluster.algorithms.partition.kmeans import quick_kmeans
from cscluster.algorithms.registry import BUILT_IN
from cscluster.errors import DataError
from cscluster.selection import auto
from cscluster.testing.contract import Subject
from tests.contract.forms import FEWER, forms

ALL = pytest.mark.parametrize("algorithm", BUILT_IN, ids=lambda algorithm: algorithm.name)


def subject_of(algorithm):
    return Subject(replace(algorithm, params={**algorithm.params, **FEWER.get(algorithm.name, {})}))


@ALL
@pytest.mark.parametrize("scale", [1e-300, 0.01 * SMALLEST, LARGEST, 1e150, 1e300])
def test_extreme_samples_are_refused(algorithm, scale):
    subject = subject_of(algorithm)
    X, _, constraints = subject.samples()
    with pytest.raises(DataError, match="Standardise the features"):
        subject.fit(scale * X, constraints)


@pytest.mark.parametrize("algorithm", forms())
@pytest.mark.parametrize("scale", [100 * SMALLEST, 1e-30, 1e30, 0.01 * LARGEST])
def test_others_give_labels_or_a_sentence(algorithm, scale, monkeypatch):
    if algorithm.name == "auto":
        monkeypatch.setattr(auto, "CANDIDATES", (auto.Candidate("rca", "pckmeans"),))
    subject = subject_of(algorithm)
    X, _, constraints = subject.samples()
    with np.errstate(over="raise"):
        subject.answer(scale * X, constraints)


def test_new_samples_may_lie_close_together_but_not_far_out():
    model = KMeans(n_clusters=2, random_state=0).fit([[0.0], [0.1], [5.0]])
    assert model.predict([[0.0], [1e-200]]).tolist() == model.predict([[0.0], [0.0]]).tolist()
    with pytest.raises(DataError, match="Standardise the features"):
        model.predict([[1e200]])


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_many_samples_are_clustered_in_single_precision_only_if_they_fit(scale):
    X = np.random.default_rng(0).normal(size=(25_000, 2)) + 8 * (np.arange(25_000) % 2)[:, None]
    labels = quick_kmeans(scale * X, 2, 0).labels_
    assert np.ptp(labels[::2]) == np.ptp(labels[1::2]) == 0
    assert labels[0] != labels[1]


class Stretched(MetricLearner):
    """Multiplies samples by a number that no sample of a user may have."""

    def fit(self, X, y=None, constraints=None):
        self._validate(X, y, constraints)
        return self

    _n_features_out = 1

    def transform(self, X):
        return 1e100 * np.asarray(X)


def test_a_learned_metric_may_have_any_unit():
    model = MetricClusterer(metric=Stretched(), n_clusters=2, random_state=0).fit([[0.0], [0.1], [5.0]])
    assert model.labels_[0] == model.labels_[1] != model.labels_[2]
    assert model.predict([[4.9]]) == model.labels_[2]
