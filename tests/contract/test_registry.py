"""What every registered algorithm must do, whatever it is."""

import inspect
import sys

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from sklearn.base import clone

from cscluster import Constraints, MetricClusterer
from cscluster.algorithms.registry import BUILT_IN
from cscluster.constraints.schedules import random_pairs
from cscluster.data.preprocessing import STEPS

ALL = pytest.mark.parametrize("algorithm", BUILT_IN, ids=lambda algorithm: algorithm.name)


def toy(n_clusters, seed=0):
    """Return well separated samples with forty links."""
    rng = np.random.default_rng(seed)
    y = np.arange(60) % n_clusters
    X = rng.normal(size=(60, 4)) + 6 * np.eye(4)[y]
    return X, y, Constraints.from_labels(random_pairs(60, 40, rng), y)


def build(algorithm, **params):
    n_clusters = 2 if "binary" in algorithm.tags else 3
    given = {"n_clusters": n_clusters, "random_state": 0, **params}
    known = algorithm.defaults()
    part = algorithm.load()(**{**algorithm.preset, **{k: v for k, v in given.items() if k in known}})
    return MetricClusterer(part, n_clusters=n_clusters, random_state=0) if algorithm.is_metric else part


def data_for(algorithm):
    return toy(2 if "binary" in algorithm.tags else 3)


@ALL
def test_table_and_constructor_agree(algorithm):
    signature = inspect.signature(algorithm.load())
    table = algorithm.parameters()
    assert list(table) == list(signature.parameters) or set(table) == set(signature.parameters)
    for name, default in algorithm.defaults().items():
        assert default is inspect.Parameter.empty or table[name].allows(default), name
        assert table[name].meaning


@ALL
def test_documentation(algorithm):
    text = inspect.getdoc(algorithm.load())
    for section in ("Parameters\n---", "References\n---"):
        assert section in text
    for name in inspect.signature(algorithm.load()).parameters:
        assert name in text, name
    assert all(step in STEPS for step in algorithm.preprocess)


@ALL
def test_fit_gives_a_partition_and_leaves_its_input_alone(algorithm):
    X, _, links = data_for(algorithm)
    before = X.copy()
    X.setflags(write=False)
    model = build(algorithm).fit(X, links)
    assert np.array_equal(X, before)
    assert model.labels_.shape == (60,)
    assert np.issubdtype(model.labels_.dtype, np.integer)
    assert set(np.unique(model.labels_)) <= set(range(model.n_clusters))
    assert isinstance(model.n_iter_, (int, np.integer))
    assert isinstance(model.converged_, (bool, np.bool_))
    assert np.ndim(model.objective_) == 1


@ALL
def test_the_same_seed_gives_the_same_labels(algorithm):
    X, _, links = data_for(algorithm)
    model = build(algorithm)
    first = model.fit(X, links).labels_.copy()
    assert np.array_equal(clone(model).fit(X, links).labels_, first)
    assert np.array_equal(model.fit_predict(np.asfortranarray(X), links), first)


@ALL
def test_predict_agrees_with_fit_in_shape_and_range(algorithm):
    X, _, links = data_for(algorithm)
    model = build(algorithm).fit(X, links)
    if "inductive" not in algorithm.tags:
        pytest.skip(f"{algorithm.name} does not generalise")
    predicted = model.predict(X[:7] + 0.01)
    assert predicted.shape == (7,)
    assert set(np.unique(predicted)) <= set(range(model.n_clusters))


@ALL
def test_sparse_input_where_it_is_promised(algorithm):
    if "sparse" not in algorithm.tags:
        pytest.skip(f"{algorithm.name} takes dense input")
    from scipy.sparse import csr_array

    X, _, links = data_for(algorithm)
    X = np.where(np.abs(X) < 1, 0.0, X)
    labels = build(algorithm).fit(csr_array(X), links).labels_
    assert labels.shape == (60,)


def modules_behind(module, seen):
    """Return a module of the package and all modules of the package that it imports."""
    if module.__name__ not in seen:
        seen[module.__name__] = module
        for value in vars(module).values():
            name = getattr(value, "__module__", None) or getattr(value, "__name__", "")
            if isinstance(name, str) and name.startswith("cscluster.") and name in sys.modules:
                modules_behind(sys.modules[name], seen)
    return seen.values()


@ALL
def test_compiled_algorithms_say_so(algorithm):
    modules = modules_behind(sys.modules[algorithm.load().__module__], {})
    compiled = any(isinstance(value, Dispatcher) for module in modules for value in vars(module).values())
    assert compiled == ("compiled" in algorithm.tags)


def test_names_are_unique_and_public():
    import cscluster

    names = [algorithm.name for algorithm in BUILT_IN]
    assert len(set(names)) == len(names)
    for algorithm in BUILT_IN:
        assert getattr(cscluster, algorithm.target.partition(":")[2]) is algorithm.load()
