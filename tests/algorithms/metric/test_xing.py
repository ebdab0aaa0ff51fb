import numpy as np
import pytest

from cscluster import Constraints, KMeans, MetricClusterer, Xing, load_dataset
from cscluster.algorithms.metric.xing import diagonal_objective, full_objective
from cscluster.errors import ConstraintError
from cscluster.experiment.config.schedules import RandomPairs
from cscluster.metrics.scores import score
from tests.algorithms.samples import with_random_pairs

from . import reference


def criterion(A, X, links):
    """Sum of cannot-linked distances after scaling the must-linked squares to one."""
    U = X[links.cannot_links[:, 0]] - X[links.cannot_links[:, 1]]
    V = X[links.must_links[:, 0]] - X[links.must_links[:, 1]]
    return np.sqrt(np.einsum("ij,ij->i", U @ A, U)).sum() / np.sqrt(np.einsum("ij,ij->", V @ A, V))


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_gradients_match_finite_differences(weight):
    rng = np.random.default_rng(0)
    U = rng.normal(size=(15, 4))
    R = rng.normal(size=(4, 4))
    B, D = R @ R.T, rng.normal(size=(4, 4))
    D = D + D.T
    _, gradient = full_objective(B, U, weight)
    up, down = (full_objective(B + step * D, U, weight)[0] for step in (1e-6, -1e-6))
    assert np.vdot(gradient, D) == pytest.approx((up - down) / 2e-6, rel=1e-6)
    b, d = np.diag(B), rng.normal(size=4)
    _, gradient = diagonal_objective(b, U, weight)
    up, down = (diagonal_objective(b + step * d, U, weight)[0] for step in (1e-6, -1e-6))
    assert gradient @ d == pytest.approx((up - down) / 2e-6, rel=1e-6)
    full = full_objective(np.diag(b), U, weight)[0]
    assert diagonal_objective(b, U, weight)[0] == pytest.approx(full)


@pytest.mark.parametrize("diagonal", [True, False])
def test_criterion_is_at_least_that_of_metric_learn(diagonal):
    wanted = np.diag(reference.MMC_DIAGONAL) if diagonal else reference.MMC_FULL
    L = (
        Xing(diagonal=diagonal, log_det=0, shrinkage=0)
        .fit(reference.X, constraints=reference.LINKS)
        .components_
    )
    ours, theirs = (criterion(A, reference.X, reference.LINKS) for A in (L.T @ L, wanted))
    assert ours >= theirs


def test_published_problem_is_solved():
    # The problem is convex: first-order conditions on the cone, tr(G A) = 0 and G >= 0, suffice.
    X, _, links = with_random_pairs("wine", 100)
    X = X / X.std(axis=0)
    model = Xing(log_det=0, shrinkage=0, tol=1e-13, max_iter=5000).fit(X, constraints=links)
    A = model.components_.T @ model.components_
    V = X[links.must_links[:, 0]] - X[links.must_links[:, 1]]
    C_w = V.T @ V / (2 * len(V))
    values, vectors = np.linalg.eigh(C_w)
    half, inverse = vectors * np.sqrt(values) @ vectors.T, (vectors / np.sqrt(values)) @ vectors.T
    U = (X[links.cannot_links[:, 0]] - X[links.cannot_links[:, 1]]) @ inverse
    _, G = full_objective(half @ A @ half, U, 0.0)
    assert np.trace(G @ half @ A @ half) == pytest.approx(0, abs=1e-6)
    assert np.linalg.eigvalsh(G)[0] > -1e-3


@pytest.mark.parametrize("diagonal", [True, False])
def test_no_perturbed_metric_does_better(diagonal):
    X, _, links = with_random_pairs("iris", 60)
    L = Xing(diagonal=diagonal, log_det=0, shrinkage=0).fit(X, constraints=links).components_
    best = criterion(L.T @ L, X, links)
    rng = np.random.default_rng(0)
    for size in (0.01, 0.1, 1.0):
        for _ in range(20):
            noise = rng.normal(size=4) if diagonal else rng.normal(size=(4, 4))
            M = L + size * np.abs(L).max() * (np.diag(noise) if diagonal else noise)
            assert criterion(M.T @ M, X, links) < best * (1 + 1e-5)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("name", ["wdbc", "sonar"])
def test_more_features_than_links_give_a_metric_that_is_not_the_identity(name, diagonal):
    X, _, links = with_random_pairs(name, 30)
    model = Xing(diagonal=diagonal).fit(X, constraints=links)
    assert model.converged_
    assert np.isfinite(model.components_).all()
    weights = np.linalg.norm(model.components_, axis=0)[X.std(axis=0) > 0] * X.std(axis=0)[X.std(axis=0) > 0]
    assert weights.std() > 0.1 * weights.mean()


def whitened(X, links, tau):
    """Features scaled as `Xing` does, the root of C_w and the cannot-links' whitened differences."""
    Z = X / np.ptp(X, axis=0)
    Z /= np.sqrt(Z.var(axis=0).mean())
    n, d = len(links.must_links), X.shape[1]
    V = Z[links.must_links[:, 0]] - Z[links.must_links[:, 1]]
    values, vectors = np.linalg.eigh((V.T @ V / 2 + tau * d * np.eye(d)) / (n + tau * d))
    half, inverse = (vectors * np.sqrt(values)) @ vectors.T, (vectors / np.sqrt(values)) @ vectors.T
    return Z, half, (Z[links.cannot_links[:, 0]] - Z[links.cannot_links[:, 1]]) @ inverse


@pytest.mark.parametrize("count", [8, 60])
def test_log_det_gives_a_stationary_point_of_full_rank(count):
    # With 8 links there are fewer cannot-links than the 13 features: most directions are outside their span.
    X, _, links = with_random_pairs("wine", count)
    Z, half, U = whitened(X, links, 0.2)
    model = Xing(shrinkage=0.2, log_det=2.0, tol=1e-12).fit(X, constraints=links)
    L = model.components_ * (X / Z)[0]
    B = half @ L.T @ L @ half
    _, G = full_objective(B, U, 2.0 / 13)
    np.testing.assert_allclose(G, 0, atol=1e-4)
    assert np.trace(B) == pytest.approx(2.5, abs=1e-4)
    assert np.linalg.eigvalsh(B)[0] >= 2.0 / 13 - 1e-8


def test_large_log_det_ends_at_the_inverse_covariance_of_the_must_links():
    X, _, links = with_random_pairs("wine", 60)
    Z, half, _ = whitened(X, links, 0.2)
    L = (
        Xing(shrinkage=0.2, log_det=1e6).fit(X, constraints=links).components_
        * (X / Z)[0]
        / np.sqrt(1e6 / 13)
    )
    np.testing.assert_allclose(half @ L.T @ L @ half, np.eye(13), atol=1e-4)


def test_log_det_keeps_ten_classes_apart():
    data = load_dataset("optdigits_test")
    links = RandomPairs(counts=[500]).episode(500, data.y, 0, "optdigits_test", 0).tiers[0]
    published, kept = (
        MetricClusterer(
            metric=Xing(shrinkage=0.2, log_det=rho), clusterer=KMeans(), n_clusters=10, random_state=0
        )
        .fit(data.X, constraints=links)
        .labels_
        for rho in (0.0, 3.0)
    )
    assert score("nmi", data.y, kept) > score("nmi", data.y, published) + 0.1


def test_does_not_depend_on_units():
    X, _, links = with_random_pairs("iris", 60)
    A, B = (Xing().fit(Y, constraints=links).transform(Y) for Y in (X, X * [1e-2, 1.0, 30.0, 1e3]))
    np.testing.assert_allclose(A - A[0], B - B[0], atol=1e-4 * np.abs(A).max())


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(UserWarning, match="Xing.*no cannot-links"):
        Xing().fit(X, constraints=Constraints([(0, 1)], n_samples=6))
    with pytest.warns(UserWarning, match="Xing.*no must-links.*covariance"):
        Xing().fit(X, constraints=Constraints((), [(0, 1)], n_samples=6))
    with pytest.warns(UserWarning, match="Xing.*no must-links.*'shrinkage' 0"):
        assert np.array_equal(Xing(shrinkage=0).fit(X, constraints=[(2, 3, "cannot")]).transform(X), X)
    with pytest.raises(ConstraintError, match=r"must-links.*span.*Xing.*'shrinkage' 0"):
        Xing(shrinkage=0).fit(X, constraints=Constraints([(0, 1)], [(2, 3)], n_samples=6))
    X[1] = X[0]
    with pytest.warns(UserWarning, match="Xing.*no cannot-links"):
        Xing().fit(X, constraints=Constraints([(2, 3)], [(0, 1)], n_samples=6))
    assert np.isfinite(
        Xing().fit(X, constraints=Constraints([(0, 1)], [(2, 3)], n_samples=6)).components_
    ).all()


def test_a_cannot_link_counts_as_often_as_its_weight_says():
    X, _, links = with_random_pairs("wine", 60)
    twice = Constraints(
        links.must_links,
        links.cannot_links,
        n_samples=len(X),
        cannot_weights=[2.0, *[1.0] * (len(links.cannot_links) - 1)],
    )
    once, often = (
        Xing(tol=1e-12, max_iter=5000).fit(X, constraints=given).components_ for given in (links, twice)
    )
    (a, b), gap = links.cannot_links[0], lambda L: np.linalg.norm(L @ (X[a] - X[b])) / np.linalg.norm(L)
    assert gap(often) > gap(once)
