import numpy as np
import pytest

from cscluster.algorithms.margin.alternating._bias_search import search_bias
from cscluster.errors import InfeasibleError

LOSSES = ["hinge", "absolute", "squared"]


def loss_values(f, y, loss):
    if loss == "hinge":
        return np.maximum(0, 1 - y * f)
    return np.abs(f - y) if loss == "absolute" else (f - y) ** 2


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
    b, y = search_bias(scores, loss, balance)
    assert loss_values(scores + b, y, loss).sum() == pytest.approx(brute_force(scores, loss, balance))
    assert np.array_equal(y, np.where(scores + b > 0, 1, -1))
    assert abs(y.mean()) <= 2 * balance + 1e-9
    assert set(y) == {-1, 1}


@pytest.mark.parametrize("loss", LOSSES)
def test_ties_do_not_break_the_balance(loss):
    _, y = search_bias(np.zeros(10), loss, 0.0)
    assert y.sum() == 0
    _, y = search_bias(np.repeat([0.0, 1.0], [8, 2]), loss, 0.1)
    assert abs(y.sum()) <= 2


def test_balance_is_the_deviation_of_the_positive_share():
    scores = np.repeat([0.0, 10.0], [80, 20]) + np.arange(100) * 1e-3
    for balance, positive in [(0.0, 50), (0.1, 40), (0.3, 20), (0.5, 20)]:
        _, y = search_bias(scores, "squared", balance)
        assert (y > 0).sum() == positive


def test_an_odd_number_cannot_be_halved():
    with pytest.raises(InfeasibleError, match=r"\b5 samples.*\b0\b.*'balance'"):
        search_bias(np.arange(5.0), "squared", 0.0)
