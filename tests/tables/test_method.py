import numpy as np
import pytest
from scipy.sparse import csr_array

from cscluster import Constraints
from cscluster.errors import ConstraintError, ParameterError
from cscluster.tables import method
from cscluster.tables.method import Method
from tests.lines import assert_match


def fit(name, X, constraints, **options):
    return method.fit(Method(name, **options), 2, X, constraints, 0)


@pytest.mark.parametrize(
    ("name", "X", "k", "says"),
    [
        ("kmeans", np.eye(3), 3, r"\b3 clusters.*\b3 rows"),
        (None, np.eye(3), 3, r"\b3 clusters.*\b3 rows"),
        ("mmc_sdp", np.eye(5), 3, r"MMC.*two clusters.*\b3\b"),
        ("pckmeans", csr_array(np.eye(5)), 2, "PCK-Means.*'dense'"),
    ],
)
def test_what_a_method_cannot_do(name, X, k, says):
    with pytest.raises(ParameterError, match=says):
        Method(name, n_clusters=k).require_suited(X, Constraints.empty(X.shape[0]))


def test_hard_constraints_need_a_method_that_guarantees_them():
    hard = Constraints([(0, 1)], n_samples=6).hardened()
    for allowed in (Method(), Method("pccc"), Method("cop_kmeans"), Method("rca", clusterer="pccc")):
        allowed.require_suited(np.eye(6), hard)
    for refused in (Method("kmeans"), Method("pmmc", guard=True), Method("rca"), Method("csp")):
        with pytest.raises(ConstraintError, match=r"hard constraints.*pccc.*cop_kmeans"):
            refused.require_suited(np.eye(6), hard)


def test_warnings_become_notes():
    contradictory = Constraints([(0, 1)], [(0, 1)], n_samples=6)
    found = fit("pmmc", np.arange(12.0).reshape(6, 2), contradictory)
    assert found.labels.shape == (6,)
    assert any("PMMC treats them as soft" in note for note in found.notes)


def test_a_class_that_labels_nothing_is_named(tmp_path):
    (tmp_path / "own.py").write_text(
        "class Own:\n    def __init__(self): pass\n    def fit(self, X, constraints=None): return self\n"
    )
    with pytest.raises(ParameterError, match=r"own\.py:Own'.*labels_"):
        fit(f"{tmp_path}/own.py:Own", np.eye(4), Constraints.empty(4))


def test_a_method_that_uses_no_constraints_says_so_when_it_is_given_some():
    X = np.arange(12.0)[:, None]
    constraints = Constraints([(0, 1)], [(0, 11)], n_samples=12)
    assert_match(fit("kmeans", X, constraints).notes, "k-means uses no constraints")
    assert fit("kmeans", X, Constraints.empty(12)).notes == []
    assert not any("uses no constraints" in note for note in fit("pckmeans", X, constraints).notes)


def test_what_was_fitted_has_the_title_and_the_choice_its_reason():
    X = np.arange(12.0)[:, None]
    constraints = Constraints([(0, 1)], [(0, 11)], n_samples=12)
    for found in (method.fit(Method(), 2, X, constraints, 0), fit("pckmeans", X, constraints, guard=True)):
        assert found.title == found.choice.algorithm_ == "k-means"
        assert found.choice.uses_baseline_
    assert fit("pckmeans", X, constraints).choice is None


def test_entailed_constraints_are_the_closure_and_of_many_a_part(monkeypatch):
    chain = Constraints([(i, i + 1) for i in range(9)], [(0, 10)], n_samples=20)
    assert method.entailed(chain, 0) == chain.closure()
    monkeypatch.setattr(method, "MAX_ENTAILED", 20)
    some = method.entailed(chain, 0)
    assert some == method.entailed(chain, 0)
    assert chain | some == some
    assert chain.closure() | some == chain.closure()
    assert 20 <= len(some) <= 30
    monkeypatch.setattr(method, "MAX_CLOSURE", 30)
    assert method.entailed(chain, 0) == chain


def test_hard_and_contradictory_constraints_stay_as_they_are():
    for constraints in (
        Constraints([(0, 1), (1, 2)], n_samples=4).hardened(),
        Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=4),
    ):
        assert method.entailed(constraints, 0) == constraints
