import numpy as np
import pytest

from cscluster import Constraints
from cscluster.tables.cluster import links_of_labels


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_the_links_say_what_the_labels_say_and_no_more(classes):
    rng = np.random.default_rng(classes)
    labels = np.where(rng.random(60) < 0.5, -1, rng.integers(0, classes, 60))
    known = np.flatnonzero(labels >= 0)
    i, j = np.triu_indices(len(known), k=1)
    every = Constraints.from_labels(np.column_stack([known[i], known[j]]), labels)
    links = links_of_labels(labels)
    closure = links.closure()
    assert np.array_equal(closure.must_links, every.must_links)
    assert np.array_equal(closure.cannot_links, every.cannot_links)
    assert len(links) <= 2 * len(known) + classes**2
    assert len(links.cannot_links) >= len(known) / 2


def test_labels_that_must_hold():
    links = links_of_labels(np.array([0, 0, 1, -1]), hard=True)
    assert len(links.hard) == len(links) > 0
