import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.margin.alternating._signed_groups import SignedGroups
from cscluster.errors import ConstraintError


def test_cannot_links_join_with_opposite_signs():
    constraints = Constraints([(0, 1)], [(1, 2), (2, 3), (5, 6)], n_samples=8)
    groups = SignedGroups.from_constraints(constraints)
    assert groups.group.tolist() == [0, 0, 0, 0, 1, 2, 2, 3]
    assert groups.sign.tolist() == [1, 1, -1, 1, 1, 1, -1, 1]
    assert groups.weight.tolist() == [2, 1, 0, 1]


def test_every_labelling_of_the_groups_keeps_the_links():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 50)
    constraints = Constraints.from_labels(rng.integers([0, 25], [25, 50], (40, 2)), truth)
    groups = SignedGroups.from_constraints(constraints)
    for _ in range(20):
        y = groups.labels(rng.choice([-1.0, 1.0], groups.n_groups))
        assert len(constraints.violated(y)) == 0
    signed = 2.0 * truth - 1
    assert np.array_equal(groups.project(signed), signed)


def test_projection_follows_the_majority():
    groups = SignedGroups.from_constraints(Constraints([(0, 1), (1, 2)], [], n_samples=4))
    assert groups.project(np.array([-1.0, 1.0, -1.0, 1.0])).tolist() == [-1, -1, -1, 1]


def test_what_can_be_split():
    def groups(must, cannot):
        return SignedGroups.from_constraints(Constraints(must, cannot, n_samples=2))

    assert not groups([(0, 1)], []).can_be_split
    assert groups([], [(0, 1)]).can_be_split
    assert SignedGroups.free(2).can_be_split


def test_contradictions_are_named():
    with pytest.raises(ConstraintError, match="Samples 0 and 1 are cannot-linked, but must-links"):
        SignedGroups.from_constraints(Constraints([(0, 2), (1, 2)], [(0, 1)], n_samples=3))
    with pytest.raises(ConstraintError, match=r"No two clusters satisfy all constraints.*sample 1"):
        SignedGroups.from_constraints(Constraints([], [(1, 2), (2, 3), (1, 3)], n_samples=4))
