import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.data.table import Columns, from_pandas
from cscluster.tables import describe
from cscluster.tables.describe import describe_clusters, typical_rows

HEIGHT = np.array([1.0, 2.0, 3.0, 9.0, 11.0, np.nan])
NOISE = np.array([1.0, -1.0, 0.0, 1.0, -1.0, 0.0])
COLOUR = np.array(["red", "red", "blue", "blue", "blue", ""])
TABLE = Dataset(
    "toy",
    np.column_stack([HEIGHT, NOISE]),
    features=["height", "noise"],
    categorical={"colour": COLOUR},
    ids=list("abcdef"),
    id_column="id",
)
X = np.column_stack([np.nan_to_num(HEIGHT, nan=10.0), NOISE])
LABELS = np.array([0, 0, 0, 1, 1, 1])


def test_means_are_in_the_users_units_and_effects_in_standard_deviations():
    low, high = describe_clusters(TABLE, X, LABELS)
    # by hand: means 2 and 10 (one cell is empty), standard deviation of 1, 2, 3, 9, 11 about 5.2
    deviation = np.sqrt(np.mean((HEIGHT[:5] - 5.2) ** 2))
    first = low.traits[0]
    assert (first.column, first.inside, first.outside) == ("height", pytest.approx(2), pytest.approx(10))
    assert first.effect == pytest.approx(-8 / deviation)
    assert high.traits[0].effect == pytest.approx(8 / deviation)
    assert "noise" not in [trait.column for trait in (*low.traits, *high.traits)]


def test_the_text_that_is_over_represented():
    low, _ = describe_clusters(TABLE, X, LABELS)
    colour = next(trait for trait in low.traits if trait.column == "colour")
    assert (colour.text, colour.inside, colour.outside) == ("red", pytest.approx(2 / 3), 0.0)
    assert colour.effect == pytest.approx((2 / 3) / np.sqrt(1 / 3 * 2 / 3))
    assert [low.number, colour.title] == [0, "colour = red"]


def test_typical_rows_are_nearest_to_the_mean():
    low, high = describe_clusters(TABLE, X, LABELS, n_clusters=3)[:2]
    # by hand: distances from (2, 0) are sqrt(2), 1, 1, and from (10, 0) they are sqrt(2), sqrt(2), 0
    assert (low.typical, high.typical) == ([1, 2, 0], [5, 3, 4])
    assert describe.size_rows([low], TABLE) == [["0", "3", "100%", "b, c, a"]]


def test_an_empty_cluster_and_a_single_one():
    clusters = describe_clusters(TABLE, X, LABELS, n_clusters=3)
    assert (clusters[2].size, clusters[2].typical, clusters[2].traits) == (0, [], [])
    (only,) = describe_clusters(TABLE, X, np.zeros(6, dtype=np.int64))
    assert only.traits == []


def test_sparse_data_are_described_like_dense_ones():
    values = np.array([[5.0, 0, 1], [4, 0, 0], [0, 3, 1], [0, 2, 0]])
    labels = np.array([0, 0, 1, 1])
    dense = describe_clusters(Dataset("toy", values), values, labels)
    thin = sparse.csr_array(values)
    found = describe_clusters(Dataset("toy", thin), thin, labels)
    assert describe.trait_rows(found, 9) == describe.trait_rows(dense, 9)
    assert found[0].traits[0].column == "column 0"
    assert [cluster.typical for cluster in found] == [cluster.typical for cluster in dense]


def test_large_offsets_do_not_drown_the_differences():
    shifted = Dataset("toy", TABLE.X + 1e12, features=["height", "noise"])
    effects = [c.traits[0].effect for c in describe_clusters(shifted, X, LABELS)]
    plain = [c.traits[0].effect for c in describe_clusters(TABLE, X, LABELS)]
    assert np.allclose(effects, plain, rtol=1e-3)


def test_pixels_are_not_listed():
    pictures = Dataset("toy", X, image=(1, 2))
    assert not any(cluster.traits for cluster in describe_clusters(pictures, X, LABELS))


def test_typical_rows_show_their_cells():
    frame = pd.DataFrame(
        {
            "x": [0.5, 0.6, 90000.0, np.nan],
            "born": pd.to_datetime(["1970-01-02", "1970-01-03", "1970-02-01", None]),
            "kind": ["p", "p", "q", "q"],
        },
        index=["r", "s", "t", "u"],
    )
    table = from_pandas(frame, Columns())
    _, X = Features.fit(table, [])
    heads, rows = typical_rows(describe_clusters(table, X, np.array([0, 0, 1, 1])), table)
    assert heads == ["cluster", "row", "x", "born", "kind"]
    assert ["0", "r", "0.5", "1970-01-02", "p"] in rows
    assert ["1", "t", "90,000", "1970-02-01", "q"] in rows
    assert ["1", "u", "", "", "q"] in rows
