import numpy as np
import pytest
from scipy import sparse

from cscluster import CPCMMC, Constraints, load_dataset
from cscluster.errors import ConstraintError, ParameterError
from cscluster.experiment.config.schedules import RandomPairs
from cscluster.metrics.scores import score


def iris(count=40):
    data = load_dataset("iris")
    return data.X, data.y, RandomPairs(counts=[count]).episode(count, data.y, 0, "iris", 0).tiers[0]


def printed_objective(model, X, constraints):
    """Objective (2), written out."""
    S = model.decision_function(X)
    n, C = S.shape
    points = sum(max(0.0, 1 - S[i].max() + S[i, z]) for i in range(n) for z in range(C))
    must = sum(np.abs(S[i] - S[j]).sum() for i, j in constraints.must_links)
    cannot = sum((S[i] + S[j]).max() - (S[i] + S[j]).mean() for i, j in constraints.cannot_links)
    return (
        0.5 * model.lam * (model.coef_**2).sum()
        + model.gamma1 * points / (n * C)
        + model.gamma2 * must / (len(constraints.must_links) * C)
        + model.gamma3 * cannot / len(constraints.cannot_links)
    )


@pytest.mark.parametrize("solver", ["dual", "subgradient"])
def test_objective_is_the_printed_one_and_never_rises(solver):
    X, _, constraints = iris()
    model = CPCMMC(n_clusters=3, lam=0.1, init="kmeans", solver=solver, random_state=0).fit(
        X, constraints=constraints
    )
    assert model.objective_[-1] == pytest.approx(printed_objective(model, X, constraints))
    assert (np.diff(model.objective_) <= 1e-12).all()
    assert len(model.objective_) == len(model.n_steps_) == model.n_iter_


def test_gap_is_certified():
    X, _, constraints = iris()
    model = CPCMMC(n_clusters=3, lam=0.01, tol=0.0, gap_tol=1e-5, random_state=0).fit(
        X, constraints=constraints
    )
    assert 0 <= model.gap_ <= 1e-5 * model.objective_[-1] * (1 + 1e-9)


def test_candidate_starts_end_no_higher_than_kmeans():
    X, y, constraints = iris(60)
    auto = CPCMMC(n_clusters=3, lam=0.01, random_state=0).fit(X, constraints=constraints)
    plain = CPCMMC(n_clusters=3, lam=0.01, init="kmeans", random_state=0).fit(X, constraints=constraints)
    assert auto.objective_[-1] <= plain.objective_[-1] * 1.02
    assert score("acc", y, auto.labels_) > 0.6


def test_sparse_samples_and_prediction():
    X, _, constraints = iris()
    dense = CPCMMC(n_clusters=3, lam=0.1, init="kmeans", random_state=0, gap_tol=1e-5).fit(
        X, constraints=constraints
    )
    other = CPCMMC(n_clusters=3, lam=0.1, init="kmeans", random_state=0, gap_tol=1e-5).fit(
        sparse.csr_array(X), constraints=constraints
    )
    assert dense.objective_[-1] == pytest.approx(other.objective_[-1], rel=1e-3)
    assert np.array_equal(dense.predict(X), dense.labels_)


def test_bad_input_is_named():
    X, _, constraints = iris()
    with pytest.raises(ConstraintError, match=r"CPCMMC.*bias=True.*cannot-links.*cpmmc"):
        CPCMMC(n_clusters=3, bias=True).fit(X)
    with pytest.raises(ParameterError, match=r"'n_clusters'.*CPCMMC.*\b2\b.*\b1\b"):
        CPCMMC(n_clusters=1).fit(X, constraints=constraints)
    with pytest.warns(UserWarning, match=r"\b0\b.*\b1\b.*must-links.*CPCMMC"):
        CPCMMC(n_clusters=2).fit(X, constraints=Constraints([(0, 1)], [(0, 1)], n_samples=150))
    for one_kind in (
        Constraints(constraints.must_links, n_samples=150),
        Constraints((), constraints.cannot_links, n_samples=150),
        Constraints.empty(150),
    ):
        assert np.isfinite(
            CPCMMC(n_clusters=3, lam=0.1, random_state=0).fit(X, constraints=one_kind).objective_
        ).all()


def test_the_published_form_starts_from_kmeans():
    model = CPCMMC.published(n_clusters=3)
    assert (model.lam, model.init, model.bias) == (1.0, "kmeans", False)
