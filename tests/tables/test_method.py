import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import Constraints
from cscluster.errors import ParameterError
from cscluster.tables import method


@pytest.mark.parametrize(
    ("name", "X", "k", "says"),
    [
        ("kmeans", np.eye(3), 3, "3 clusters are too many for 3 rows"),
        ("mmc_sdp", np.eye(5), 3, "makes two clusters only"),
        ("pckmeans", csr_array(np.eye(5)), 2, "needs dense data; add the preprocessing step 'dense'"),
    ],
)
def test_what_a_method_cannot_do(name, X, k, says):
    with pytest.raises(ParameterError, match=says):
        method.require_suited(name, X, k)


def test_warnings_are_kept():
    contradictory = Constraints([(0, 1)], [(0, 1)], n_samples=6)
    X = np.arange(12.0).reshape(6, 2)
    fit = method.fit("pmmc", {}, 2, X, contradictory, 0)
    assert fit.labels.shape == (6,)
    assert any("Must-links contradict 1 cannot-link" in text for text in fit.warnings)


def test_a_class_that_labels_nothing_is_named(tmp_path):
    (tmp_path / "own.py").write_text(
        "class Own:\n    def __init__(self): pass\n    def fit(self, X, constraints=None): return self\n"
    )
    with pytest.raises(ParameterError, match="must set labels_"):
        method.fit(f"{tmp_path}/own.py:Own", {}, 2, np.eye(4), Constraints.empty(4), 0)


def test_a_method_that_uses_no_links_says_so_when_it_is_given_some():
    X = np.arange(12.0)[:, None]
    links = Constraints([(0, 1)], [(0, 11)], n_samples=12)
    said = ["k-means uses no links: those given change nothing."]
    assert method.fit("kmeans", {}, 2, X, links, 0).warnings == said
    assert method.fit("kmeans", {}, 2, X, Constraints.empty(12), 0).warnings == []
    assert not any("uses no links" in words for words in method.fit("pckmeans", {}, 2, X, links, 0).warnings)
