import numpy as np
import pytest
from scipy import sparse

from cscluster import CPMMC
from cscluster.algorithms.margin.cccp import model as margin_model
from cscluster.errors import ParameterError
from cscluster.metrics.scores import score
from tests.algorithms.samples import blobs


def printed_objective(model, X):
    """Objective (1), written out."""
    S = np.sort(model.decision_function(X), axis=1)
    weights = (model.coef_**2).sum() + (bias(model) ** 2).sum()
    return 0.5 * model.lam * weights + np.maximum(0, 1 - S[:, -1] + S[:, -2]).mean()


def bias(model):
    return model.intercept_ + model.coef_ @ model._mean


@pytest.mark.parametrize("with_bias", [False, True])
def test_objective_is_the_printed_one_and_never_rises(with_bias):
    X, y = blobs(n=120, d=3, gap=8)
    model = CPMMC(n_clusters=3, lam=0.05, bias=with_bias, random_state=0).fit(X)
    assert model.objective_[-1] == pytest.approx(printed_objective(model, X))
    assert (np.diff(model.objective_) <= 1e-12).all()
    assert model.gap_ <= 1e-3 * model.objective_[-1] * 1.2
    assert score("acc", y, model.labels_) > 0.95


@pytest.mark.parametrize("solver", ["dual", "subgradient"])
@pytest.mark.parametrize("balance", [0.0, 0.01, 0.5])
def test_balance_constraint_holds(solver, balance):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(100, 2)), rng.normal(size=(20, 2)) + 3])
    model = CPMMC(n_clusters=2, lam=0.01, balance=balance, solver=solver, random_state=0).fit(X)
    S = model.decision_function(X)
    assert abs(S[:, 0].sum() - S[:, 1].sum()) <= len(X) * balance * (1 + 1e-6) + 1e-6
    assert abs(bias(model)[0] - bias(model)[1]) <= balance * (1 + 1e-6) + 1e-6


def test_a_wider_range_never_costs(monkeypatch):
    monkeypatch.setattr(margin_model, "GAIN_TOL", 0.0)
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(100, 2)), rng.normal(size=(20, 2)) + 3])
    value = [
        CPMMC(n_clusters=2, lam=0.1, balance=q, random_state=0, gap_tol=1e-5).fit(X).objective_[0]
        for q in (0, 0.1, 5)
    ]
    assert value[0] >= value[1] * 0.99 >= value[2] * 0.98


def test_without_bias_balance_is_given():
    X, _ = blobs(n=120, d=3, gap=8)
    S = CPMMC(n_clusters=3, lam=0.1, bias=False, balance=0.0, random_state=0).fit(X).decision_function(X)
    assert np.allclose(S.sum(axis=0), 0, atol=1e-8)


def test_sparse_samples_and_prediction():
    X, _ = blobs(n=120, d=3, gap=8)
    dense = CPMMC(n_clusters=3, lam=0.1, random_state=0, gap_tol=1e-5).fit(X)
    other = CPMMC(n_clusters=3, lam=0.1, random_state=0, gap_tol=1e-5).fit(sparse.csr_array(X))
    assert dense.objective_[-1] == pytest.approx(other.objective_[-1], rel=1e-3)
    assert np.array_equal(dense.predict(X), dense.labels_)
    assert np.array_equal(other.predict(sparse.csr_array(X)), other.labels_)


def test_one_cluster_is_refused():
    with pytest.raises(ParameterError, match=r"'n_clusters'.*CPMMC.*\b2\b.*\b1\b"):
        CPMMC(n_clusters=1).fit([[0.0], [1.0]])


def test_the_published_form_has_no_bias():
    model = CPMMC.published(n_clusters=3)
    assert (model.lam, model.bias) == (1.0, False)
