import numpy as np
import pytest
from scipy.spatial.distance import cdist

from cscluster import Constraints
from cscluster.algorithms.partition._closure import Closure
from cscluster.algorithms.partition._metric import Metrics, farthest_pair, minimiser, violated_scatter

N, D, K = 40, 3, 3


def random_case(seed, weighted):
    rng = np.random.default_rng(seed)
    X, y, labels = rng.normal(size=(N, D)), rng.integers(0, K, N), rng.integers(0, K, N)
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(30)])
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    constraints = Constraints(
        pairs[same],
        pairs[~same],
        n_samples=N,
        must_weights=rng.uniform(0.5, 3, same.sum()) if weighted else None,
        cannot_weights=rng.uniform(0.5, 3, (~same).sum()) if weighted else None,
    )
    return X - X.mean(axis=0), labels, constraints


def listed_scatter(X, labels, constraints, h, single):
    """The sums of equation (7) over all pairs of the closure, one by one."""
    S = np.zeros((D, D))
    violated = (constraints.binding.closure() | constraints).violated(labels)
    for (i, j), w in zip(violated.must_links, violated.must_weights, strict=True):
        share = 1.0 if single else 0.5 * (h in (labels[i], labels[j]))
        S += w * share * np.outer(X[i] - X[j], X[i] - X[j])
    for (i, j), w in zip(violated.cannot_links, violated.cannot_weights, strict=True):
        S -= w * (single or labels[i] == h) * np.outer(X[i] - X[j], X[i] - X[j])
    return S


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("single", [True, False])
def test_scatter_of_violated_constraints_is_the_sum_over_all_pairs(single, weighted):
    X, labels, constraints = random_case(1, weighted)
    closure = Closure.of(constraints)
    for h in range(K):
        violated = closure.violated(labels[closure.points])
        parts = violated if single else [part.at(h) for part in violated]
        full = sum(violated_scatter(X[closure.points], part, single, True) for part in parts)
        diagonal = sum(violated_scatter(X[closure.points], part, single, False) for part in parts)
        assert np.allclose(full, listed_scatter(X, labels, constraints, h, single))
        assert np.allclose(diagonal, np.diag(full))


def listed_objective(X, labels, mu, constraints, A, far, w):
    """Equation (6) with the squared length of the maximally separated pair under each metric."""

    def f(i, j, h):
        x = X[i] - X[j]
        return x @ A[h] @ x

    J = 0.0
    for i, h in enumerate(labels):
        x = X[i] - mu[h]
        J += x @ A[h] @ x - np.linalg.slogdet(A[h])[1]
    violated = (constraints.binding.closure() | constraints).violated(labels)
    for (i, j), v in zip(violated.must_links, violated.must_weights, strict=True):
        J += w * v * 0.5 * (f(i, j, labels[i]) + f(i, j, labels[j]))
    for (i, j), v in zip(violated.cannot_links, violated.cannot_weights, strict=True):
        h = labels[i]
        J += w * v * (far[h] - f(i, j, h))
    return J


@pytest.mark.parametrize("matrix", ["diagonal", "full"])
@pytest.mark.parametrize("metric", ["single", "multiple"])
def test_update_reports_the_objective_and_minimises_it(metric, matrix):
    X, labels, constraints = random_case(2, weighted=True)
    closure = Closure.of(constraints)
    mu = np.array([X[labels == h].mean(axis=0) for h in range(K)])
    before = Metrics.start(X, K, metric=metric, matrix=matrix, w=0.2, floor=1e-6)
    after, J, distances = before.update(X, labels, mu, closure)
    assert after.n_floored == 0
    if matrix == "full":
        assert np.array_equal(distances, after.distances(X, mu))

    def expand(A):
        A = [np.diag(a) if a.ndim == 1 else a for a in A]
        return A * K if len(A) == 1 else A

    def lengths(A, far):
        far = np.repeat(far, K // len(far), axis=0)
        if matrix == "diagonal":
            return [np.diag(A[h]) @ far[h] ** 2 for h in range(K)]
        return [far[h] @ A[h] @ far[h] for h in range(K)]

    A = expand(after.matrices())
    assert pytest.approx(J) == listed_objective(X, labels, mu, constraints, A, lengths(A, after.far), 0.2)
    at_minimum = listed_objective(X, labels, mu, constraints, A, lengths(A, before.far), 0.2)
    rng = np.random.default_rng(0)
    for _ in range(20):
        E = rng.normal(size=(len(after.L), D, D)) * 0.02
        E = E + E.swapaxes(1, 2)
        E = np.stack([np.diag(np.diag(e)) for e in E]) if matrix == "diagonal" else E
        moved = [a + e for a, e in zip(A, E if metric == "multiple" else [*E] * K, strict=True)]
        assert (
            listed_objective(X, labels, mu, constraints, moved, lengths(moved, before.far), 0.2) > at_minimum
        )


def test_minimiser_is_optimal_under_the_floor():
    rng = np.random.default_rng(3)
    S = rng.normal(size=(4, 4))
    S = S @ S.T - 2 * np.outer(S[0], S[0])
    assert np.linalg.eigvalsh(S).min() < 0
    variance = np.array([1.0, 4.0, 0.25, 9.0])
    L, log_det, lifted = minimiser(S, 0.05, variance)
    A = L @ L.T
    assert lifted
    assert log_det == pytest.approx(np.linalg.slogdet(A)[1])
    bound = np.diag(1 / (0.05 * variance))
    assert np.linalg.eigvalsh(bound - A).min() > -1e-9
    # Certificate: the multiplier A^-1 - S of the bound is positive semidefinite and complementary.
    multiplier = np.linalg.inv(A) - S
    assert np.linalg.eigvalsh(multiplier).min() > -1e-9
    assert np.trace(multiplier @ (bound - A)) == pytest.approx(0, abs=1e-8)


def test_farthest_pair_is_close_to_the_true_one():
    rng = np.random.default_rng(4)
    for _ in range(20):
        X, L = rng.normal(size=(200, 4)), rng.normal(size=(4, 4))
        longest = cdist(X @ L, X @ L).max()
        found = np.linalg.norm(farthest_pair(X, X @ L, ((X @ L) ** 2).sum(axis=1)) @ L)
        assert 0.9 * longest <= found <= longest + 1e-9


def test_a_constant_feature_changes_neither_another_weight_nor_the_objective():
    X, labels, constraints = random_case(5, weighted=False)
    padded = np.column_stack([X, np.zeros(N)])
    closure = Closure.of(constraints)
    for matrix in ("diagonal", "full"):
        results = []
        for data in (X, padded):
            mu = np.array([data[labels == h].mean(axis=0) for h in range(K)])
            model = Metrics.start(data, K, metric="single", matrix=matrix, w=0.2, floor=0.1)
            results.append(model.update(data, labels, mu, closure)[:2])
        (plain, J), (wide, J_wide) = results
        assert pytest.approx(J) == J_wide
        A, B = plain.matrices()[0], wide.matrices()[0]
        assert np.allclose(A, B[:D] if matrix == "diagonal" else B[:D, :D])
        assert plain.n_floored == wide.n_floored
