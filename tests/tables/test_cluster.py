"""A table and constraints from Python."""

import numpy as np
import pandas as pd
import pytest

import cscluster
from cscluster.algorithms import registry
from cscluster.algorithms.build import title
from cscluster.constraints.sampling import random_pairs
from cscluster.errors import ConstraintError, DataError, InfeasibleError, ParameterError

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": np.concatenate([RNG.normal(0, 1, 20), RNG.normal(9, 1, 20)]),
        "y": RNG.normal(0, 1, 40),
        "side": ["left"] * 20 + ["right"] * 20,
        "known": ["l"] + [""] * 19 + ["r"] * 2 + [""] * 18,
    },
    index=[f"r{i}" for i in range(40)],
)
LINKS = [("r0", "r5", "must"), ("r0", "r30", "cannot")]
HARD = [("r0", "r30", "cannot", "hard")]


def cluster(**changes):
    chosen = {"n_clusters": 2, "algorithm": "pckmeans", "ignore": ["known"], **changes}
    return cscluster.cluster(chosen.pop("table", FRAME), chosen.pop("constraints", LINKS), **chosen)


def test_a_data_frame_and_tuples(tmp_path):
    found = cluster()
    assert sorted(found.sizes.tolist()) == [20, 20]
    assert found.to_frame().loc["r0", "cluster"] == found.labels[0] != found.labels[30]
    assert found.clusters[found.labels[0]].traits[0].title in ("x", "side = left")
    assert repr(found) == "ClusteringResult(PCK-Means: sizes [20, 20], 2 of 2 constraints satisfied)"
    assert "side = left 100% (others 0%)" in found._repr_html_()

    cscluster.save_model(found, tmp_path / "m.zip")
    model = cscluster.load_model(tmp_path / "m.zip")
    assert np.array_equal(model.predict(FRAME[["side", "y", "x"]]), found.labels)


def test_partial_labels_are_constraints():
    of_labels = {"constraints": None, "labels": "known", "algorithm": "cop_kmeans"}
    found = cluster(**of_labels, ignore=[], features=["y"])
    assert found.labels[20] == found.labels[21] != found.labels[0]
    assert len(found.constraints.hard) == 0
    assert len(cluster(**of_labels, ignore=[], hard=True).constraints.hard) >= 3


def test_arrays_and_names_of_data_sets():
    pairs = ([(0, 1)], [(0, 100)])
    array = cluster(table=FRAME[["x", "y"]].to_numpy(), constraints=([(0, 1)], [(0, 30)]), ignore=[])
    assert sorted(array.sizes.tolist()) == [20, 20]
    assert cluster(table="iris", constraints=pairs, ignore=[], n_clusters=3).scores["ari"] > 0.5


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"n_clusters": 1}, ParameterError, r"clusters.*\b2\b.*'auto'.*\b1\b"),
        ({"algorithm": "auto", "params": {"w": 1}}, ParameterError, "name of an algorithm"),
        ({"algorithm": "auto", "guard": True}, ParameterError, "name of an algorithm"),
        ({"algorithm": "kmeans", "guard": True}, ParameterError, "'kmeans'.*no constraints"),
        ({"clusterer": "kmeans"}, ParameterError, "metric learner.*'pckmeans'"),
        ({"params": {"v": 1}}, ParameterError, "parameter 'v'"),
        ({"params": {"fallback": False}}, ParameterError, "parameter 'fallback'.*guard: true"),
        ({"params": {"joint": False}}, ParameterError, "parameter 'joint'.*labels"),
        (
            {"constraints": HARD},
            ConstraintError,
            "PCK-Means.*hard constraints.*pccc.*cop_kmeans",
        ),
        (
            {"constraints": HARD, "guard": True},
            ConstraintError,
            "PCK-Means.*hard constraints",
        ),
        ({"constraints": [("r0", "r99", "must")]}, ConstraintError, "number 0: .*sample 'r99'"),
        ({"constraints": [*LINKS, ("r5", "r30", "must")]}, ConstraintError, "'r0' - 'r5' - 'r30'"),
        ({"contradictions": "ignore"}, ParameterError, "refuse, keep or drop.*'ignore'"),
        ({"table": 7}, DataError, r"matrix.*\bint\b"),
        ({"target": "kind"}, DataError, "column 'kind'"),
    ],
)
def test_wrong_input_is_one_sentence(changes, error, says):
    with pytest.raises(error, match=says):
        cluster(**changes)


def test_the_earlier_names_of_constraints_work_with_a_warning():
    with pytest.warns(FutureWarning, match="constraints"):
        found = cscluster.cluster(FRAME, links=LINKS, n_clusters=2, algorithm="pckmeans", ignore=["known"])
    assert len(found.constraints) == 2
    with pytest.warns(FutureWarning, match="constraints"):
        assert found.links is found.constraints
    with pytest.warns(FutureWarning, match="'read_links'.*'read_constraints'"):
        assert cscluster.read_links is cscluster.read_constraints


def test_contradictions_can_be_dropped():
    clash = [*LINKS, ("r5", "r30", "must")]
    assert len(cluster(constraints=clash, contradictions="drop").constraints) == 2
    assert len(cluster(constraints=clash, contradictions="keep").constraints) == 3


def test_constraints_that_no_partition_satisfies_go_by_the_names_of_the_rows():
    triangle = [(a, b, "cannot", "hard") for a, b in (("r0", "r1"), ("r1", "r2"), ("r0", "r2"))]
    with pytest.raises(InfeasibleError, match=r"\b2 clusters.*r0-r1, r0-r2, r1-r2\.$"):
        cluster(constraints=triangle, algorithm="pccc")


def many():
    """Return forty constraints by the column 'side'."""
    pairs = random_pairs(40, 40, np.random.default_rng(1)).tolist()
    side = FRAME["side"].tolist()
    return [(f"r{a}", f"r{b}", "must" if side[a] == side[b] else "cannot") for a, b in pairs]


def test_what_is_named_is_what_was_fitted(tmp_path):
    """The headline, the model and its labels are those of the method that was fitted."""
    for changes in ({"algorithm": "auto"}, {"guard": True}, {"algorithm": "rca", "clusterer": "pckmeans"}):
        found = cluster(constraints=many(), **changes)
        assert found.algorithm == title(found.estimator)
        cscluster.save_model(found, tmp_path / "m.zip")
        model = cscluster.load_model(tmp_path / "m.zip")
        assert model.algorithm == found.algorithm
        expected = found.estimator.predict(found.features.transform(found.table))
        assert np.array_equal(model.predict(FRAME), expected)
    assert found.algorithm == "RCA + PCK-Means"
    assert cluster(algorithm="rca").algorithm == "RCA + k-means"


def test_a_guarded_method_gives_way_and_says_so():
    found = cluster(guard=True)  # two constraints support nothing
    assert (found.algorithm, type(found.estimator).__name__) == ("k-means", "KMeans")
    assert cluster().algorithm == "PCK-Means"


def test_hard_constraints_are_satisfied_without_a_named_method():
    hard = [(*each, "hard") for each in many()]
    for changes in ({}, {"n_clusters": "auto"}):
        found = cluster(constraints=hard, algorithm="auto", features=["y"], ignore=[], **changes)
        assert not len(found.violated)
        assert "PCCC" in found.algorithm


def test_names_of_version_0_2():
    with pytest.warns(FutureWarning, match="'pckmeans_printed'.*'pckmeans'"):
        found = cluster(algorithm="pckmeans_printed")
    published = registry.find("pckmeans").published()
    assert {name: getattr(found.estimator, name) for name in published} == published
