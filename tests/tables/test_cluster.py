"""A table and links from Python."""

import numpy as np
import pandas as pd
import pytest

import cscluster
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


def cluster(**changes):
    chosen = {"n_clusters": 2, "algorithm": "pckmeans", "ignore": ["known"], **changes}
    return cscluster.cluster(chosen.pop("table", FRAME), chosen.pop("links", LINKS), **chosen)


def test_a_data_frame_and_tuples(tmp_path):
    found = cluster()
    assert sorted(found.sizes.tolist()) == [20, 20]
    assert found.to_frame().loc["r0", "cluster"] == found.labels[0] != found.labels[30]
    assert found.clusters[found.labels[0]].traits[0].title in ("x", "side = left")
    assert repr(found) == "Outcome(pckmeans: sizes [20, 20], 2 of 2 links kept)"
    assert "side = left 100% (others 0%)" in found._repr_html_()

    cscluster.save_model(found, tmp_path / "m.zip")
    model = cscluster.load_model(tmp_path / "m.zip")
    assert np.array_equal(model.predict(FRAME[["side", "y", "x"]]), found.labels)


def test_labels_of_some_rows_are_links():
    of_labels = {"links": None, "labels": "known", "algorithm": "cop_kmeans"}
    found = cluster(**of_labels, ignore=[], features=["y"])
    assert found.labels[20] == found.labels[21] != found.labels[0]
    assert len(found.links.hard) == 0
    assert len(cluster(**of_labels, ignore=[], hard=True).links.hard) >= 3


def test_arrays_and_names_of_data_sets():
    pairs = ([(0, 1)], [(0, 100)])
    array = cluster(table=FRAME[["x", "y"]].to_numpy(), links=([(0, 1)], [(0, 30)]), ignore=[])
    assert sorted(array.sizes.tolist()) == [20, 20]
    assert cluster(table="iris", links=pairs, ignore=[], n_clusters=3).scores["ari"] > 0.5


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"n_clusters": 1}, ParameterError, "integer of at least 2, or 'auto', got 1"),
        ({"algorithm": "auto", "params": {"w": 1}}, ParameterError, "need the name of an algorithm"),
        ({"params": {"v": 1}}, ParameterError, "has no parameter 'v'"),
        ({"links": [("r0", "r99", "must")]}, ConstraintError, "there is no sample 'r99'"),
        ({"links": [*LINKS, ("r5", "r30", "must")]}, ConstraintError, "'r0' - 'r5' - 'r30'"),
        ({"contradictions": "ignore"}, ParameterError, "refuse, keep or drop"),
        ({"table": 7}, DataError, "a matrix of numbers, got int"),
        ({"target": "kind"}, DataError, "has no column 'kind'"),
    ],
)
def test_wrong_input_is_one_sentence(changes, error, says):
    with pytest.raises(error, match=says):
        cluster(**changes)


def test_contradictions_can_be_dropped():
    clash = [*LINKS, ("r5", "r30", "must")]
    assert len(cluster(links=clash, contradictions="drop").links) == 2
    assert len(cluster(links=clash, contradictions="keep").links) == 3


def test_links_that_no_partition_keeps_go_by_the_names_of_the_rows():
    triangle = [(a, b, "cannot", "hard") for a, b in (("r0", "r1"), ("r1", "r2"), ("r0", "r2"))]
    with pytest.raises(InfeasibleError, match=r"keeps the hard cannot-links r0-r1, r0-r2, r1-r2\.$"):
        cluster(links=triangle, algorithm="pccc")
