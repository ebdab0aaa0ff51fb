import inspect
import math
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from cscluster import RCA, KMeans
from cscluster.algorithms.base import Clusterer, ConstrainedEstimator
from cscluster.algorithms.parameters import (
    Array,
    Boolean,
    Choice,
    Estimator,
    Integer,
    Null,
    Parameter,
    Real,
    check,
    parameter,
    problem,
    published_values,
)
from cscluster.errors import ParameterError


@pytest.mark.parametrize(
    ("rule", "legal", "illegal", "words"),
    [
        (Integer(), [-5, 0, 10**30, np.int32(3)], [1.0, True, "1", None, np.bool_(True)], "an integer"),
        (Integer(1), [1, 2], [0, -1], "an integer >= 1"),
        (Integer(0, 2), [0, 1, 2], [-1, 3], "an integer from 0 to 2"),
        (Integer(high=2), [-9, 2], [3], "an integer <= 2"),
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
            [RCA(), Pipeline([("metric", RCA())])],
            [KMeans(), None, 3, RCA, StandardScaler()],
            "an estimator with fit(X, constraints=...) and transform()",
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


class Base(Clusterer):
    """A clusterer.

    It does nothing.

    Attributes
    ----------
    labels_ : ndarray
        All zero.
    """

    width: float = parameter(0.5, "width of the window", Real(0))

    def fit(self, X, y=None, constraints=None):
        X, _ = self._validate(X, y, constraints)
        self.labels_ = np.zeros(len(X), dtype=np.int64)
        return self


class Published(Base):
    """A clusterer of a publication."""

    width: float = parameter(0.5, published=2.0, why="half is enough")


def test_published_values_stand_beside_the_defaults():
    assert (Published().width, Published.published().width, Published.published(width=3.0).width) == (
        0.5,
        2.0,
        3.0,
    )
    assert Published.parameters["width"].meaning == Base.parameters["width"].meaning
    assert published_values(Published.parameters) == {"width": 2.0}
    assert published_values(Base.parameters) == {}
    assert "width : a number >= 0, default 0.5, published 2.0" in Published.__doc__


class Mixin(ConstrainedEstimator):
    shape: str = parameter("round", "its shape", Choice("round", "square"))


class Joined(Mixin, Base):
    width: float = 2.0


def test_declared_parameters_make_the_constructor_that_scikit_learn_wants():
    model = Joined(width=3.0, n_clusters=4)
    assert model.get_params() == {"n_clusters": 4, "random_state": None, "width": 3.0, "shape": "round"}
    assert repr(model) == "Joined(n_clusters=4, width=3.0)"
    assert clone(model).set_params(shape="square").get_params() == model.get_params() | {"shape": "square"}
    assert {p.kind for p in inspect.signature(Joined).parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    with pytest.raises(TypeError, match="'height'"):
        Joined(height=1)


def test_a_subclass_changes_a_default_and_inherits_the_rest():
    assert (Base().width, Joined().width) == (0.5, 2.0)
    assert Joined.parameters["width"] is Base.parameters["width"]
    assert list(Joined.parameters) == ["n_clusters", "random_state", "width", "shape"]
    with pytest.raises(ParameterError, match=r"'width'.*Joined.*-1"):
        Joined(width=-1).fit([[0.0], [1.0]])


def test_declared_parameters_are_documented():
    assert (
        Base.__doc__
        == """A clusterer.

It does nothing.

Parameters
----------
n_clusters : an integer >= 1, default 2
    number of clusters
random_state : int, RandomState, Generator or None, default None
    seed of the random choices
width : a number >= 0, default 0.5
    width of the window

Attributes
----------
labels_ : ndarray
    All zero."""
    )
    assert Joined.__doc__ is None


def test_a_constructor_of_its_own_stays():
    class Own(Base):
        parameters = {"depth": Parameter("depth", Integer(1))}

        def __init__(self, depth=1):
            self.depth = depth

    class Heir(Own):
        pass

    assert Heir(depth=3).fit([[0.0], [1.0]]).get_params() == {"depth": 3}


def test_what_is_no_declaration_is_refused():
    with pytest.raises(TypeError, match=r"'width'.*Plain"):

        class Plain(Clusterer):
            width: float = 0.5

    with pytest.raises(TypeError, match=r"'centers_'.*Fitted"):

        class Fitted(Clusterer):
            centers_: list


TABLE = {"lam": Parameter("weight", Real(0)), "max_iter": Parameter("limit", Integer(1))}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("lam", -1, "'lam' of Toy must be a number >= 0, got -1"),
        ("lam", "1", "'lam' of Toy must be a number >= 0, got '1'"),
        ("max_itr", 3, "Toy has no parameter 'max_itr'. Did you mean 'max_iter'?"),
        ("zzz", 3, "Toy has no parameter 'zzz'. There are lam, max_iter."),
        ("lam", 1, None),
    ],
)
def test_problems_name_the_parameter_its_owner_what_is_legal_and_what_was_given(name, value, message):
    assert problem("Toy", TABLE, name, value) == message


def test_check_raises_the_first_problem():
    check("Toy", TABLE, {"lam": 1, "max_iter": 2})
    with pytest.raises(ParameterError, match=r"^'lam'.*Toy.*\b0\b.*-1"):
        check("Toy", TABLE, {"lam": -1, "max_iter": 0})
