"""The package as a notebook sees it."""

import ast
import inspect

import mypy.api
import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cscluster
from cscluster import PMMC, RCA, Constraints, KMeans, PCKMeans, load_dataset
from cscluster.algorithms.registry import BUILT_IN
from cscluster.data.recipe import Recipe
from cscluster.errors import ConstraintError

CLASSES = {algorithm.target.partition(":")[2] for algorithm in BUILT_IN}


@pytest.fixture(scope="module")
def blobs():
    return load_dataset(Recipe(generator="blobs", size=60, seed=1))


@pytest.fixture(scope="module")
def links(blobs):
    pairs = np.random.default_rng(0).integers((0, 30), (30, 60), (20, 2))
    return Constraints.from_labels(pairs, blobs.y)


def test_every_public_name_is_listed_and_found():
    assert set(dir(cscluster)) >= CLASSES | {"Constraints", "MetricClusterer", "load_dataset", "run"}
    for name in dir(cscluster):
        assert getattr(cscluster, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'cscluster'.*'PMMD'"):
        cscluster.PMMD  # noqa: B018


OTHERS = {
    "Guarded",
    "HeldOutSearch",
    "cluster",
    "load_dataset",
    "load_model",
    "read_constraints",
    "run",
    "save_model",
}


def test_type_checkers_see_every_name():
    tree = ast.parse(inspect.getsource(cscluster))
    (block,) = (n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    imported = {alias.asname: node.module for node in block.body for alias in node.names}
    assert {name: getattr(cscluster, name).__module__ for name in CLASSES | OTHERS} == {
        name: module for name, module in imported.items() if name not in ("Constraints", "MetricClusterer")
    }
    assert set(imported) == set(dir(cscluster)) - {"__version__"}


def test_type_checkers_see_the_parameters_of_constructors(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from cscluster.algorithms.partition.pckmeans import PCKMeans\n"
        "PCKMeans(n_clusters=3, w=2.0)\n"
        "PCKMeans(n_cluster=3)\n"
    )
    said, _, status = mypy.api.run([str(path)])
    assert status == 1
    (problem,) = (line for line in said.splitlines() if "error:" in line)
    assert ':3: error: Unexpected keyword argument "n_cluster" for "PCKMeans"' in problem


@pytest.mark.parametrize(
    "estimator", [PMMC(n_clusters=3, random_state=0), PCKMeans(n_clusters=3, random_state=0)]
)
def test_a_clusterer_ends_a_pipeline(estimator, blobs, links):
    step = type(estimator).__name__.lower()
    pipeline = make_pipeline(StandardScaler(), estimator)
    fitted = clone(pipeline).fit(blobs.X, **{f"{step}__constraints": links})
    Z = StandardScaler().fit_transform(blobs.X)
    alone = clone(estimator).fit(Z, constraints=links)
    without = KMeans(n_clusters=3, random_state=0).fit(Z)
    assert np.array_equal(fitted[-1].labels_, alone.labels_)
    assert np.array_equal(fitted.predict(blobs.X), alone.predict(Z))
    found = clone(pipeline).fit_predict(blobs.X, **{f"{step}__constraints": links})
    assert np.array_equal(found, alone.labels_)
    assert len(links.violated(alone.labels_)) < len(links.violated(without.labels_)), (
        "the constraints must matter"
    )


def test_a_metric_learner_stands_inside_a_pipeline_and_at_its_end(blobs, links):
    Z = StandardScaler().fit_transform(blobs.X)
    learned = RCA().fit(Z, constraints=links)
    pipeline = make_pipeline(StandardScaler(), RCA(), KMeans(n_clusters=3, random_state=0))
    pipeline.fit(blobs.X, rca__constraints=links)
    assert np.array_equal(pipeline[1].components_, learned.components_)
    assert not np.array_equal(pipeline[1].components_, RCA().fit(Z).components_)
    assert set(pipeline.predict(blobs.X)) == {0, 1, 2}
    last = make_pipeline(StandardScaler(), RCA()).fit(blobs.X, rca__constraints=links)
    assert np.allclose(last.transform(blobs.X), learned.transform(Z))


def test_links_reach_the_steps_of_a_pipeline_by_metadata_routing(blobs, links):
    with config_context(enable_metadata_routing=True):
        learner = RCA().set_fit_request(constraints=True)
        clusterer = PCKMeans(n_clusters=3, random_state=0).set_fit_request(constraints=True)
        pipeline = make_pipeline(StandardScaler(), learner, clusterer)
        fitted = clone(pipeline).fit(blobs.X, constraints=links)
        found = clone(pipeline).fit_predict(blobs.X, constraints=links)
    Z = StandardScaler().fit_transform(blobs.X)
    mapped = RCA().fit(Z, constraints=links).transform(Z)
    alone = PCKMeans(n_clusters=3, random_state=0).fit(mapped, constraints=links)
    assert np.array_equal(fitted[-1].labels_, alone.labels_)
    assert np.array_equal(found, alone.labels_)
    assert not np.allclose(
        fitted[1].components_, make_pipeline(StandardScaler(), RCA()).fit(blobs.X)[1].components_
    )


def test_a_full_target_is_taken_as_labels_with_a_warning(blobs):
    with pytest.warns(UserWarning, match="y has no -1"):
        labelled = PCKMeans(n_clusters=3, random_state=0).fit(blobs.X, blobs.y)
    partial = np.where(np.arange(60) == 0, -1, blobs.y)
    assert len(np.unique(labelled.labels_[blobs.y == 0])) == 1
    assert PCKMeans(n_clusters=3, random_state=0).fit(blobs.X, partial).labels_.shape == (60,)
    with pytest.raises(ConstraintError, match=r"\by\b.*integer.*\b60 samples"):
        PCKMeans(n_clusters=3).fit(blobs.X, blobs.X[:, 0])


def test_constraints_as_second_argument_work_for_one_version(blobs, links):
    expected = PCKMeans(n_clusters=3, random_state=0).fit(blobs.X, constraints=links)
    with pytest.warns(FutureWarning, match=r"fit\(X, constraints=...\)"):
        found = PCKMeans(n_clusters=3, random_state=0).fit(blobs.X, links)
    assert np.array_equal(found.labels_, expected.labels_)


def test_constraints_as_second_argument_join_others_of_any_form(blobs, links):
    expected = PCKMeans(n_clusters=3, random_state=0)
    expected.fit(blobs.X, constraints=links | Constraints([(0, 1)], n_samples=60))
    with pytest.warns(FutureWarning, match=r"fit\(X, constraints=...\)"):
        found = PCKMeans(n_clusters=3, random_state=0).fit(blobs.X, links, [(0, 1, "must")])
    assert np.array_equal(found.labels_, expected.labels_)


def test_a_constraint_that_contradicts_labels_is_named():
    y = np.repeat([0, 1, -1], 5)
    X = np.arange(15.0)[:, None]
    with pytest.raises(ConstraintError, match=r"\b3\b.*\b8\b.*must-linked.*\b0\b.*\b1\b"):
        PCKMeans().fit(X, y, constraints=[(8, 3, "must")])
    with pytest.raises(ConstraintError, match=r"\b1\b.*\b4\b.*cannot-linked.*\(1 more"):
        PCKMeans().fit(X, y, constraints=[(1, 4, "cannot"), (6, 9, "cannot")])
    with pytest.raises(ConstraintError, match=r"\b0\b.*\b5\b.*must-links.*\(4 more"):
        PCKMeans().fit(X, y, constraints=[(3, 12, "must"), (12, 8, "must")])


def test_labels_of_several_lengths_are_refused():
    with pytest.raises(ConstraintError, match=r"\by\b.*integer.*\b2 samples"):
        PCKMeans().fit([[0.0], [1.0]], [[1], [2, 3]])
