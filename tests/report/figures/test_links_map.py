import numpy as np
import pytest
from scipy import sparse

from cscluster import Constraints
from cscluster.report.figures import links_map, project

from .runs import legend_texts

X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0]])
LABELS = [0, 0, 0, 1, 1]


def test_links_are_drawn_by_kind_and_broken_ones_stand_out():
    links = Constraints([(0, 1), (2, 3)], [(0, 3), (1, 4), (3, 4)], n_samples=5)
    figure = links_map(X, LABELS, links, ("length", "width"))
    (axes,) = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("length", "width")
    assert legend_texts(figure) == [
        "cluster 0 (3)",
        "cluster 1 (2)",
        "must-link (1)",
        "violated must-link (1)",
        "cannot-link (2)",
        "violated cannot-link (1)",
    ]
    kept_must, broken_must, kept_cannot, broken_cannot = axes.collections[:4]
    assert kept_must.get_segments()[0].tolist() == X[[0, 1]].tolist()
    assert broken_must.get_segments()[0].tolist() == X[[2, 3]].tolist()
    assert [len(c.get_segments()) for c in (kept_cannot, broken_cannot)] == [2, 1]
    assert [c.get_linestyle()[0][1] is None for c in axes.collections[:4]] == [True, True, False, False]
    assert min(broken_must.get_linewidth()[0], broken_cannot.get_linewidth()[0]) > 2
    assert max(kept_must.get_linewidth()[0], kept_cannot.get_linewidth()[0]) < 1


def test_no_links_and_many_clusters():
    figure = links_map(np.tile(X, (8, 1)), np.arange(40), Constraints(n_samples=40))
    assert legend_texts(figure) == []


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_more_features_are_projected_and_the_axes_say_so(kind):
    rng = np.random.default_rng(0)
    data = rng.normal(size=(50, 5)) * [10, 5, 0.1, 0.1, 0.1]
    points, names = project(kind(data))
    assert points.shape == (50, 2)
    centred = data - data.mean(axis=0)
    share = np.linalg.svd(centred, compute_uv=False) ** 2
    share /= share.sum()
    assert names == tuple(
        f"principal component {i + 1} ({100 * share[i]:.0f}\u00a0% of variance)" for i in (0, 1)
    )


def test_one_and_two_features_are_taken_as_they_are():
    assert project(X) == (pytest.approx(X), ("feature 1", "feature 2"))
    points, names = project(X[:, :1])
    assert points.tolist() == [[x, 0] for x in X[:, 0]]
    assert names == ("feature 1", "")
