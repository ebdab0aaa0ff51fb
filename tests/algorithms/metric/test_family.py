"""What all metric learners have in common."""

import warnings

import numpy as np
import pandas as pd
import pytest

from cscluster import Constraints, MetricClusterer
from cscluster.algorithms import registry
from cscluster.algorithms.base import MetricLearner

NAMES = [entry.name for entry in registry.BUILT_IN if entry.family == "metric"]
PUBLISHED = {
    "rca": {"shrinkage": 0.0},
    "dca": {"shrinkage": 0.0},
    "erca": {"shrinkage": 0.0, "whitening": "last"},
    "xing": {"log_det": 0.0, "shrinkage": 0.2},
    "itml": {"prior": "identity", "gamma": 1.0},
    "lmnn": {"shrinkage": 0.0},
    "llma": {"solver": "spectral"},
    "kernel_beta": {"center": False},
    "trace_ratio": {"shrinkage": 0.0},
    "trace_ratio_nonlinear": {"shrinkage": 0.0, "map": "nonlinear", "window": "auto"},
    "xiang": {"shrinkage": 0.0, "alpha": 0.0},
    "sdml": {},
}
X = np.random.default_rng(0).normal(size=(30, 4)) * [1.0, 5.0, 0.2, 1.0]
CONSTRAINTS = Constraints(
    [(i, i + 15) for i in range(8)], [(i, i + 1) for i in range(0, 12, 2)], n_samples=30
)


def learner(name, published=False):
    entry = registry.find(name)
    return entry.load()(**(entry.published() if published else entry.params))


@pytest.mark.parametrize("name", NAMES)
def test_published_values_stand_beside_the_defaults(name):
    entry = registry.find(name)
    assert entry.published() == PUBLISHED[name]
    for parameter in PUBLISHED[name].keys() - entry.params.keys():
        assert entry.parameters()[parameter].why


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_columns_of_a_data_frame_have_names(name, published):
    model = learner(name, published).set_output(transform="pandas")
    frame = model.fit(X, constraints=CONSTRAINTS).transform(X)
    assert isinstance(frame, pd.DataFrame)
    prefix = type(model).__name__.lower()
    assert frame.columns.tolist() == [f"{prefix}{number}" for number in range(frame.shape[1])]
    assert model.get_feature_names_out().tolist() == frame.columns.tolist()
    plain = learner(name, published).fit_transform(X, constraints=CONSTRAINTS)
    np.testing.assert_array_equal(frame.to_numpy(), plain)


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_without_constraints_one_warning_says_that_the_metric_is_the_prior(name, published):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = learner(name, published).fit(X)
    assert [str(each.message).endswith("the metric is the prior.") for each in caught] == [True]
    Z = model.transform(X)
    assert np.isfinite(Z).all()
    assert Z.std(axis=0).min() > 0
    assert len(model.get_feature_names_out()) == Z.shape[1]


@pytest.mark.filterwarnings("ignore:.* got no")
@pytest.mark.parametrize("kind", ["must", "cannot"])
@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_one_kind_of_constraint_is_enough_to_cluster(name, published, kind):
    given = [(0, 1, kind), (2, 3, kind)]
    model = MetricClusterer(metric=learner(name, published), n_clusters=2, random_state=0)
    assert set(model.fit(X, constraints=given).labels_) == {0, 1}


@pytest.mark.parametrize("name", NAMES)
def test_partial_labels_are_constraints(name):
    y = np.full(30, -1)
    y[:6] = [0, 0, 1, 1, 2, 2]
    a, b = learner(name), learner(name)
    a.fit(X, y)
    b.fit(X, constraints=Constraints.from_partial_labels(y))
    np.testing.assert_array_equal(a.transform(X), b.transform(X))
    assert isinstance(a, MetricLearner)
