"""From coordinates to labels: the net of k-means, and labels of linked samples together."""

import numpy as np
import pytest

from cscluster import CSP, Constraints

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
SAMPLES = np.repeat(CORNERS, 5, axis=0) + 0.01 * np.arange(20)[:, None]
PAIRS = [(i, i + 10) for i in range(10)]


def rounded(Z, links, **params):
    model = CSP(n_clusters=2, random_state=0, **params)
    model._round(Z, SAMPLES, links, np.random.default_rng(0))
    return model


def test_the_coordinates_decide_where_links_speak_for_them():
    Z = SAMPLES[:, 1:] - 0.01 * np.arange(20)[:, None]  # by height, which the links join
    labels = rounded(Z, Constraints(PAIRS, n_samples=20)).labels_
    assert (labels[:5] == labels[10:15]).all()
    assert labels[0] != labels[5]


def test_kmeans_of_the_samples_decides_where_it_keeps_as_many_links():
    Z = SAMPLES[:, 1:] - 0.01 * np.arange(20)[:, None]
    links = Constraints([], PAIRS, n_samples=20)
    with pytest.warns(UserWarning, match="The links do not favour CSP"):
        labels = rounded(Z, links).labels_
    assert len(set(labels[:10])) == 1
    assert labels[0] != labels[10]
    plain = rounded(Z, links, fallback=False, joint=False).labels_
    assert plain[0] != plain[5]


def test_a_linked_sample_follows_its_link_only_where_labels_are_joint():
    Z = np.repeat([[0.0], [2.0]], 10, axis=0) + np.tile([[-0.3], [0.3]], (10, 1))
    Z[0] = 0.9
    links = Constraints([(0, 10), (0, 11)], [(0, 1), (0, 2)], n_samples=20)
    apart, together = (rounded(Z, links, fallback=False, joint=joint).labels_ for joint in (False, True))
    assert apart[0] == apart[1] != apart[10]
    assert together[0] == together[10] != together[1]
