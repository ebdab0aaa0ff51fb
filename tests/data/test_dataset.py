import numpy as np
import pytest
from scipy import sparse

from cscluster.data.dataset import Dataset
from cscluster.errors import DataError


def make(X, y=None, **more):
    X = X if sparse.issparse(X) else np.asarray(X)
    classes = [] if y is None else ["a", "b"]
    return Dataset("toy", X, None if y is None else np.asarray(y), classes, **more)


def test_sizes_and_labels():
    data = make([[1, 2, 3], [4, 5, 6]], [0, 1])
    assert (data.n_samples, data.n_features, data.n_classes) == (2, 3, 2)
    assert data.labels.tolist() == [0, 1]
    bare = make([[1, 2, 3], [4, 5, 6]])
    assert bare.n_classes == 0
    assert bare.labels.tolist() == [0, 0]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_take_keeps_all_fields_together(kind):
    data = make(
        kind(np.arange(6).reshape(3, 2)),
        [0, 1, 1],
        ids=["x", "y", "z"],
        is_test=np.array([True, False, False]),
    )
    part = data.take(np.array([2, 0]))
    X = part.X.toarray() if sparse.issparse(part.X) else part.X
    assert X.tolist() == [[4, 5], [0, 1]]
    assert part.y.tolist() == [1, 0]
    assert part.ids == ["z", "x"]
    assert part.is_test.tolist() == [False, True]


def test_legal_data_passes():
    data = make([[1.0, 2.0], [3.0, 4.0]], [0, 1])
    assert data.check() is data
    for X in (np.eye(2, dtype=np.uint8), np.eye(2, dtype=bool), sparse.csr_array(np.eye(2))):
        make(X).check()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_values_that_are_no_numbers_are_named_by_column_and_row(kind, value):
    X = kind([[1.0, 0.0, 2.0], [3.0, value, 4.0], [5.0, value, 0.0]])
    with pytest.raises(DataError, match=rf"'toy'.* {value} .* 1, row 1 \(2"):
        make(X).check()
    with pytest.raises(DataError, match="column 'width', row 1"):
        make(X, features=["length", "width", "height"]).check()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_empty_data_is_refused(shape):
    with pytest.raises(DataError, match=f"{shape[0]} samples.*{shape[1]} features"):
        make(np.empty(shape)).check()


def test_a_constant_target_is_refused_by_its_value():
    with pytest.raises(DataError, match=r"target.*'toy'.*'b'"):
        make(np.eye(2), [1, 1]).check()


def test_a_data_set_shows_itself_in_one_line_and_as_a_small_table():
    data = Dataset("a<b", np.zeros((3, 2)), np.array([0, 1, 1]), ["x", "y"])
    assert repr(data) == "Dataset('a<b', samples: 3, features: 2, classes: x 1, y 2)"
    assert "<caption>a&lt;b</caption>" in data._repr_html_()
    assert "<th>classes</th><td>x 1, y 2</td>" in data._repr_html_()
