from typing import get_args

import numpy as np
import pytest

from cscluster import load_dataset
from cscluster.constraints import Constraints
from cscluster.experiment.config.schedules import Active, Strategy
from cscluster.queries.active import uncertainty
from cscluster.queries.strategies import questions

STRATEGIES = get_args(Strategy)


def iris():
    data = load_dataset("iris")
    return (data.X - data.X.mean(axis=0)) / data.X.std(axis=0), data.y


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_question_follows_from_earlier_answers_and_the_budget_is_kept(strategy):
    X, y = iris()
    asked = []

    def oracle(a, b, number):
        assert number == len(asked)
        asked.append((a, b))
        return bool(y[a] == y[b])

    answers = questions(strategy, X, 3, 40, oracle, np.random.default_rng(0))
    assert answers == [(a, b, y[a] == y[b]) for a, b in asked]
    assert len(answers) == 40
    for t, (*pair, _) in enumerate(answers):
        before = Constraints.from_labels(asked[:t], y)
        i, j = before.components[pair]
        assert i != j
        assert sorted((i, j)) not in before.component_cannot_links.tolist()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_seed_asks_the_same_and_more_questions_extend_fewer(strategy):
    X, y = iris()
    schedule = Active(counts=[10, 25], strategy=strategy)
    few, again, many = (schedule.episode(p, y, 3, "iris", 0, X=X).tiers[0] for p in (10, 10, 25))
    assert few == again
    assert (few | many) == many
    assert len(many.violated(y)) == 0


def test_min_max_takes_the_sample_farthest_from_all_that_are_known():
    X = np.array([[0.0], [10.0], [4.0], [5.0], [9.0]])
    y = np.array([0, 1, 0, 0, 1])
    answers = questions("min_max", X, 2, 3, lambda a, b, _: bool(y[a] == y[b]), np.random.default_rng(1))
    known = {answers[0][1]}
    for sample, _, _ in answers:
        gap = [min(abs(X[s, 0] - X[k, 0]) for k in known) for s in range(5)]
        if sample not in known:
            assert gap[sample] == max(gap)
        known.add(sample)


def test_uncertainty_prefers_doubt_and_few_questions():
    sure, torn, open_ = uncertainty(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1.0, 1.0, 1.0]]))
    # log 2 over 1/2 + 2/2 = 1.5 questions; log 3 over (1 + 2 + 2) / 3, as the last answer follows
    assert sure == pytest.approx(0, abs=1e-8)
    assert torn == pytest.approx(np.log(2) / 1.5)
    assert open_ == pytest.approx(np.log(3) / (5 / 3))
