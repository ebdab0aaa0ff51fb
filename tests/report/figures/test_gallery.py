import numpy as np
import pytest

from cscluster.report.figures import gallery

# Two clusters of pictures of 2 x 3 pixels: one value each, in cluster 0 the values 0 to 6, in 1 the value 9.
PIXELS = np.repeat([0, 1, 2, 3, 4, 5, 6, 9, 9], 6).reshape(9, 6).astype(float)
LABELS = np.array([0] * 7 + [1] * 2)


def picture(figure, row, column):
    """Return the value of a picture in the grid."""
    return figure.axes[0].images[0].get_array()[row * 3, column * 4] * 9


def test_a_row_for_each_cluster_from_the_nearest_to_the_farthest():
    figure = gallery(PIXELS, LABELS, (2, 3), per_cluster=4)
    # The mean of cluster 0 is 3; by distance: 3, 2, 4, 1, 5, 0, 6, of which four evenly.
    assert [picture(figure, 0, j) for j in range(4)] == pytest.approx([3, 4, 5, 6])
    assert [picture(figure, 1, j) for j in range(2)] == pytest.approx([9, 9])
    assert np.ma.is_masked(picture(figure, 1, 2)) or np.isnan(picture(figure, 1, 2))
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["0: 7", "1: 2"]


def test_pictures_with_colours():
    figure = gallery(np.random.default_rng(0).uniform(size=(6, 27)), [0, 0, 0, 1, 1, 2], (3, 3, 3))
    assert figure.axes[0].images[0].get_array().shape == (12, 40, 3)
