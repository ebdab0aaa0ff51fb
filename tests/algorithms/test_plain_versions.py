"""Published forms against plain versions, written from the papers' equations without regard to speed."""

import numpy as np
import pytest
from scipy.linalg import eigh

from cscluster import CCSKL, CPCMMC, CPMMC, ERCA, ITML, LLMA, LMNN, MMC, KernelBeta, Xing, load_dataset
from cscluster.algorithms.margin.cccp import model
from cscluster.algorithms.margin.cccp.starts import kmeans_start
from cscluster.algorithms.spectral.ccskl import neighbor_graph
from cscluster.constraints import Constraints
from cscluster.constraints.sampling import random_pairs

cp = pytest.importorskip("cvxpy")


@pytest.fixture(scope="module")
def small():
    """Every third flower of iris, standardised, and constraints between 40 random pairs of them."""
    data = load_dataset("iris")
    X, y = data.X[::3].astype(float), data.y[::3]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, Constraints.from_labels(random_pairs(len(X), 40, np.random.default_rng(0)), y)


def differences(X, pairs):
    return [X[i] - X[j] for i, j in pairs]


def scatter(rows):
    return sum(np.outer(r, r) for r in rows)


def power(A, exponent):
    values, vectors = np.linalg.eigh(A)
    return vectors @ np.diag(values**exponent) @ vectors.T


def metric_of(model):
    return model.components_.T @ model.components_


def test_erca(small):
    X, constraints = small
    S_b = scatter(differences(X, constraints.cannot_links)) / (2 * len(constraints.cannot_links))
    S_w = scatter(differences(X, constraints.must_links)) / (2 * len(constraints.must_links))
    W = power(S_b, 0.5) @ power(S_w, -0.5)
    found = metric_of(ERCA.published().fit(X, constraints=constraints))
    np.testing.assert_allclose(found, W @ W.T, rtol=1e-8)


def test_kernel_beta(small):
    X, constraints = small
    n = len(X)
    squared = np.array([[((x - z) ** 2).sum() for z in X] for x in X])
    variance = 6 / 2 * squared.sum() / (n * (n - 1))
    _, vectors = np.linalg.eigh(np.exp(-squared / (2 * variance)))
    V = vectors[:, ::-1][:, :10]
    # The objective is sum_r s_r beta_r^2; its Lagrange conditions under sum beta = 1 are linear.
    s = np.array([sum((v[i] - v[j]) ** 2 for i, j in constraints.must_links) for v in V.T])
    conditions = np.block([[2 * np.diag(s), -np.ones((10, 1))], [np.ones((1, 10)), np.zeros((1, 1))]])
    beta = np.linalg.solve(conditions, np.append(np.zeros(10), 1.0))[:10]
    Z = KernelBeta.published().fit(X, constraints=constraints).transform(X)
    np.testing.assert_allclose(Z @ Z.T, (V * beta**2) @ V.T, rtol=1e-6, atol=1e-9)


def test_itml(small):
    # Algorithm 1 of Davis et al., cyclic, until the multipliers are at rest.
    X, constraints = small
    gamma, touched = 1.0, constraints.touched
    between = [((X[i] - X[j]) ** 2).sum() for a, i in enumerate(touched) for j in touched[a + 1 :]]
    low, high = np.quantile(between, [0.05, 0.95])
    V = differences(X, constraints.pairs)
    delta = np.where(constraints.is_must, 1.0, -1.0)
    xi, lam, A = np.where(constraints.is_must, low, high), np.zeros(len(V)), np.eye(X.shape[1])
    for _ in range(3000):
        for c, v in enumerate(V):
            p = v @ A @ v
            alpha = min(lam[c], delta[c] / 2 * (1 / p - gamma / xi[c]))
            beta = delta[c] * alpha / (1 - delta[c] * alpha * p)
            xi[c] = gamma * xi[c] / (gamma + delta[c] * alpha * xi[c])
            lam[c] -= alpha
            A = A + beta * A @ np.outer(v, v) @ A
    model = ITML.published(tol=1e-10, max_iter=100_000).fit(X, constraints=constraints)
    np.testing.assert_allclose(metric_of(model), A, rtol=1e-5, atol=1e-7)


def test_xing(small):
    # max sum_D ||x_i - x_j||_A under tr(A C_w) <= 1, a concave program; A is free up to a factor.
    X, constraints = small[0] * [1, 2, 3, 4], small[1]
    spans = np.ptp(X, axis=0)
    scale = spans * np.sqrt((X.std(axis=0) ** 2 / spans**2).sum() / 4)
    Z, d, tau = X / scale, 4, 0.2
    S = scatter(differences(Z, constraints.must_links)) / 2
    C_w = (S + tau * d * np.eye(d)) / (len(constraints.must_links) + tau * d)
    A = cp.Variable((d, d), PSD=True)
    total = sum(
        cp.sqrt(cp.sum(cp.multiply(A, np.outer(v, v)))) for v in differences(Z, constraints.cannot_links)
    )
    cp.Problem(cp.Maximize(total), [cp.trace(A @ C_w) <= 1]).solve(solver=cp.SCS, eps=1e-9, max_iters=50_000)

    def value(A):
        lengths = [np.sqrt(v @ A @ v) for v in differences(Z, constraints.cannot_links)]
        return sum(lengths) / np.sqrt(np.trace(A @ C_w))

    found = metric_of(Xing.published().fit(X, constraints=constraints)) * np.outer(scale, scale)
    assert value(found) == pytest.approx(value(A.value), rel=1e-4)
    np.testing.assert_allclose(found / np.trace(found), A.value / np.trace(A.value), atol=2e-2)


def test_lmnn(small):
    # The semidefinite program (11) to (13) with hinge losses, whose kinks ours rounds off over 0.1.
    X, constraints = small[0] * [1, 2, 3, 4], small[1]
    spans = np.ptp(X, axis=0)
    scale = spans * np.sqrt((X.std(axis=0) ** 2 / spans**2).sum() / 4) * np.sqrt(2 * 4)
    Z, mu = X / scale, 0.5
    group = constraints.components
    targets = {}
    for i in range(len(Z)):
        others = [j for j in np.flatnonzero(group == group[i]) if j != i]
        targets[i] = sorted(others, key=lambda j, i=i: ((Z[i] - Z[j]) ** 2).sum())[:3]
    cannot = [(i, j) for i, j in constraints.cannot_links] + [(j, i) for i, j in constraints.cannot_links]
    pull = [np.outer(Z[i] - Z[j], Z[i] - Z[j]) for i in targets for j in targets[i]]
    push = []
    for i, far in cannot:
        F = np.outer(Z[i] - Z[far], Z[i] - Z[far])
        push += [np.outer(Z[i] - Z[j], Z[i] - Z[j]) - F for j in targets[i]] or [-F]

    def value(M, hinge):
        pulls = sum((M * P).sum() for P in pull) / len(pull)
        return (1 - mu) * pulls + mu * sum(hinge(1 + (M * P).sum()) for P in push) / len(push)

    M = cp.Variable((4, 4), PSD=True)
    pulls = cp.sum(cp.multiply(M, sum(pull))) / len(pull)
    pushes = sum(cp.pos(1 + cp.sum(cp.multiply(M, P))) for P in push) / len(push)
    cp.Problem(cp.Minimize((1 - mu) * pulls + mu * pushes)).solve(solver=cp.SCS, eps=1e-8)
    model = LMNN.published(tol=1e-9).fit(X, constraints=constraints)
    found = metric_of(model) * np.outer(scale, scale)
    lowest = value(M.value, lambda t: max(t, 0.0))
    assert lowest - 1e-4 <= value(found, lambda t: max(t, 0.0)) <= lowest + mu * 0.05
    assert model.objective_[-1] <= value(M.value, lambda t: max(t, 0.0)) + 1e-4  # rounded kinks cost less


def test_llma(small):
    # baghshah2010 ran the spectral form; ours reads it as an eigenproblem in (x, windows).
    X, constraints = small
    n, d, k = *X.shape, 10
    squared = np.array([[((x - z) ** 2).sum() for z in X] for x in X])
    window = 0.5 * np.sqrt(squared.sum() / (n * (n - 1)))
    landmarks = np.unique(constraints.must_links)
    F = np.hstack([X, np.exp(-squared[:, landmarks] / (2 * window**2))])
    F = F - F.mean(axis=0)
    S = np.zeros((n, n))
    for i in range(n):
        near = np.argsort(squared[i])[1 : k + 1]
        G = (X[near] - X[i]) @ (X[near] - X[i]).T
        w = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(k), np.ones(k))
        S[i, near] = w / w.sum()
    residuals = F - S @ F
    pulls = scatter(differences(F, constraints.must_links)) / len(constraints.must_links)
    cost = pulls + residuals.T @ residuals / n
    covariance = F.T @ F / n
    values = eigh(cost, covariance + 1e-13 * np.eye(len(cost)), eigvals_only=True)[:d]
    model = LLMA.published().fit(X, constraints=constraints)
    Y = model.transform(X)
    np.testing.assert_allclose(Y.T @ Y / n, np.eye(d), atol=1e-6)
    A = model.components_
    assert np.trace(A.T @ cost @ A) == pytest.approx(model.objective_[-1], rel=1e-6)
    assert model.objective_[-1] == pytest.approx(values.sum(), rel=1e-3)


def test_ccskl(small):
    # The quadratic program over beta_1 >= ... >= beta_s >= 0, by a general solver.
    X, constraints = small
    n, s = len(X), 8
    W = neighbor_graph(X, 25).toarray()  # connected, so that no eigenvalue is double
    D = np.diag(1 / np.sqrt(W.sum(axis=1)))
    V = np.linalg.eigh(np.eye(n) - D @ W @ D)[1][:, :s] * np.sqrt(n)
    asked = [(i, j, 1.0) for i, j in constraints.must_links]
    asked += [(i, j, 0.0) for i, j in constraints.cannot_links] + [(i, i, 1.0) for i in constraints.touched]
    beta = cp.Variable(s)
    loss = sum((cp.sum(cp.multiply(beta, V[i] * V[j])) - t) ** 2 for i, j, t in asked)
    cp.Problem(cp.Minimize(loss), [beta[:-1] >= beta[1:], beta[-1] >= 0]).solve(solver=cp.CLARABEL)
    model = CCSKL.published(n_clusters=3, n_components=s, n_neighbors=25, random_state=0).fit(
        X, constraints=constraints
    )
    np.testing.assert_allclose(model.spectrum_, beta.value, atol=1e-5)


def test_mmc():
    # For a fixed M the inner problem is the SVM's dual, whose own dual is a matrix fraction.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2)) + 3 * np.repeat([[0.0], [1.0]], 6, axis=0)
    model = MMC.published(n_clusters=2, tol=1e-6).fit(X)
    K, n = model._kernel_for(X)(X), len(X)
    M, mu, nu = cp.Variable((n, n), PSD=True), cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
    e, limit = np.ones(n), 2 * model.balance * n
    value = cp.matrix_frac(e + mu - nu, cp.multiply(K, M)) + 2 * model.C * cp.sum(nu)
    balance = [M @ e <= limit, M @ e >= -limit, cp.diag(M) == 1]
    lowest = cp.Problem(cp.Minimize(value), balance).solve(solver=cp.SCS, eps=1e-6, max_iters=50_000)
    assert model.objective_[-1] == pytest.approx(lowest, rel=1e-3)


def cccp(X, loss, lam, S, n_iter):
    """Freeze the winners of the scores, solve the convex problem, and repeat; return the objectives."""
    values = []
    for _ in range(n_iter):
        W = cp.Variable((S.shape[1], X.shape[1]))
        convex = lam / 2 * cp.sum_squares(W) + loss(X @ W.T, S.argmax(axis=1), cp.maximum)
        cp.Problem(cp.Minimize(convex)).solve(solver=cp.CLARABEL)
        S = X @ W.value.T
        values.append(lam / 2 * (W.value**2).sum() + loss(S, S.argmax(axis=1), max))
    return values


EXACT = {"gap_tol": 1e-9, "max_steps": 100_000, "max_iter": 4, "tol": 0.0, "random_state": 0}


@pytest.fixture
def exact(monkeypatch):
    """Let CCCP solve each convex problem to its optimum before it moves on."""
    monkeypatch.setattr(model, "GAIN_TOL", 0.0)


@pytest.mark.usefixtures("exact")
def test_cpmmc(small):
    # (1) without a bias, as published: the balance constraint is void for centred samples.
    X, C, lam = small[0][::2], 3, 0.1

    def loss(S, y, largest):
        n = len(y)
        rivals = ([1 - S[i, y[i]] + S[i, z] for z in range(C) if z != y[i]] for i in range(n))
        return sum(largest(0, *each) for each in rivals) / n

    fitted = CPMMC.published(n_clusters=C, lam=lam, **EXACT).fit(X)
    expected = cccp(X - X.mean(axis=0), loss, lam, kmeans_start(X, C, 0), fitted.n_iter_)
    np.testing.assert_allclose(fitted.objective_, expected, rtol=1e-4)


@pytest.mark.usefixtures("exact")
def test_cpcmmc(small):
    X, constraints = small
    C, lam, gamma1, gamma2, gamma3 = 3, 0.1, 1.0, 0.1, 0.3

    def loss(S, y, largest):
        n, must, cannot = len(y), constraints.must_links, constraints.cannot_links
        points = sum(largest(0, 1 - S[i, y[i]] + S[i, z]) for i in range(n) for z in range(C))
        apart = sum(largest(S[i, z] - S[j, z], S[j, z] - S[i, z]) for i, j in must for z in range(C))
        owned = 0
        for i, j in cannot:
            v = [S[i, z] + S[j, z] for z in range(C)]
            owned += largest(*v) - sum(v) / C
        return gamma1 / (n * C) * points + gamma2 / (len(must) * C) * apart + gamma3 / len(cannot) * owned

    fitted = CPCMMC.published(n_clusters=C, lam=lam, **EXACT).fit(X, constraints=constraints)
    expected = cccp(X - X.mean(axis=0), loss, lam, kmeans_start(X, C, 0), fitted.n_iter_)
    np.testing.assert_allclose(fitted.objective_, expected, rtol=1e-4)
