from dataclasses import replace

import numpy as np
import pytest

from cscluster import Constraints
from cscluster.data.dataset import Dataset
from cscluster.tables import result

X = np.array([[0.0], [1], [10], [11]])
TABLE = Dataset(
    "toy", X, ids=["p", "q", "r", "s"], id_column="id", y=np.array([0, 0, 1, 1]), classes=["x", "y"]
)
LINKS = Constraints([(0, 1), (1, 2)], [(0, 3), (2, 3)], n_samples=4)


def test_the_scores_of_a_partition():
    found = result.evaluate(X, np.array([0, 0, 1, 1]), 3, LINKS, TABLE, seed=0)
    assert found.sizes.tolist() == [2, 2, 0]
    assert result.violated_pairs(found, TABLE) == [("q", "r", "must"), ("r", "s", "cannot")]
    # by hand: a = 1, b = 10.5 or 9.5 for each row
    assert np.isclose(found.silhouette, np.mean([1 - 1 / 10.5, 1 - 1 / 9.5]))
    assert result.describe(found) == [
        "constraints satisfied: 2 of 4 (50%): 1 of 2 must-links, 1 of 2 cannot-links",
        "silhouette: 0.90",
        "against the known classes: ARI 1.000, NMI 1.000, ACC (one-to-one) 1.000",
    ]


def test_without_links_classes_or_a_second_cluster():
    plain = Dataset("toy", X)
    found = result.evaluate(X, np.zeros(4, dtype=np.int64), 2, Constraints.empty(4), plain, seed=0)
    assert found.silhouette is None
    assert result.describe(found) == []


def test_rows_whose_clusters_are_nearly_as_likely_are_on_the_border():
    found = result.evaluate(X, np.array([0, 0, 1, 1]), 3, LINKS, TABLE, seed=0)
    assert found.confidence is None
    assert result.border(found, TABLE) == []
    P = np.array([[0.4, 0.3, 0.3], [0.9, 0.1, 0.0], [0.6, 0.3, 0.1], [0.0, 0.55, 0.45]])
    found = replace(found, probabilities=P)
    np.testing.assert_array_equal(found.to_frame()["confidence"], [0.4, 0.9, 0.3, 0.55])
    # r was put into the less likely cluster; p has two others that are equally likely
    assert result.border(found, TABLE) == [
        ["r", "1", "0.30", "0", "0.60"],
        ["p", "0", "0.40", "1", "0.30"],
        ["s", "1", "0.55", "2", "0.45"],
    ]


@pytest.mark.parametrize("shape", [(4, 1), (3, 2)])
def test_probabilities_of_another_shape_are_not_used(shape):
    class Own:
        def predict_proba(self, X):
            return np.ones(shape)

    assert result.probabilities(Own(), X, 2) is None
    assert result.probabilities(object(), X, 2) is None
