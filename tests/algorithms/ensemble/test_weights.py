import numpy as np
import pytest

from cscluster import Constraints
from cscluster.algorithms.ensemble._simplex import project_simplex
from cscluster.algorithms.ensemble._weights import (
    constraint_loss,
    full_update,
    relaxed_update,
    violated_weight,
)

R, M, N = 4, 7, 30


@pytest.fixture
def ensemble():
    rng = np.random.default_rng(0)
    L = rng.integers(0, R, size=(M, N)).astype(np.uint8)
    pairs = rng.permutation(N)[:24].reshape(-1, 2)
    links = Constraints(
        pairs[:5], pairs[5:], n_samples=N, must_weights=[1, 2, 1, 0.5, 1], cannot_weights=np.linspace(1, 3, 7)
    )
    return L, links, rng.dirichlet(np.ones(M))


def soft(L, gamma):
    return np.einsum("k,kir->ir", gamma, np.eye(R)[L])


def test_loss_is_that_of_equations_2_3_and_8(ensemble):
    L, links, gamma = ensemble
    F = soft(L, gamma)
    (i, j), (a, b) = links.must_links.T, links.cannot_links.T
    expected = links.must_weights @ ((F[i] - F[j]) ** 2).sum(axis=1)
    expected += links.cannot_weights @ ((F[a] + F[b]) ** 2).sum(axis=1)
    A = constraint_loss(L, links)
    assert gamma @ A @ gamma == pytest.approx(expected)
    assert np.linalg.eigvalsh(A)[0] >= -1e-9


def test_loss_of_many_links_is_the_sum_over_all():
    L = np.random.default_rng(0).integers(0, 2, size=(M, 600)).astype(np.uint8)
    pairs = np.arange(600).reshape(-1, 2)
    P = np.eye(2)[L]
    V, U = P[:, ::2] + P[:, 1::2], P[:, ::2] - P[:, 1::2]
    cannot = constraint_loss(L, Constraints((), pairs, n_samples=600))
    assert np.array_equal(cannot, np.einsum("kpr,qpr->kq", V, V))
    must = constraint_loss(L, Constraints(pairs, n_samples=600))
    assert np.array_equal(must, np.einsum("kpr,qpr->kq", U, U))


def test_broken_links_are_counted_partition_by_partition(ensemble):
    L, links, _ = ensemble
    for labels, broken in zip(L, violated_weight(L, links), strict=True):
        violated = links.violated(labels)
        assert broken == pytest.approx(violated.must_weights.sum() + violated.cannot_weights.sum())


def test_relaxed_update_is_the_fixed_point_of_equation_11(ensemble):
    L, links, gamma = ensemble
    broken, C, lam, eta = violated_weight(L, links), 0.02, 0.7, 0.1
    result = relaxed_update(gamma, broken, C, lam)
    step = (1 - 2 * lam * eta) * result + 2 * lam * eta * gamma - C * eta * broken
    assert project_simplex(step) == pytest.approx(result)
    iterate = gamma
    for _ in range(500):
        iterate = project_simplex((1 - 2 * lam * eta) * iterate + 2 * lam * eta * gamma - C * eta * broken)
    assert iterate == pytest.approx(result)


def test_full_update_is_the_fixed_point_of_equation_10(ensemble):
    L, links, gamma = ensemble
    A, lam = constraint_loss(L, links), 3.0
    result, objective, converged = full_update(gamma, A, lam, max_iter=20_000, tol=1e-12)
    assert converged
    assert (np.diff(objective) <= 0).all()
    eta = 1e-3
    assert project_simplex(
        result - 2 * eta * (A @ result) - 2 * lam * eta * (result - gamma)
    ) == pytest.approx(result, abs=1e-7)


def test_a_partition_that_breaks_links_loses_weight():
    L = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1]], dtype=np.uint8)
    links = Constraints([(0, 1)], [(0, 2)], n_samples=4)
    start = np.full(3, 1 / 3)
    relaxed = relaxed_update(start, violated_weight(L, links), 0.1, 1.0)
    assert relaxed[1] < relaxed[0] == relaxed[2]
    full = full_update(start, constraint_loss(L, links), 1.0, max_iter=1000, tol=1e-9)[0]
    assert full[1] < full[0]


def test_no_links_change_nothing(ensemble):
    L, _, gamma = ensemble
    none = Constraints.empty(N)
    assert relaxed_update(gamma, violated_weight(L, none), 1.0, 1.0) == pytest.approx(gamma)
    assert full_update(gamma, constraint_loss(L, none), 1.0, max_iter=100, tol=1e-12)[0] == pytest.approx(
        gamma
    )
