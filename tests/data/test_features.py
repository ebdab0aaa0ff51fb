import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster.data import features
from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.errors import DataError
from tests.lines import assert_match

TABLE = Dataset(
    "toy",
    np.array([[1.0, 10], [2, np.nan], [3, 30], [6, 20]]),
    features=["a", "b"],
    categorical={"colour": np.array(["red", "", "blue", "red"])},
)


def test_numbers_are_filled_and_standardised_and_texts_become_columns():
    fitted, X = Features.fit(TABLE, ["standardize"])
    # by hand: a has mean 3 and variance 3.5; b filled with 20 has mean 20 and variance 50
    assert np.allclose(X[:, 0], (np.array([1, 2, 3, 6]) - 3) / np.sqrt(3.5))
    assert np.allclose(X[:, 1], np.array([-10, 0, 10, 0]) / np.sqrt(50))
    assert fitted.values == {"colour": ["", "blue", "red"]}
    assert X[:, 2:].tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_new_rows_are_treated_as_the_old_ones():
    fitted, X = Features.fit(TABLE, ["standardize"])
    new = Dataset(
        "new", np.array([[np.nan, 30.0]]), features=["a", "b"], categorical={"colour": np.array(["green"])}
    )
    Z = fitted.transform(new)
    assert np.allclose(Z[0, :2], [(2.5 - 3) / np.sqrt(3.5), 10 / np.sqrt(50)])
    assert Z[0, 2:].tolist() == [0, 0, 0]
    assert_match(fitted.unknown(new), r"column 'colour': 1 row\b.*\('green'\)")
    assert fitted.unknown(TABLE) == []
    assert np.array_equal(fitted.transform(TABLE), X)


def test_only_texts():
    fitted, X = Features.fit(Dataset("toy", np.empty((4, 0)), categorical=TABLE.categorical), ["standardize"])
    assert X.shape == (4, 3)
    assert fitted.steps == []


def test_wrong_width_and_infinite_numbers():
    fitted, _ = Features.fit(Dataset("toy", np.eye(3)), [])
    with pytest.raises(DataError, match=r"\b2 columns.*\b3\b"):
        fitted.transform(Dataset("new", np.eye(2)))
    with pytest.raises(DataError, match=r" inf .*column 'b', row 1"):
        Features.fit(Dataset("toy", np.array([[1.0, 2], [3, np.inf]]), features=["a", "b"]), [])


def test_default_steps():
    assert features.default_steps(TABLE) == ["standardize"]
    assert features.default_steps(Dataset("toy", csr_array(np.eye(3)))) == ["l2"]
    assert features.default_steps(Dataset("toy", np.eye(3), image=(1, 3))) == []


def test_steps_of_the_command_line():
    assert features.parse_steps(["none"]) == []
    assert features.parse_steps(["standardize", "pca=3"]) == ["standardize", {"pca": {"n": 3}}]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["standardise"], "'standardise'.*'standardize'"),
        (["pca"], "'pca'.*n: .*required"),
        (["pca=many"], "'pca'.*integer.*'many'"),
        (["pca=²"], "'pca'.*integer.*'²'"),
        (["pca=" + "9" * 5000], "'pca'.*integer.*'9+"),
    ],
)
def test_wrong_steps(given, says):
    with pytest.raises(DataError, match=says):
        features.parse_steps(given)


def test_steps_that_no_model_file_holds():
    features.require_storable(["standardize", {"pca": {"n": 2}}])
    with pytest.raises(DataError, match="step 'tfidf'"):
        features.require_storable(["tfidf"])


def test_description():
    fitted, _ = Features.fit(TABLE, ["standardize"])
    assert_match(
        features.describe(TABLE, fitted, ["standardize"]),
        "2 columns.*standardised: a, b$",
        "^1 empty cell.*median",
        r"'colour'.*\b3 values \(\(empty\), blue, red\)",
    )
