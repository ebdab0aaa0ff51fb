"""Published clusterings against plain versions, written from the papers' equations in loops over all pairs."""

import itertools

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.svm import SVC, SVR

from cscluster import (
    DCA,
    PMMC,
    RCA,
    IterLSSVM,
    IterSVM,
    IterSVR,
    KernelKMeans,
    MKMeans,
    MPCKMeans,
    NormalizedCut,
    SupervisedMeans,
    TraceRatio,
    load_dataset,
)
from cscluster.constraints import Constraints
from cscluster.constraints.sampling import random_pairs


def sample(name, step, count, seed=0):
    """Return every so many samples of a data set, their classes, and constraints between random pairs."""
    data = load_dataset(name)
    X, y = data.X[::step].astype(float), data.y[::step]
    return X, y, Constraints.from_labels(random_pairs(len(X), count, np.random.default_rng(seed)), y)


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


def gaussian(X, sigma):
    """exp(-||x - z||^2 / sigma^2) with sigma in units of the median distance."""
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    median = np.median(np.sqrt(squared[np.triu_indices(len(X), 1)]))
    return np.exp(-squared / (sigma * median) ** 2)


# Zhang et al. (2009)


def svm(K, y):
    machine = SVC(C=10, kernel="precomputed", tol=1e-6).fit(K, y)
    return K[:, machine.support_] @ machine.dual_coef_[0]


def svr(K, y):
    machine = SVR(C=500, epsilon=0.05, kernel="precomputed", tol=1e-6).fit(K, y)
    return K[:, machine.support_] @ machine.dual_coef_[0]


def ls_svm(K, y):
    n, e = len(y), np.ones(len(y))
    system = np.block([[K + np.eye(n) / 100, e[:, None]], [e[None], np.zeros((1, 1))]])
    return K @ np.linalg.solve(system, np.append(y, 0.0))[:n]


LOSSES = {
    svm: lambda f, y: np.maximum(0, 1 - y * f),
    svr: lambda f, y: np.abs(f - y),
    ls_svm: lambda f, y: (f - y) ** 2,
}


@pytest.mark.parametrize(
    ("method", "train", "step", "sigma"),
    [(IterSVM, svm, 2, 4), (IterSVR, svr, 4, 4), (IterLSSVM, ls_svm, 2, 4)],
)
def test_iterative_methods(method, train, step, sigma):
    # Algorithms 1 and 2: train, take the bias of (9) among the midpoints within the balance, label, repeat.
    # With these widths another loss in (9) ends with other labels.
    X = sample("optdigits_8_9", step, 1)[0]
    K, n, balance = gaussian(X, sigma), len(X), 0.15
    first = (np.arange(n) % 3 == 0).astype(int)
    y, seen = np.where(first, 1.0, -1.0), []
    while not any(np.array_equal(y, old) for old in seen):
        seen.append(y)
        scores = train(K, y)
        s = np.sort(scores)
        costs = {}
        for b in -(s[1:] + s[:-1]) / 2:
            labels = np.where(scores + b > 0, 1.0, -1.0)
            if abs((labels > 0).mean() - 0.5) <= balance:
                costs[b] = LOSSES[train](scores + b, labels).sum()
        y = np.where(scores + min(costs, key=costs.get) > 0, 1.0, -1.0)
    assert np.array_equal(y, seen[-1])  # a fixed point, not a longer cycle
    model = method.published(sigma=sigma, balance=balance, init=first).fit(X)
    assert model.n_iter_ == len(seen) > 1
    assert same_partition(model.labels_, y)


def test_normalized_cut():
    # Shi and Malik: the second generalised eigenvector of D - W, split at zero.
    X = sample("optdigits_8_9", 3, 1)[0]
    W = gaussian(X, 0.5)
    D = np.diag(W.sum(axis=1))
    second = eigh(D - W, D)[1][:, 1]
    labels = NormalizedCut(sigma=0.5, split="zero", random_state=0).fit(X).labels_
    assert same_partition(labels, second > 0)


def test_kernel_kmeans():
    # Distances in feature space from the kernel alone; the start of ours, and what follows from it.
    X = sample("optdigits_8_9", 3, 1)[0]
    K = gaussian(X, 1.0)
    model = KernelKMeans(n_clusters=2, sigma=1.0, n_init=1, random_state=0).fit(X)
    labels, spread = model.labels_, 0.0
    D = np.empty((len(X), 2))
    for h in range(2):
        inside = np.flatnonzero(labels == h)
        for i in range(len(X)):
            D[i, h] = K[i, i] - 2 * K[i, inside].mean() + K[np.ix_(inside, inside)].mean()
        spread += D[inside, h].sum()
    assert np.array_equal(D.argmin(axis=1), labels)
    assert model.objective_[-1] == pytest.approx(spread)


# Zeng and Cheung (2012)


def test_pmmc():
    # Algorithms 1 and 2, each convex problem from the current W, which stays where its value would rise.
    X, _, constraints = sample("pendigit389", 6, 60)
    X = X - X.mean(axis=0)
    n, C, lam = len(X), 3, 100.0
    pairs = [(i, j, True) for i, j in constraints.must_links]
    pairs += [(i, j, False) for i, j in constraints.cannot_links]
    U = sorted(set(range(n)) - {i for pair in pairs for i in pair[:2]})
    every = list(itertools.product(range(C), repeat=2))

    def best(s, t, wanted):
        """Return the labels of highest score among equal ones, or among different ones."""
        return max((z for z in every if (z[0] == z[1]) == wanted), key=lambda z: s[z[0]] + t[z[1]])

    def winners(S):
        return [best(S[i], S[j], must) for i, j, must in pairs], [int(S[i].argmax()) for i in U]

    def convex(W, frozen, delta):
        """Return the value of (21) and a subgradient with respect to the scores, (25)."""
        S, G = X @ W.T, np.zeros((n, C))
        value = lam / 2 * (W**2).sum()
        for (i, j, must), (a, b) in zip(pairs, frozen[0], strict=True):
            c, d = best(S[i], S[j], not must)
            eta = 1 - S[i, a] - S[j, b] + S[i, c] + S[j, d]
            if eta > 0:
                value += eta / len(pairs)
                for row, z, sign in ((i, a, -1), (j, b, -1), (i, c, 1), (j, d, 1)):
                    G[row, z] += sign / len(pairs)
        for i, a in zip(U, frozen[1], strict=True):
            for z in range(C):
                xi = 1 - S[i, a] + S[i, z]
                if xi > 0:
                    value += delta * xi / (len(U) * C)
                    G[i, a] -= delta / (len(U) * C)
                    G[i, z] += delta / (len(U) * C)
        return value, lam * W + G.T @ X

    # (18): generalised eigenvectors with A^T S_m A = I, each with a positive sum.
    S_m, S_c = (
        sum(np.outer(X[i] - X[j], X[i] - X[j]) for i, j in some) / len(some)
        for some in (constraints.must_links, constraints.cannot_links)
    )
    A = eigh(S_c, S_m)[1][:, ::-1][:, :C]
    frozen, W = winners(X @ (A * np.sign(A.sum(axis=0)))), np.zeros((C, X.shape[1]))
    values, previous, delta = [], np.inf, 0.0
    for _ in range(50):
        start, rho = W, np.sqrt((1 + delta) / lam)
        for r in range(1, 10_000):
            half = W - convex(W, frozen, delta)[1] / (lam * r)
            after = half * min(1.0, rho / np.linalg.norm(half))
            change, size = np.linalg.norm(after - W), max(np.linalg.norm(W), np.linalg.norm(after))
            W = after
            if change <= 0.01 * size:
                break
        if start.any() and convex(W, frozen, delta)[0] > convex(start, frozen, delta)[0]:
            W = start
        frozen = winners(X @ W.T)
        values.append(convex(W, frozen, delta)[0])
        if delta and previous - values[-1] <= 0.01 * values[-1]:
            break
        if len(values) == 3 or previous <= values[-1]:  # a third iteration would change nothing
            delta = 1.0
        previous = convex(W, frozen, delta)[0]
    model = PMMC.published(n_clusters=C, lam=lam, random_state=0).fit(X, constraints=constraints)
    np.testing.assert_allclose(model.objective_, values, rtol=1e-6)
    assert np.array_equal(model.labels_, (X @ W.T).argmax(axis=1))


# Bilenko et al. (2004)


def closed(constraints):
    """Return all must-links and cannot-links, section 3.1; a neighbourhood has at least two points."""
    group = constraints.components
    alone = np.bincount(group)[group] == 1
    apart = {frozenset((group[i], group[j])) for i, j in constraints.cannot_links}
    must, cannot = set(), {(int(i), int(j)) for i, j in constraints.cannot_links}
    for i, j in itertools.combinations(range(len(group)), 2):
        if group[i] == group[j]:
            must.add((i, j))
        elif frozenset((group[i], group[j])) in apart and not (alone[i] or alone[j]):
            cannot.add((i, j))
    return must, cannot


@pytest.mark.parametrize("matrix", ["diagonal", "full"])
@pytest.mark.parametrize("metric", ["single", "multiple"])
@pytest.mark.parametrize("method", [MPCKMeans, MKMeans])
def test_mpckmeans_ends_where_no_step_lowers_its_objective(method, metric, matrix):
    # Figure 1 at its end: centres are means, (7) and (8) give the metrics, and with these no constrained
    # sample has a cheaper cluster, given the labels of all its partners.
    X, _, constraints = sample("iris", 3, 40)
    model = method.published(n_clusters=3, metric=metric, matrix=matrix, tol=0, random_state=5)
    model.fit(X, constraints=constraints)
    assert model.converged_
    labels, single = model.labels_, metric == "single"
    mu = np.array([X[labels == h].mean(axis=0) for h in range(3)])
    np.testing.assert_allclose(model.cluster_centers_, mu)
    A = [np.diag(a) if matrix == "diagonal" else a for a in model.metrics_] * (3 if single else 1)
    must, cannot = closed(constraints)

    def length(h, v):
        return v @ A[h] @ v

    if matrix == "diagonal":
        far = [np.ptp(X, axis=0)] * 3
    else:
        gaps = [x - z for x, z in itertools.combinations(X, 2)]
        far = [max(gaps, key=lambda v, h=h: length(h, v)) for h in range(3)]
    for h in range(1 if single else 3):
        inside = [i for i in range(len(X)) if single or labels[i] == h]
        total = sum(np.outer(X[i] - mu[labels[i]], X[i] - mu[labels[i]]) for i in inside)
        for i, j in must:
            if labels[i] != labels[j]:
                halves = 2 if single else (labels[i] == h) + (labels[j] == h)
                total = total + halves / 2 * np.outer(X[i] - X[j], X[i] - X[j])
        for i, j in cannot:
            if labels[i] == labels[j] and (single or labels[i] == h):
                total = total + np.outer(far[h], far[h]) - np.outer(X[i] - X[j], X[i] - X[j])
        if matrix == "diagonal":
            expected = np.diag(1 / np.maximum(np.diag(total) / len(inside), 0.01 * X.var(axis=0)))
        else:
            scale = X.std(axis=0)
            values, V = np.linalg.eigh(total / len(inside) / np.outer(scale, scale))
            expected = V @ np.diag(1 / np.maximum(values, 0.01)) @ V.T / np.outer(scale, scale)
        np.testing.assert_allclose(A[h], expected, rtol=1e-6, atol=1e-8)
    for i in range(len(X)):
        cost = np.array([length(h, X[i] - mu[h]) - np.linalg.slogdet(A[h])[1] for h in range(3)])
        partners = [(j, True) for p in must for j in p if i in p and j != i]
        partners += [(j, False) for p in cannot for j in p if i in p and j != i]
        for j, linked in partners if method is MPCKMeans else []:
            z, v = labels[j], X[i] - X[j]
            for h in range(3):
                if linked and h != z:
                    cost[h] += (length(h, v) + length(z, v)) / 2
                if not linked and h == z:
                    cost[h] += length(h, far[h]) - length(h, v)
        assert cost[labels[i]] <= cost.min() + 1e-6 * abs(cost.min())


def test_supervised_means():
    # Two neighbourhoods of three and two samples are the centres; no iteration.
    X = sample("iris", 3, 1)[0]
    constraints = Constraints([(0, 1), (1, 2), (40, 41)], [(0, 40)], n_samples=len(X))
    mu = np.array([X[[0, 1, 2]].mean(axis=0), X[[40, 41]].mean(axis=0)])
    nearest = ((X[:, None] - mu) ** 2).sum(axis=2).argmin(axis=1)
    labels = SupervisedMeans.published(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_
    assert same_partition(labels, nearest)


# Metric learners of Baghshah and Shouraki (2010), Yi et al. (2015) and Bilenko et al. (2004)


def test_rca_and_dca():
    # Bar-Hillel et al. (2003): whiten the scatter within chunklets.  Hoi et al. (2006): its eigenvectors
    # against the scatter between the means of chunklets that a cannot-link separates.
    X, _, constraints = sample("iris", 2, 60)
    group = constraints.components
    chunklets = [np.flatnonzero(group == g) for g in np.unique(group)]
    within = sum((X[c] - X[c].mean(axis=0)).T @ (X[c] - X[c].mean(axis=0)) for c in chunklets)
    linked = {tuple(sorted((group[i], group[j]))) for i, j in constraints.cannot_links}
    mean = {g: X[group == g].mean(axis=0) for g in np.unique(group)}
    between = sum(np.outer(mean[a] - mean[b], mean[a] - mean[b]) for a, b in linked)
    rca = RCA.published().fit(X, constraints=constraints).components_
    metric, inverse = rca.T @ rca, np.linalg.inv(within)
    np.testing.assert_allclose(metric / np.trace(metric), inverse / np.trace(inverse), rtol=1e-8)
    dca = DCA.published(n_components=2).fit(X, constraints=constraints).components_
    V = eigh(between, within)[1][:, ::-1][:, :2]
    metric = dca.T @ dca
    np.testing.assert_allclose(metric / np.trace(metric), V @ V.T / np.trace(V @ V.T), rtol=1e-6)


@pytest.mark.parametrize("map_", ["linear", "nonlinear", "kernel"])
def test_trace_ratio(map_):
    # Table 1: bisection on lambda until the sum of the d' largest eigenvalues of S1 - lambda S2 is zero.
    X, _, constraints = sample("iris", 3, 40)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    n, d, k, alpha = *X.shape, 10, 0.2
    squared = np.array([[((x - z) ** 2).sum() for z in X] for x in X])
    S = np.zeros((n, n))
    for i in range(n):  # (6), with the ridge of Roweis and Saul
        near = np.argsort(squared[i])[1 : k + 1]
        G = (X[near] - X[i]) @ (X[near] - X[i]).T
        w = np.linalg.solve(G + 1e-3 * np.trace(G) * np.eye(k), np.ones(k))
        S[i, near] = w / w.sum()
    landmarks = np.arange(n) if map_ == "kernel" else np.unique(constraints.must_links)
    window = squared.sum() / (n * (n - 1))
    F = X if map_ == "linear" else np.exp(-np.sqrt(squared[:, landmarks]) / window)  # (16)
    S1, S2 = (
        sum(np.outer(F[i] - F[j], F[i] - F[j]) for i, j in pairs)
        for pairs in (constraints.cannot_links, constraints.must_links)
    )
    E = (np.eye(n) - S).T @ (np.eye(n) - S)
    S2 = S2 + alpha * F.T @ E @ F
    r = (d if map_ == "linear" else F.shape[1]) // 2
    low, high = 0.0, np.trace(S1) / np.linalg.eigvalsh(S2)[:r].sum()
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if np.linalg.eigvalsh(S1 - middle * S2)[-r:].sum() > 0:
            low = middle
        else:
            high = middle
    model = TraceRatio.published(map=map_).fit(X, constraints=constraints)
    assert model.components_.shape == (r, F.shape[1])
    assert model.objective_[-1] == pytest.approx(low, rel=1e-5)
    W = np.linalg.eigh(S1 - low * S2)[1][:, -r:]
    Z = model.transform(X)
    distances = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    V = F @ W
    np.testing.assert_allclose(distances, ((V[:, None] - V[None]) ** 2).sum(axis=2), rtol=1e-3, atol=1e-6)
