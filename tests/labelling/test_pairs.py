"""The ensemble's view of the rows, worked out by hand for six rows and two partitions."""

import numpy as np
import pytest

from cscluster.labelling import pairs

L = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]], dtype=np.uint8)


def test_distance_is_the_share_of_partitions_that_separate_rows():
    distance = pairs.make_rule(L, 2).distance(0)
    assert distance.tolist() == [0, 0, 0.5, 1, 1, 1]


def test_typical_rows_lie_in_large_clusters():
    assert pairs.typicality(L) == pytest.approx(np.array([5, 5, 5, 5, 5, 5]) / 12)
    assert np.argmax(pairs.typicality(np.array([[0, 1, 1, 1, 2, 2]]))) == 1


def test_membership():
    # row 2 lies with 0 and 1 in the first partition only, and with 3 in the second only
    shares = pairs.membership(L, [[0, 1], [3, 4]])
    assert shares[2].tolist() == [0.5, 0.25]
    assert shares[0].tolist() == [1, 0]


def test_uncertainty_is_entropy_per_question():
    sure, torn, lost = pairs.uncertainty(np.array([[1.0, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]))
    assert lost == pytest.approx(np.log(3) / 2)  # 1, 2 or 3 questions, each as likely
    assert torn == pytest.approx(np.log(2) / 1.5, rel=0.02)
    assert sure < 0.02


def test_the_most_uncertain_row_is_placed_once_all_groups_are_known():
    assert pairs.make_rule(L, 2).next_pair([(0, 5, False)]) == (2, 0)
