from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from cscluster import Constraints, cluster
from cscluster.tables import result
from tests.lines import assert_match

TABLE = pd.DataFrame({"id": ["p", "q", "r", "s"], "x": [0.0, 1, 10, 11], "class": ["x", "x", "y", "y"]})
LINKS = Constraints([(0, 1), (1, 2)], [(0, 3), (2, 3)], n_samples=4)


@pytest.fixture
def found():
    return cluster(TABLE, LINKS, n_clusters=2, algorithm="kmeans", target="class", preprocess=["none"])


def test_the_scores_of_a_partition(found):
    assert found.sizes.tolist() == [2, 2]
    assert result.violated_pairs(found, found.table) == [("q", "r", "must"), ("r", "s", "cannot")]
    # by hand: a = 1, b = 10.5 or 9.5 for each row
    assert np.isclose(found.silhouette, np.mean([1 - 1 / 10.5, 1 - 1 / 9.5]))
    assert_match(
        result.describe(found),
        r"^constraints satisfied: 2 of 4 \(50%\): 1 of 2 must-links, 1 of 2 cannot-links$",
        "^against k-means.*: 0 of 4 rows",
        r"^silhouette: 0\.90$",
        r"^against.* classes: ARI 1\.000, NMI 1\.000, ACC \(one-to-one\) 1\.000$",
    )


def test_without_links_and_classes():
    plain = cluster(TABLE[["x"]], n_clusters=2, algorithm="kmeans")
    assert result.describe(plain) == ["silhouette: 0.90"]


def test_rows_whose_clusters_are_nearly_as_likely_are_on_the_border(found):
    assert found.confidence is None
    assert result.border(found, found.table) == []
    P = np.array([[0.4, 0.3, 0.3], [0.9, 0.1, 0.0], [0.6, 0.3, 0.1], [0.0, 0.55, 0.45]])
    found = replace(found, labels=np.array([0, 0, 1, 1]), probabilities=P)
    np.testing.assert_array_equal(found.to_frame()["confidence"], [0.4, 0.9, 0.3, 0.55])
    # r was put into the less likely cluster; p has two others that are equally likely
    assert result.border(found, found.table) == [
        ["r", "1", "0.30", "0", "0.60"],
        ["p", "0", "0.40", "1", "0.30"],
        ["s", "1", "0.55", "2", "0.45"],
    ]


@pytest.mark.parametrize("shape", [(4, 1), (3, 2)])
def test_probabilities_of_another_shape_are_not_used(shape):
    class Own:
        def predict_proba(self, X):
            return np.ones(shape)

    assert result.probabilities(Own(), np.zeros((4, 1)), 2) is None
    assert result.probabilities(object(), np.zeros((4, 1)), 2) is None
