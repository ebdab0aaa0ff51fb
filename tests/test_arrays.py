"""A matrix of distances is cleaned of rounding errors; the rest is refused (see tests/tables)."""

import numpy as np

from cscluster.arrays import checked_distances


def test_rounding_errors_are_removed():
    D = np.array([[1e-9, 1.0], [1.0 + 1e-9, 0.0]])
    checked = checked_distances(D)
    np.testing.assert_array_equal(checked, checked.T)
    np.testing.assert_array_equal(np.diag(checked), 0)
    assert D[0, 0] == 1e-9


def test_identical_samples_have_distances_too():
    np.testing.assert_array_equal(checked_distances(np.zeros((3, 3))), 0)
