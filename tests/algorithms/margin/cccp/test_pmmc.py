import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from cscluster import CPCMMC, PMMC, Constraints, load_dataset
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.starts import ConstraintProjections
from cscluster.algorithms.shared import sharing
from cscluster.errors import ConstraintError, DataError, ParameterError
from cscluster.experiment.config.schedules import RandomPairs
from cscluster.metrics.scores import score
from tests.algorithms.samples import blobs


def unbiased(**params):
    """Return PMMC with the objective of the paper: no bias."""
    return PMMC(**{"lam": 1.0, "bias": False, **params})


def iris(count=40, trial=0):
    data = load_dataset("iris")
    constraints = RandomPairs(counts=[count]).episode(count, data.y, 0, "iris", trial).tiers[0]
    return data.X.astype(np.float64), data.y, constraints


def same_partition(a, b):
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


def printed_objective(model, X, constraints, delta):
    """Objective (6), written out with loops over all pairs of clusters."""
    C = model.n_clusters
    S = model.decision_function(X)
    same = [(z, z) for z in range(C)]
    other = [z for z in itertools.product(range(C), repeat=2) if z[0] != z[1]]
    eta = 0.0
    for pairs, satisfying, violating in (
        (constraints.must_links, same, other),
        (constraints.cannot_links, other, same),
    ):
        for i, j in pairs:
            satisfied = max(S[i, a] + S[j, b] for a, b in satisfying)
            eta += max(0.0, 1 - satisfied + max(S[i, a] + S[j, b] for a, b in violating))
    free = sorted(set(range(len(X))) - set(constraints.touched.tolist()))
    xi = sum(max(0.0, 1 - S[i].max() + S[i, z]) for i in free for z in range(C))
    norm = 0.5 * model.lam * (model.coef_**2).sum()
    return norm + eta / len(constraints) + delta * xi / (len(free) * C)


@pytest.mark.parametrize("solver", ["dual", "subgradient"])
def test_objective_is_the_printed_one_and_never_rises_within_a_phase(solver):
    X, _, constraints = iris()
    model = unbiased(n_clusters=3, lam=0.1, solver=solver, random_state=0).fit(X, constraints=constraints)
    assert model.objective_[-1] == pytest.approx(printed_objective(model, X, constraints, 1.0))
    assert model.delta_.tolist() == sorted(model.delta_.tolist())
    for delta in (0.0, 1.0):
        assert (np.diff(model.objective_[model.delta_ == delta]) <= 1e-12).all()
    assert len(model.objective_) == len(model.n_steps_) == len(model.delta_) == model.n_iter_
    assert np.isfinite(model.gap_) == (solver == "dual")


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_default_solver_ends_no_higher_than_algorithm_2_from_the_same_start(lam):
    X, _, constraints = iris()
    common = {"n_clusters": 3, "lam": lam, "init": "paper", "random_state": 0, "tol": 1e-4}
    dual = unbiased(**common).fit(X, constraints=constraints)
    rival = unbiased(**common, solver="subgradient", max_steps=2000).fit(X, constraints=constraints)
    # The first convex problem is the same for both.
    assert dual.objective_[0] <= rival.objective_[0] * 1.11
    assert dual.gap_ <= 1e-3 * dual.objective_[-1] * 1.2


def test_links_decide_which_grouping_is_found():
    rng = np.random.default_rng(0)
    corner = rng.integers(0, 2, (120, 2))
    X = 6.0 * corner + rng.normal(size=(120, 2))
    for feature in (0, 1):
        y = corner[:, feature]
        constraints = RandomPairs(counts=[20]).episode(20, y, 0, "corners", 0).tiers[0]
        labels = unbiased(n_clusters=2, lam=0.1, random_state=0).fit(X, constraints=constraints).labels_
        assert score("acc", y, labels) > 0.95


def test_beats_kmeans_on_pen_digits():
    data = load_dataset("pendigit389")
    constraints = RandomPairs(counts=[100]).episode(100, data.y, 2012, "pendigit389", 0).tiers[0]
    model = unbiased(n_clusters=3, lam=100, random_state=0).fit(data.X, constraints=constraints)
    assert score("acc", data.y, model.labels_) > 0.95
    assert score("acc", data.y_unseen, model.predict(data.X_unseen)) > 0.9


def test_centring_and_rotation_of_the_features_change_nothing():
    X, _, constraints = iris()
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    a = unbiased(n_clusters=3, lam=0.1, random_state=0, gap_tol=1e-5).fit(X, constraints=constraints)
    b = unbiased(n_clusters=3, lam=0.1, random_state=0, gap_tol=1e-5).fit(
        (X + 100.0) @ Q, constraints=constraints
    )
    assert same_partition(a.labels_, b.labels_)
    assert a.objective_[-1] == pytest.approx(b.objective_[-1], rel=1e-3)


def test_sparse_and_dense_samples_give_the_same_model():
    rng = np.random.default_rng(1)
    X, y = blobs(d=12)
    X *= rng.random(X.shape) < 0.9
    constraints = Constraints.from_labels(rng.permutation(90)[:40].reshape(-1, 2), y)
    for bias in (False, True):
        given = {"n_clusters": 3, "lam": 0.1, "bias": bias, "random_state": 0, "gap_tol": 1e-4}
        dense = unbiased(**given).fit(X, constraints=constraints)
        other = unbiased(**given).fit(sparse.csr_array(X), constraints=constraints)
        assert same_partition(dense.labels_, other.labels_)
        assert dense.objective_[-1] == pytest.approx(other.objective_[-1], rel=1e-2)
        assert np.array_equal(other.predict(sparse.csr_array(X)), other.labels_)


def test_sparse_samples_may_have_long_indices():
    X, y = blobs(2)
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    constraints = Constraints.from_labels([(0, 2), (0, 1)], y)
    assert (
        score(
            "acc",
            y,
            unbiased(n_clusters=2, lam=0.1, random_state=0).fit(long, constraints=constraints).labels_,
        )
        == 1.0
    )


def test_more_features_than_samples_are_handled_in_their_span():
    X, y = blobs(d=300)
    constraints = Constraints.from_labels(np.random.default_rng(0).permutation(90)[:30].reshape(-1, 2), y)
    model = unbiased(n_clusters=3, lam=1.0, random_state=0).fit(X, constraints=constraints)
    assert model.coef_.shape == (3, 300)
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.objective_[-1] == pytest.approx(printed_objective(model, X, constraints, 1.0))


@pytest.mark.parametrize("method", [PMMC, CPCMMC])
def test_a_fit_that_shares_the_work_of_others_is_what_it_would_be_alone(method):
    X, y = blobs(d=50)
    constraints = Constraints.from_labels(np.random.default_rng(0).permutation(90)[:30].reshape(-1, 2), y)

    def fit(lam, bias):
        return method(n_clusters=3, lam=lam, bias=bias, random_state=0).fit(X, constraints=constraints)

    for bias in (False, True):
        alone = fit(0.1, bias)
        with sharing(X):
            fit(10.0, bias)
            after_another = fit(0.1, bias)
        assert np.array_equal(alone.labels_, after_another.labels_)
        assert np.array_equal(alone.coef_, after_another.coef_)


def test_kernel_separates_rings_that_no_linear_score_can():
    rng = np.random.default_rng(0)
    y = np.arange(160) % 2
    angle = rng.uniform(0, 2 * np.pi, 160)
    X = (1.0 + 3.0 * y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    X += 0.2 * rng.normal(size=X.shape)
    train, new = np.arange(120), np.arange(120, 160)
    constraints = RandomPairs(counts=[40]).episode(40, y[train], 0, "rings", 0).tiers[0]
    model = unbiased(
        n_clusters=2, lam=0.01, kernel="gaussian", sigma=np.sqrt(2), sigma_unit="data", random_state=0
    ).fit(X[train], constraints=constraints)
    assert score("acc", y[train], model.labels_) > 0.95
    assert score("acc", y[new], model.predict(X[new])) > 0.95
    assert unbiased(n_clusters=2, kernel="gaussian", n_components=5).fit(
        X[train], constraints=constraints
    ).coef_.shape == (2, 5)


def test_a_bias_lets_a_cluster_lie_in_the_middle():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = 10.0 * (y - 1.0)[:, None] + rng.normal(size=(90, 1))
    constraints = RandomPairs(counts=[40]).episode(40, y, 0, "line", 0).tiers[0]
    fitted = {
        bias: unbiased(n_clusters=3, lam=0.01, bias=bias, random_state=0).fit(X, constraints=constraints)
        for bias in (False, True)
    }
    assert score("acc", y, fitted[False].labels_) < 0.7
    assert score("acc", y, fitted[True].labels_) > 0.95
    assert fitted[True].objective_[-1] < fitted[False].objective_[-1]


def test_projection_solves_the_generalised_eigenproblem():
    X, _, constraints = iris(60)
    design = Design.of(X, X.mean(axis=0), bias=False)
    D_m = X[constraints.must_links[:, 0]] - X[constraints.must_links[:, 1]]
    D_c = X[constraints.cannot_links[:, 0]] - X[constraints.cannot_links[:, 1]]
    S_m, S_c = D_m.T @ D_m / len(D_m), D_c.T @ D_c / len(D_c)
    projections = ConstraintProjections(design, constraints, np.random.default_rng(0))
    assert not projections.is_singular()
    A = projections.weights(3, 0.0).T
    assert np.allclose(A.T @ S_m @ A, np.eye(3))
    values = np.sort(np.linalg.eigvals(np.linalg.solve(S_m, S_c)).real)[::-1]
    assert np.allclose(np.diag(A.T @ S_c @ A), values[:3])


def test_random_state_decides_everything_and_more_candidates_end_no_higher():
    X, _, constraints = iris(20)
    a, b = (unbiased(n_clusters=3, lam=0.1, random_state=3).fit(X, constraints=constraints) for _ in range(2))
    assert np.array_equal(a.labels_, b.labels_)
    assert np.array_equal(a.objective_, b.objective_)
    every = unbiased(n_clusters=3, lam=0.1, random_state=3, n_finalists=9).fit(X, constraints=constraints)
    assert every.objective_[-1] <= a.objective_[-1] * 1.02
    assert clone(a).get_params() == a.get_params()


def test_without_annealing_all_losses_count_from_the_first_iteration():
    X, _, constraints = iris()
    model = unbiased(n_clusters=3, lam=0.1, annealing=0, random_state=0).fit(X, constraints=constraints)
    assert (model.delta_ == 1.0).all()
    assert (np.diff(model.objective_) <= 1e-12).all()


def test_weights_of_links_count():
    X, _, _ = iris()
    constraints = Constraints([(0, 1)], [(0, 1)], n_samples=150, must_weights=[9.0])
    with pytest.warns(UserWarning, match=r"\b0\b.*\b1\b.*must-links.*PMMC"):
        labels = unbiased(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_
    assert labels[0] == labels[1]


@pytest.mark.parametrize("method", [PMMC, PMMC.published])
def test_without_constraints_it_names_the_method_that_needs_none(method):
    with pytest.raises(ConstraintError, match="cpmmc"):
        method(n_clusters=2).fit(blobs(2)[0])


def test_one_kind_of_links_is_enough():
    X, y = blobs(3)
    rng = np.random.default_rng(0)
    constraints = Constraints.from_labels(rng.permutation(90)[:60].reshape(-1, 2), y)
    for kind in (
        Constraints(constraints.must_links, n_samples=90),
        Constraints((), constraints.cannot_links, n_samples=90),
    ):
        for init in ("auto", "paper"):
            model = unbiased(n_clusters=3, lam=0.1, init=init, random_state=0).fit(X, constraints=kind)
            assert np.isfinite(model.objective_).all()
        assert (
            score("acc", y, unbiased(n_clusters=3, lam=0.1, random_state=0).fit(X, constraints=kind).labels_)
            > 0.9
        )


def test_fewer_links_than_features_and_than_clusters():
    X, y = blobs(4, d=50)
    constraints = Constraints.from_labels([(0, 4), (1, 2)], y)
    for init in ("auto", "paper"):
        model = unbiased(n_clusters=4, lam=0.1, init=init, random_state=0).fit(X, constraints=constraints)
        assert np.isfinite(model.objective_).all()
        assert not len(constraints.violated(model.labels_))


def test_must_links_between_equal_samples_say_nothing_about_distances():
    X, y = blobs(2)
    X[1] = X[3]
    model = unbiased(n_clusters=2, lam=0.1, random_state=0).fit(
        X, constraints=Constraints([(1, 3)], [(0, 1)], n_samples=90)
    )
    assert score("acc", y, model.labels_) == 1.0


def test_links_may_touch_every_sample():
    X, y = blobs(2, n=20)
    constraints = Constraints.from_labels(np.arange(20).reshape(-1, 2), y)
    model = unbiased(n_clusters=2, lam=0.1, random_state=0).fit(X, constraints=constraints)
    assert score("acc", y, model.labels_) == 1.0


def test_contradictory_links_are_counted_and_soft():
    X, _, _ = iris()
    constraints = Constraints([(0, 1), (1, 2)], [(0, 2), (0, 140)], n_samples=150)
    with pytest.warns(UserWarning, match=r"\b0\b.*\b2\b.*must-links.*PMMC.*soft"):
        model = unbiased(n_clusters=2, lam=0.1, random_state=0).fit(X, constraints=constraints)
    assert len(constraints.violated(model.labels_)) >= 1


def test_one_cluster_is_refused():
    with pytest.raises(ParameterError, match=r"'n_clusters'.* PMMC\b.*\b2\b.*\b1\b"):
        unbiased(n_clusters=1).fit([[0.0], [1.0]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_identical_samples_are_refused(form):
    constraints = Constraints([(0, 1)], [(2, 3)], n_samples=6)
    with pytest.raises(DataError, match="samples are the same"):
        unbiased(n_clusters=2, random_state=0).fit(form(np.ones((6, 3))), constraints=constraints)


def test_the_weight_of_the_norm_goes_with_the_scale_of_the_features():
    X, _, constraints = iris()
    given = {"n_clusters": 3, "random_state": 0}
    for Z in (X, 50 * X):
        lam = 1e-3 * ((Z - Z.mean(axis=0)) ** 2).sum(axis=1).mean()
        auto = PMMC(**given).fit(Z, constraints=constraints)
        same = PMMC(lam=lam, **given).fit(Z, constraints=constraints)
        assert np.array_equal(auto.labels_, same.labels_)
        np.testing.assert_allclose(auto.objective_, same.objective_, rtol=1e-6)


def test_the_published_form():
    model = PMMC.published(n_clusters=4)
    assert (model.lam, model.init, model.solver, model.bias) == (1.0, "paper", "subgradient", False)
    assert PMMC().lam == "auto"


def test_costs_are_the_distances_from_the_highest_score():
    X, _, constraints = iris()
    model = PMMC(n_clusters=3, random_state=0).fit(X, constraints=constraints)
    S, costs = model.decision_function(X), model.costs(X)
    assert np.array_equal(costs.argmin(axis=1), model.labels_)
    np.testing.assert_allclose(costs[:, [0]] - costs, S - S[:, [0]], atol=1e-9)
    assert (costs.min(axis=1) == 0).all()


def test_a_kernel_matrix_that_does_not_fit_into_memory_is_refused(monkeypatch):
    X, _, constraints = iris()
    monkeypatch.setattr("cscluster.arrays.psutil.virtual_memory", lambda: SimpleNamespace(available=1000))
    with pytest.raises(DataError, match=r"PMMC.*150 x 150.*linear"):
        PMMC(n_clusters=3, kernel="gaussian").fit(X, constraints=constraints)


def test_samples_too_close_to_tell_apart_are_refused():
    X = 1e-9 * np.arange(6.0)[:, None]
    with pytest.raises(DataError, match=r"PMMC.*Standardise"):
        PMMC(n_clusters=2).fit(X, constraints=[(0, 5, "cannot")])
