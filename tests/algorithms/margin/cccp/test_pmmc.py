import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from cscluster import CPCMMC, PMMC, Constraints, KMeans, load_dataset
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.starts import LinkProjections
from cscluster.algorithms.shared import sharing
from cscluster.constraints.schedules import RandomPairs
from cscluster.errors import ConstraintError, DataError, ParameterError
from cscluster.metrics.scores import score


def printed(**params):
    """PMMC with the scores of the paper: no bias, no fallback, each sample by its own scores."""
    return PMMC(**{"lam": 1.0, "bias": False, "joint": False, "fallback": False, **params})


def iris(count=40, trial=0):
    data = load_dataset("iris")
    links = RandomPairs(counts=[count]).episode(count, data.y, 0, "iris", trial).tiers[0]
    return data.X.astype(np.float64), data.y, links


def blobs(n_clusters=3, n=90, d=4, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_clusters
    return rng.normal(size=(n, d)) + 6 * rng.normal(size=(n_clusters, d))[y], y


def same_partition(a, b):
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


def printed_objective(model, X, links, delta):
    """Objective (6), written out with loops over all pairs of clusters."""
    C = model.n_clusters
    S = model.decision_function(X)
    same = [(z, z) for z in range(C)]
    other = [z for z in itertools.product(range(C), repeat=2) if z[0] != z[1]]
    eta = 0.0
    for pairs, keep, break_ in ((links.must_links, same, other), (links.cannot_links, other, same)):
        for i, j in pairs:
            kept = max(S[i, a] + S[j, b] for a, b in keep)
            eta += max(0.0, 1 - kept + max(S[i, a] + S[j, b] for a, b in break_))
    free = sorted(set(range(len(X))) - set(links.touched.tolist()))
    xi = sum(max(0.0, 1 - S[i].max() + S[i, z]) for i in free for z in range(C))
    norm = 0.5 * model.lam * (model.coef_**2).sum()
    return norm + eta / len(links) + delta * xi / (len(free) * C)


@pytest.mark.parametrize("solver", ["dual", "subgradient"])
def test_objective_is_the_printed_one_and_never_rises_within_a_phase(solver):
    X, _, links = iris()
    model = printed(n_clusters=3, lam=0.1, solver=solver, random_state=0).fit(X, links)
    assert model.objective_[-1] == pytest.approx(printed_objective(model, X, links, 1.0))
    assert model.delta_.tolist() == sorted(model.delta_.tolist())
    for delta in (0.0, 1.0):
        assert (np.diff(model.objective_[model.delta_ == delta]) <= 1e-12).all()
    assert len(model.objective_) == len(model.n_steps_) == len(model.delta_) == model.n_iter_
    assert np.isfinite(model.gap_) == (solver == "dual")


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_default_solver_ends_no_higher_than_algorithm_2_from_the_same_start(lam):
    X, _, links = iris()
    common = {"n_clusters": 3, "lam": lam, "init": "paper", "random_state": 0, "tol": 1e-4}
    dual = printed(**common).fit(X, links)
    rival = printed(**common, solver="subgradient", max_steps=2000).fit(X, links)
    # The first convex problem is the same for both.
    assert dual.objective_[0] <= rival.objective_[0] * 1.11
    assert dual.gap_ <= 1e-3 * dual.objective_[-1] * 1.2


def test_links_decide_which_grouping_is_found():
    rng = np.random.default_rng(0)
    corner = rng.integers(0, 2, (120, 2))
    X = 6.0 * corner + rng.normal(size=(120, 2))
    for feature in (0, 1):
        y = corner[:, feature]
        links = RandomPairs(counts=[20]).episode(20, y, 0, "corners", 0).tiers[0]
        labels = printed(n_clusters=2, lam=0.1, random_state=0).fit(X, links).labels_
        assert score("acc", y, labels) > 0.95


def test_beats_kmeans_on_pen_digits():
    data = load_dataset("pendigit389")
    links = RandomPairs(counts=[100]).episode(100, data.y, 2012, "pendigit389", 0).tiers[0]
    model = printed(n_clusters=3, lam=100, random_state=0).fit(data.X, links)
    assert score("acc", data.y, model.labels_) > 0.95
    assert score("acc", data.y_unseen, model.predict(data.X_unseen)) > 0.9


def test_centring_and_rotation_of_the_features_change_nothing():
    X, _, links = iris()
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    a = printed(n_clusters=3, lam=0.1, random_state=0, gap_tol=1e-5).fit(X, links)
    b = printed(n_clusters=3, lam=0.1, random_state=0, gap_tol=1e-5).fit((X + 100.0) @ Q, links)
    assert same_partition(a.labels_, b.labels_)
    assert a.objective_[-1] == pytest.approx(b.objective_[-1], rel=1e-3)


def test_sparse_and_dense_samples_give_the_same_model():
    rng = np.random.default_rng(1)
    X, y = blobs(d=12)
    X *= rng.random(X.shape) < 0.9
    links = Constraints.from_labels(rng.permutation(90)[:40].reshape(-1, 2), y)
    for bias in (False, True):
        given = {"n_clusters": 3, "lam": 0.1, "bias": bias, "random_state": 0, "gap_tol": 1e-4}
        dense = printed(**given).fit(X, links)
        other = printed(**given).fit(sparse.csr_array(X), links)
        assert same_partition(dense.labels_, other.labels_)
        assert dense.objective_[-1] == pytest.approx(other.objective_[-1], rel=1e-2)
        assert np.array_equal(other.predict(sparse.csr_array(X)), other.labels_)


def test_sparse_samples_may_have_long_indices():
    X, y = blobs(2)
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    links = Constraints.from_labels([(0, 2), (0, 1)], y)
    assert score("acc", y, printed(n_clusters=2, lam=0.1, random_state=0).fit(long, links).labels_) == 1.0


def test_more_features_than_samples_are_handled_in_their_span():
    X, y = blobs(d=300)
    links = Constraints.from_labels(np.random.default_rng(0).permutation(90)[:30].reshape(-1, 2), y)
    model = printed(n_clusters=3, lam=1.0, random_state=0).fit(X, links)
    assert model.coef_.shape == (3, 300)
    assert np.array_equal(model.predict(X), model.labels_)
    assert model.objective_[-1] == pytest.approx(printed_objective(model, X, links, 1.0))


@pytest.mark.parametrize("method", [PMMC, CPCMMC])
def test_a_fit_that_shares_the_work_of_others_is_what_it_would_be_alone(method):
    X, y = blobs(d=50)
    links = Constraints.from_labels(np.random.default_rng(0).permutation(90)[:30].reshape(-1, 2), y)

    def fit(lam, bias):
        return method(n_clusters=3, lam=lam, bias=bias, fallback=False, random_state=0).fit(X, links)

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
    links = RandomPairs(counts=[40]).episode(40, y[train], 0, "rings", 0).tiers[0]
    model = printed(
        n_clusters=2, lam=0.01, kernel="gaussian", sigma=np.sqrt(2), sigma_unit="data", random_state=0
    ).fit(X[train], links)
    assert score("acc", y[train], model.labels_) > 0.95
    assert score("acc", y[new], model.predict(X[new])) > 0.95
    assert printed(n_clusters=2, kernel="gaussian", n_components=5).fit(X[train], links).coef_.shape == (2, 5)


def test_a_bias_lets_a_cluster_lie_in_the_middle():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = 10.0 * (y - 1.0)[:, None] + rng.normal(size=(90, 1))
    links = RandomPairs(counts=[40]).episode(40, y, 0, "line", 0).tiers[0]
    fitted = {
        bias: printed(n_clusters=3, lam=0.01, bias=bias, random_state=0).fit(X, links)
        for bias in (False, True)
    }
    assert score("acc", y, fitted[False].labels_) < 0.7
    assert score("acc", y, fitted[True].labels_) > 0.95
    assert fitted[True].objective_[-1] < fitted[False].objective_[-1]


def test_projection_solves_the_generalised_eigenproblem():
    X, _, links = iris(60)
    design = Design.of(X, X.mean(axis=0), bias=False)
    D_m = X[links.must_links[:, 0]] - X[links.must_links[:, 1]]
    D_c = X[links.cannot_links[:, 0]] - X[links.cannot_links[:, 1]]
    S_m, S_c = D_m.T @ D_m / len(D_m), D_c.T @ D_c / len(D_c)
    projections = LinkProjections(design, links, np.random.default_rng(0))
    assert not projections.is_singular()
    A = projections.weights(3, 0.0).T
    assert np.allclose(A.T @ S_m @ A, np.eye(3))
    values = np.sort(np.linalg.eigvals(np.linalg.solve(S_m, S_c)).real)[::-1]
    assert np.allclose(np.diag(A.T @ S_c @ A), values[:3])


def test_random_state_decides_everything_and_the_race_is_not_worse_than_the_paper_start():
    X, _, links = iris(20)
    a, b = (printed(n_clusters=3, lam=0.1, random_state=3).fit(X, links) for _ in range(2))
    assert np.array_equal(a.labels_, b.labels_)
    assert np.array_equal(a.objective_, b.objective_)
    every = printed(n_clusters=3, lam=0.1, random_state=3, n_finalists=9).fit(X, links)
    assert every.objective_[-1] <= a.objective_[-1] * 1.02
    assert clone(a).get_params() == a.get_params()


def test_without_annealing_all_losses_count_from_the_first_iteration():
    X, _, links = iris()
    model = printed(n_clusters=3, lam=0.1, annealing=0, random_state=0).fit(X, links)
    assert (model.delta_ == 1.0).all()
    assert (np.diff(model.objective_) <= 1e-12).all()


def test_weights_of_links_count():
    X, _, _ = iris()
    links = Constraints([(0, 1)], [(0, 1)], n_samples=150, must_weights=[9.0])
    with pytest.warns(UserWarning, match="Must-links contradict 1 cannot-link"):
        labels = printed(n_clusters=2, random_state=0).fit(X, links).labels_
    assert labels[0] == labels[1]


def test_no_links_is_said_and_still_clusters():
    X, y = blobs(2)
    with pytest.warns(UserWarning, match="PMMC has no link to go by"):
        model = printed(n_clusters=2, lam=0.1, random_state=0).fit(X)
    assert score("acc", y, model.labels_) == 1.0
    with pytest.raises(ConstraintError, match="no link to go by, and nothing else keeps the samples"):
        printed(n_clusters=2, bias=True).fit(X)


def test_one_kind_of_links_is_enough():
    X, y = blobs(3)
    rng = np.random.default_rng(0)
    links = Constraints.from_labels(rng.permutation(90)[:60].reshape(-1, 2), y)
    for kind in (
        Constraints(links.must_links, n_samples=90),
        Constraints((), links.cannot_links, n_samples=90),
    ):
        for init in ("auto", "paper"):
            model = printed(n_clusters=3, lam=0.1, init=init, random_state=0).fit(X, kind)
            assert np.isfinite(model.objective_).all()
        assert score("acc", y, printed(n_clusters=3, lam=0.1, random_state=0).fit(X, kind).labels_) > 0.9


def test_fewer_links_than_features_and_than_clusters():
    X, y = blobs(4, d=50)
    links = Constraints.from_labels([(0, 4), (1, 2)], y)
    for init in ("auto", "paper"):
        model = printed(n_clusters=4, lam=0.1, init=init, random_state=0).fit(X, links)
        assert np.isfinite(model.objective_).all()
        assert not len(links.violated(model.labels_))


def test_must_links_between_equal_samples_say_nothing_about_distances():
    X, y = blobs(2)
    X[1] = X[3]
    model = printed(n_clusters=2, lam=0.1, random_state=0).fit(
        X, Constraints([(1, 3)], [(0, 1)], n_samples=90)
    )
    assert score("acc", y, model.labels_) == 1.0


def test_links_may_touch_every_sample():
    X, y = blobs(2, n=20)
    links = Constraints.from_labels(np.arange(20).reshape(-1, 2), y)
    model = printed(n_clusters=2, lam=0.1, random_state=0).fit(X, links)
    assert score("acc", y, model.labels_) == 1.0


def test_contradictory_links_are_counted_and_soft():
    X, _, _ = iris()
    links = Constraints([(0, 1), (1, 2)], [(0, 2), (0, 140)], n_samples=150)
    with pytest.warns(UserWarning, match="Must-links contradict 1 cannot-link; PMMC treats links as soft"):
        model = printed(n_clusters=2, lam=0.1, random_state=0).fit(X, links)
    assert len(links.violated(model.labels_)) >= 1


def test_one_cluster_is_refused():
    with pytest.raises(ParameterError, match="'n_clusters' of PMMC must be an integer >= 2, got 1"):
        printed(n_clusters=1).fit([[0.0], [1.0]])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_identical_samples_are_refused(form):
    links = Constraints([(0, 1)], [(2, 3)], n_samples=6)
    with pytest.raises(DataError, match="All samples are the same"):
        printed(n_clusters=2, random_state=0).fit(form(np.ones((6, 3))), links)


def test_the_weight_of_the_norm_goes_with_the_scale_of_the_features():
    X, _, links = iris()
    given = {"n_clusters": 3, "random_state": 0}
    for Z in (X, 50 * X):
        lam = 1e-3 * ((Z - Z.mean(axis=0)) ** 2).sum(axis=1).mean()
        ours, same = PMMC(**given).fit(Z, links), PMMC(lam=lam, **given).fit(Z, links)
        assert np.array_equal(ours.labels_, same.labels_)
        np.testing.assert_allclose(ours.objective_, same.objective_, rtol=1e-6)


def test_linked_samples_are_labelled_together_and_predict_is_not_changed():
    X, _, links = iris()
    joint, alone = (PMMC(n_clusters=3, joint=joint, random_state=0).fit(X, links) for joint in (True, False))
    assert np.array_equal(joint.coef_, alone.coef_)
    assert len(links.violated(joint.labels_)) <= len(links.violated(alone.labels_))
    free = np.setdiff1d(np.arange(len(X)), links.touched)
    assert np.array_equal(joint.labels_[free], joint.predict(X)[free])


def test_it_is_kmeans_where_links_do_not_speak_against_that():
    X, _ = blobs(2)
    links = Constraints([(0, 2)], [(0, 1)], n_samples=len(X))
    for given, match in ((links, "do not favour PMMC"), (None, "too few links")):
        with pytest.warns(UserWarning, match=match):
            model = PMMC(n_clusters=2, random_state=0).fit(X, given)
        assert model.uses_kmeans_
        assert np.array_equal(model.labels_, KMeans(n_clusters=2, random_state=0).fit(X).labels_)
        assert np.array_equal(model.predict(X), model.labels_)
