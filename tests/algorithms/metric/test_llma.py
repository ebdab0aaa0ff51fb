import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.distance import cdist

from cscluster import LLMA, Constraints, MetricClusterer
from cscluster.algorithms.metric.llma import laplacian, neighbour_edges
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.lle import reconstruction_weights
from cscluster.metrics.scores import score
from tests.algorithms.samples import standardised_with_balanced_pairs


def objective(X, Y, links, lam, k):
    """J term by term."""
    edges = neighbour_edges(X, k)
    d = np.array([np.linalg.norm(X[i] - X[j]) for i, j in edges])
    q = np.array([np.linalg.norm(Y[i] - Y[j]) for i, j in edges])
    N = np.exp(-(d**2) / np.mean(d**2))
    pull = np.mean([((Y[i] - Y[j]) ** 2).sum() for i, j in links.must_links])
    return pull + lam * (N / N.sum()) @ (q - d) ** 2


@pytest.mark.parametrize("lam", [0.1, 10.0])
def test_objective_falls_to_a_stationary_point(lam):
    X, _, links = standardised_with_balanced_pairs("iris", 15)
    model = LLMA(lam=lam, tol=1e-9, max_iter=500).fit(X, constraints=links)
    assert (np.diff(model.objective_) <= 1e-12).all()
    assert model.objective_[-1] == pytest.approx(objective(X, model.transform(X), links, lam, 10))
    assert model.objective_[-1] < objective(X, X, links, lam, 10)
    B = model.translations_
    direction = np.random.default_rng(0).normal(size=B.shape)
    values = []
    for step in (-1e-4, 1e-4):
        model.translations_ = B + step * direction
        values.append(objective(X, model.transform(X), links, lam, 10))
    slope = (values[1] - values[0]) / 2e-4
    assert abs(slope) < 1e-3 * np.linalg.norm(direction) * model.objective_[-1]


def test_spectral_form_is_the_constrained_least_squares_problem():
    # A second formulation: generalised eigenvectors of the quadratic form under the covariance.
    X, _, links = standardised_with_balanced_pairs("iris", 4)
    model = LLMA(solver="spectral", lam=0.5, n_neighbors=5).fit(X, constraints=links)
    Y, n = model.transform(X), len(X)
    np.testing.assert_allclose(np.cov(Y.T, bias=True), np.eye(4), atol=1e-6)
    S = reconstruction_weights(X, 5).toarray()
    U = laplacian(links.must_links, np.full(4, 1 / 4), n).toarray()
    Q = U + 0.5 * (np.eye(n) - S).T @ (np.eye(n) - S) / n
    assert model.objective_[-1] == pytest.approx(np.trace(Y.T @ Q @ Y))
    windows = np.exp(-cdist(X, model.landmarks_, "sqeuclidean") / (2 * model.window_**2))
    F = np.hstack([X, windows])
    F -= F.mean(axis=0)
    least = eigh(F.T @ Q @ F, F.T @ F / n + 1e-12 * np.eye(F.shape[1]), eigvals_only=True)[:4]
    assert model.objective_[-1] == pytest.approx(least.sum(), rel=1e-4)


def test_neighbour_edges_are_those_of_the_graph():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    assert neighbour_edges(X, 1).tolist() == [[0, 1], [1, 2], [2, 3]]


def test_laplacian():
    L = laplacian(np.array([[0, 1], [1, 2]]), np.array([2.0, 3.0]), 3).toarray()
    assert L.tolist() == [[2, -2, 0], [-2, 5, -3], [0, -3, 3]]


def test_large_lam_leaves_the_samples_where_they_are():
    X, _, links = standardised_with_balanced_pairs("iris", 10)
    Y = LLMA(lam=1e8).fit(X, constraints=links).transform(X)
    edges = neighbour_edges(X, 10)
    lengths = [np.linalg.norm(Z[edges[:, 0]] - Z[edges[:, 1]], axis=1) for Z in (X, Y)]
    np.testing.assert_allclose(*lengths, atol=1e-2)


def test_solves_xor_that_no_linear_map_can():
    X, y, links = standardised_with_balanced_pairs("synthetic_xor", 20)
    labels = MetricClusterer(metric=LLMA(), n_clusters=2, random_state=0).fit(X, constraints=links).labels_
    assert score("balanced_rand", y, labels) > 0.8


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    links = Constraints([(0, 1)], n_samples=6)
    for solver in ("majorisation", "spectral"):
        with pytest.warns(UserWarning, match="LLMA.*no must-links"):
            model = LLMA(solver=solver).fit(X, constraints=Constraints((), [(0, 1)], n_samples=6))
        assert np.array_equal(model.transform(X), X)
    with pytest.raises(ParameterError, match=r"'n_neighbors'.*\b6 samples.*\b6\b"):
        LLMA(n_neighbors=6).fit(X, constraints=links)
    with pytest.raises(DataError, match=r"LLMA.*coincide"):
        LLMA(n_neighbors=2).fit(np.ones((6, 3)), constraints=links)
    X[1] = X[0]
    assert np.isfinite(LLMA(n_neighbors=3).fit(X, constraints=links).transform(X)).all()


def test_rounding_errors_stay_small():
    X, _, links = standardised_with_balanced_pairs("synthetic_rings", 20)
    near = X * (1 + 1e-13 * np.random.default_rng(0).normal(size=X.shape))
    moved, moved_near = (LLMA().fit(Z, constraints=links).transform(Z) for Z in (X, near))
    assert np.abs(moved - moved_near).max() < 1e-3
