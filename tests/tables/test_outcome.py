import numpy as np

from cscluster import Constraints
from cscluster.tables import outcome
from cscluster.tables.table import Table

X = np.array([[0.0], [1], [10], [11]])
TABLE = Table(
    "toy", X, ids=["p", "q", "r", "s"], id_column="id", y=np.array([0, 0, 1, 1]), classes=["x", "y"]
)
LINKS = Constraints([(0, 1), (1, 2)], [(0, 3), (2, 3)], n_samples=4)


def test_a_partition_from_all_sides():
    found = outcome.judge(X, np.array([0, 0, 1, 1]), 3, LINKS, TABLE, seed=0)
    assert found.sizes.tolist() == [2, 2, 0]
    assert outcome.broken_links(found, TABLE) == [("q", "r", "must"), ("r", "s", "cannot")]
    # by hand: a = 1, b = 10.5 or 9.5 for each row
    assert np.isclose(found.silhouette, np.mean([1 - 1 / 10.5, 1 - 1 / 9.5]))
    assert outcome.describe(found) == [
        "links kept: 2 of 4 (50%): 1 of 2 must, 1 of 2 cannot",
        "silhouette: 0.90",
        "against the known classes: ARI 1.000, NMI 1.000, ACC (one-to-one) 1.000",
    ]


def test_without_links_classes_or_a_second_cluster():
    plain = Table("toy", X)
    found = outcome.judge(X, np.zeros(4, dtype=np.int64), 2, Constraints.empty(4), plain, seed=0)
    assert found.silhouette is None
    assert outcome.describe(found) == []
