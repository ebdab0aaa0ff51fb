import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.margin.alternating._bias_search import loss_values, search_bias
from cscluster.algorithms.margin.alternating._signed_groups import SignedGroups
from cscluster.errors import InfeasibleError

LOSSES = ["hinge", "absolute", "squared"]


def brute_force(scores, loss, balance):
    """The paper's procedure word by word: try each midpoint, label by sign, sum the losses."""
    s = np.sort(scores)
    best = np.inf
    for b in -(s[:-1] + s[1:]) / 2:
        y = np.where(scores + b > 0, 1.0, -1.0)
        if abs(y.sum()) <= 2 * balance * len(s) + 1e-9:
            best = min(best, loss_values(scores + b, y, loss).sum())
    return best


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_brute_force(loss, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    scores = rng.normal(rng.normal(scale=5), rng.uniform(0.1, 3), size=n)
    balance = rng.uniform(1 / n, 0.5)
    b, y = search_bias(scores, loss, balance, SignedGroups.free(n))
    assert loss_values(scores + b, y, loss).sum() == pytest.approx(brute_force(scores, loss, balance))
    assert np.array_equal(y, np.where(scores + b > 0, 1, -1))
    assert abs(y.mean()) <= 2 * balance + 1e-9
    assert set(y) == {-1, 1}


def brute_force_with_links(scores, loss, balance, groups):
    """Each midpoint of the groups' turning points and both ends; labels group by group."""
    movable = np.flatnonzero(groups.weight > 0)
    u = np.sort(groups.signed_sums(scores)[movable] / groups.weight[movable])
    best = np.inf
    for tau in [u[0] - 1, *(u[:-1] + u[1:]) / 2, u[-1] + 1]:
        margin = groups.signed_sums(scores - scores.mean()) - (tau - scores.mean()) * groups.weight
        y = groups.labels(np.where(margin > 0, 1.0, -1.0))
        if len(set(y)) == 2 and abs(y.sum()) <= 2 * balance * len(y) + 1e-9:
            best = min(best, loss_values(scores - tau, y, loss).sum())
    return best


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_brute_force_when_links_join_samples(loss, seed):
    rng = np.random.default_rng(seed)
    n = 24
    truth = rng.integers(0, 2, n)
    constraints = Constraints.from_labels(rng.permutation(n)[:18].reshape(-1, 2), truth)
    groups = SignedGroups.from_constraints(constraints)
    scores = rng.normal(size=n)
    b, y = search_bias(scores, loss, 0.4, groups)
    assert loss_values(scores + b, y, loss).sum() == pytest.approx(
        brute_force_with_links(scores, loss, 0.4, groups)
    )
    assert len(constraints.violated(y)) == 0


@pytest.mark.parametrize("loss", LOSSES)
def test_ties_do_not_break_the_balance(loss):
    _, y = search_bias(np.zeros(10), loss, 0.0, SignedGroups.free(10))
    assert y.sum() == 0
    _, y = search_bias(np.repeat([0.0, 1.0], [8, 2]), loss, 0.1, SignedGroups.free(10))
    assert abs(y.sum()) <= 2


def test_balance_is_the_deviation_of_the_positive_share():
    scores = np.repeat([0.0, 10.0], [80, 20]) + np.arange(100) * 1e-3
    for balance, positive in [(0.0, 50), (0.1, 40), (0.3, 20), (0.5, 20)]:
        _, y = search_bias(scores, "squared", balance, SignedGroups.free(100))
        assert (y > 0).sum() == positive


def test_an_odd_number_cannot_be_halved():
    with pytest.raises(InfeasibleError, match="No split of 5 samples keeps the positive share within 0"):
        search_bias(np.arange(5.0), "squared", 0.0, SignedGroups.free(5))


def test_links_that_force_imbalance_are_kept_with_a_warning():
    constraints = Constraints([(0, 1), (1, 2), (2, 3)], [(0, 4)], n_samples=5)
    with pytest.warns(UserWarning, match="The constraints leave no split"):
        _, y = search_bias(np.arange(5.0), "absolute", 0.1, SignedGroups.from_constraints(constraints))
    assert len(constraints.violated(y)) == 0


def test_groups_that_never_turn_follow_their_scores():
    groups = SignedGroups.from_constraints(Constraints([], [(0, 1), (2, 3)], n_samples=4))
    b, y = search_bias(np.array([3.0, 1.0, -2.0, 2.0]), "hinge", 0.0, groups)
    assert y.tolist() == [1, -1, -1, 1]
    assert b == -1.0  # the threshold lies at the mean score
