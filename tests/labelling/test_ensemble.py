"""The clusters that links make."""

import numpy as np
import pytest

from cscluster import Constraints, metrics
from cscluster.labelling.ensemble import renumbered


def test_clusters_depend_on_the_links_only(beads, heaps):
    links = Constraints([(0, 5)], [(0, 20), (20, 40)], n_samples=60)
    first = heaps.labels(links)
    heaps.labels(Constraints([(0, 30)], n_samples=60))
    assert heaps.labels(links).tolist() == first.tolist()
    assert metrics.score("nmi", beads.y, first) == pytest.approx(1)


def test_clusters_keep_the_numbers_of_most_of_their_rows():
    before = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    assert renumbered(np.array([2, 2, 2, 0, 0, 1, 1, 0]), before, 3).tolist() == [0, 0, 0, 1, 1, 2, 2, 1]
