import numpy as np
import pytest

from cscluster import Constraints, Xing, load_dataset
from cscluster.algorithms.metric.xing import diagonal_objective, full_objective
from cscluster.constraints.schedules import RandomPairs
from cscluster.errors import ConstraintError

from . import reference


def links_of(name, count, trial=0):
    data = load_dataset(name)
    return data.X.astype(float), RandomPairs(counts=[count]).episode(count, data.y, 0, name, trial).tiers[0]


def criterion(A, X, links):
    """Sum of cannot-linked distances after scaling the must-linked squares to one."""
    U = X[links.cannot_links[:, 0]] - X[links.cannot_links[:, 1]]
    V = X[links.must_links[:, 0]] - X[links.must_links[:, 1]]
    return np.sqrt(np.einsum("ij,ij->i", U @ A, U)).sum() / np.sqrt(np.einsum("ij,ij->", V @ A, V))


def test_gradients_match_finite_differences():
    rng = np.random.default_rng(0)
    U = rng.normal(size=(15, 4))
    R = rng.normal(size=(4, 4))
    B, D = R @ R.T, rng.normal(size=(4, 4))
    D = D + D.T
    _, gradient = full_objective(B, U)
    slope = (full_objective(B + 1e-6 * D, U)[0] - full_objective(B - 1e-6 * D, U)[0]) / 2e-6
    assert np.vdot(gradient, D) == pytest.approx(slope, rel=1e-6)
    b, d = np.diag(B), rng.normal(size=4)
    _, gradient = diagonal_objective(b, U)
    slope = (diagonal_objective(b + 1e-6 * d, U)[0] - diagonal_objective(b - 1e-6 * d, U)[0]) / 2e-6
    assert gradient @ d == pytest.approx(slope, rel=1e-6)
    assert diagonal_objective(b, U)[0] == pytest.approx(full_objective(np.diag(b), U)[0])


@pytest.mark.parametrize("diagonal", [True, False])
def test_criterion_is_at_least_that_of_metric_learn(diagonal):
    wanted = np.diag(reference.MMC_DIAGONAL) if diagonal else reference.MMC_FULL
    L = Xing(diagonal=diagonal, shrinkage=0).fit(reference.X, reference.LINKS).components_
    ours, theirs = (criterion(A, reference.X, reference.LINKS) for A in (L.T @ L, wanted))
    assert ours >= theirs


def test_full_matrix_is_optimal():
    # The problem is convex: first-order conditions on the cone, tr(G A) = 0 and G >= 0, suffice.
    X, links = links_of("wine", 100)
    X = X / X.std(axis=0)
    model = Xing(shrinkage=0, tol=1e-13, max_iter=5000).fit(X, links)
    A = model.components_.T @ model.components_
    V = X[links.must_links[:, 0]] - X[links.must_links[:, 1]]
    C_w = V.T @ V / (2 * len(V))
    values, vectors = np.linalg.eigh(C_w)
    half, inverse = vectors * np.sqrt(values) @ vectors.T, (vectors / np.sqrt(values)) @ vectors.T
    U = (X[links.cannot_links[:, 0]] - X[links.cannot_links[:, 1]]) @ inverse
    _, G = full_objective(half @ A @ half, U)
    assert np.trace(G @ half @ A @ half) == pytest.approx(0, abs=1e-6)
    assert np.linalg.eigvalsh(G)[0] > -1e-3


@pytest.mark.parametrize("diagonal", [True, False])
def test_no_perturbed_metric_does_better(diagonal):
    X, links = links_of("iris", 60)
    L = Xing(diagonal=diagonal, shrinkage=0).fit(X, links).components_
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
    X, links = links_of(name, 30)
    model = Xing(diagonal=diagonal).fit(X, links)
    assert model.converged_
    assert np.isfinite(model.components_).all()
    weights = np.linalg.norm(model.components_, axis=0)[X.std(axis=0) > 0] * X.std(axis=0)[X.std(axis=0) > 0]
    assert weights.std() > 0.1 * weights.mean()


def test_does_not_depend_on_units():
    X, links = links_of("iris", 60)
    A, B = (Xing().fit(Y, links).transform(Y) for Y in (X, X * [1e-2, 1.0, 30.0, 1e3]))
    np.testing.assert_allclose(A - A[0], B - B[0], atol=1e-4 * np.abs(A).max())


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.raises(
        ConstraintError, match="Xing needs cannot-links between samples that differ, got none"
    ):
        Xing().fit(X, Constraints([(0, 1)], n_samples=6))
    with pytest.warns(UserWarning, match="Xing got no must-links"):
        Xing().fit(X, Constraints((), [(0, 1)], n_samples=6))
    for links in (Constraints([(0, 1)], [(2, 3)], n_samples=6), Constraints((), [(2, 3)], n_samples=6)):
        with pytest.raises(ConstraintError, match="Xing with 'shrinkage' 0 needs"):
            Xing(shrinkage=0).fit(X, links)
    X[1] = X[0]
    with pytest.raises(ConstraintError, match="between samples that differ, got none"):
        Xing().fit(X, Constraints([(2, 3)], [(0, 1)], n_samples=6))
    assert np.isfinite(Xing().fit(X, Constraints([(0, 1)], [(2, 3)], n_samples=6)).components_).all()
