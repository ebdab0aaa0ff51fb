import math
from fractions import Fraction

import numpy as np
import pytest

from cscluster import KMeans
from cscluster.algorithms.parameters import (
    N_CLUSTERS,
    RANDOM_STATE,
    Array,
    Boolean,
    Choice,
    Estimator,
    Integer,
    Null,
    Parameter,
    Real,
    check,
    problem,
)
from cscluster.errors import ParameterError


@pytest.mark.parametrize(
    ("rule", "legal", "illegal", "words"),
    [
        (Integer(), [-5, 0, 10**30, np.int32(3)], [1.0, True, "1", None, np.bool_(True)], "a whole number"),
        (Integer(1), [1, 2], [0, -1], "a whole number >= 1"),
        (Integer(0, 2), [0, 1, 2], [-1, 3], "a whole number from 0 to 2"),
        (Integer(high=2), [-9, 2], [3], "a whole number <= 2"),
        (Real(), [0, -1.5, np.float32(2), Fraction(1, 2)], [math.nan, math.inf, True, "1", 1j], "a number"),
        (Real(0), [0, 0.0, 1e300], [-1e-300, 10**400], "a number >= 0"),
        (Real(0, open_low=True), [1e-300], [0, -1], "a number > 0"),
        (Real(0, 1), [0, 1, 0.5], [-0.1, 1.1], "a number >= 0 and <= 1"),
        (Real(0, 1, open_high=True), [0, 0.999], [1], "a number >= 0 and < 1"),
        (Real(high=1), [-9, 1], [2], "a number <= 1"),
        (Choice("a", "b"), ["a", "b"], ["c", "A", None, 1], "'a' | 'b'"),
        (Boolean(), [True, False], [0, 1, "true", None], "true | false"),
        (Null(), [None], [0, False, ""], "null"),
        (Array("a matrix"), [[1], (1, 2), np.eye(2)], ["ab", 1, None, {1}], "a matrix"),
        (
            Estimator("transform"),
            [type("T", (), {"transform": 1})()],
            [KMeans(), None, 3],
            "an estimator with transform()",
        ),
    ],
)
def test_rules(rule, legal, illegal, words):
    assert all(rule.allows(value) for value in legal)
    assert not any(rule.allows(value) for value in illegal)
    assert str(rule) == words


def test_a_parameter_allows_what_one_of_its_rules_allows():
    gamma = Parameter("width", Real(0, open_low=True), Choice("median"), Null())
    assert all(gamma.allows(value) for value in (0.5, "median", None))
    assert not gamma.allows("mean")
    assert gamma.legal == "a number > 0 or 'median' or null"


def test_shared_parameters():
    assert RANDOM_STATE.allows(None)
    assert RANDOM_STATE.allows(2**32 - 1)
    assert not RANDOM_STATE.allows(2**32)
    assert not RANDOM_STATE.allows(-1)
    assert N_CLUSTERS.allows(1)
    assert not N_CLUSTERS.allows(0)


TABLE = {"lam": Parameter("weight", Real(0)), "max_iter": Parameter("limit", Integer(1))}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("lam", -1, "'lam' of Toy must be a number >= 0, got -1"),
        ("lam", "1", "'lam' of Toy must be a number >= 0, got '1'"),
        ("max_itr", 3, "Toy has no parameter 'max_itr'; did you mean 'max_iter'?"),
        ("zzz", 3, "Toy has no parameter 'zzz'; there are lam, max_iter"),
        ("lam", 1, None),
    ],
)
def test_problems_name_the_parameter_its_owner_what_is_legal_and_what_was_given(name, value, message):
    assert problem("Toy", TABLE, name, value) == message


def test_check_raises_the_first_problem():
    check("Toy", TABLE, {"lam": 1, "max_iter": 2})
    with pytest.raises(ParameterError, match=r"^'lam' of Toy must be a number >= 0, got -1\.$"):
        check("Toy", TABLE, {"lam": -1, "max_iter": 0})
