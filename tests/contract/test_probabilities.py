"""Probabilities of clusters, of every method that has them."""

import numpy as np
import pytest

from cscluster import RCA, ConstrainedGMM, Constraints, Guarded, MetricClusterer
from cscluster.algorithms.build import build
from cscluster.algorithms.registry import BUILT_IN
from cscluster.constraints.sampling import random_pairs

SPLITS = ["iter_svm", "iter_svr", "iter_lssvm"]
HAVE = ["constrained_gmm", "pmmc", "cpcmmc", "cpmmc", *SPLITS]


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[y] + rng.normal(size=(60, 2))
    return X, Constraints.from_labels(random_pairs(60, 30, rng), y)


def fitted(name, clouds, n_clusters):
    X, constraints = clouds
    return build(name, {}, n_clusters, 0).fit(X, constraints=constraints)


def test_methods_of_the_mixture_and_margin_families_have_them():
    having = [each.name for each in BUILT_IN if hasattr(each.load(), "predict_proba")]
    assert set(having) == {*HAVE, "auto"}


@pytest.mark.parametrize("name", HAVE)
def test_the_most_likely_of_two_clusters_is_the_predicted_one(name, clouds):
    model = fitted(name, clouds, 2)
    P = model.predict_proba(clouds[0])
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (P >= 0).all()
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(clouds[0]))


@pytest.mark.parametrize("name", HAVE)
def test_more_clusters(name, clouds):
    model = fitted(name, clouds, 3)
    P = model.predict_proba(clouds[0])
    assert P.shape == (60, 3)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    if name not in SPLITS:  # the most likely way through several splits may have an unlikely end
        np.testing.assert_array_equal(P.argmax(axis=1), model.predict(clouds[0]))


def test_joined_and_guarded_methods_hand_them_on(clouds):
    X, constraints = clouds
    joined = MetricClusterer(metric=RCA(), clusterer=ConstrainedGMM(), n_clusters=3, random_state=0)
    guarded = Guarded(joined, random_state=0).fit(X, constraints=constraints)
    joined.fit(X, constraints=constraints)
    np.testing.assert_array_equal(joined.predict_proba(X).argmax(axis=1), joined.predict(X))
    assert hasattr(guarded, "predict_proba") != guarded.uses_baseline_
    assert not hasattr(MetricClusterer(metric=RCA()), "predict_proba")
