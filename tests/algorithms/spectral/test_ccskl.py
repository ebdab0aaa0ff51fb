import numpy as np
import pytest
from scipy.optimize import minimize

from cscluster import CCSKL, Constraints, load_dataset
from cscluster.algorithms.spectral.ccskl import (
    learn_spectrum,
    neighbor_graph,
    shrunk_spectrum,
    smooth_eigenvectors,
)
from cscluster.errors import ParameterError
from cscluster.metrics.scores import score
from tests.algorithms.samples import with_random_pairs


def eigenvectors(X, count):
    return smooth_eigenvectors(neighbor_graph(X, 10), count, np.random.default_rng(0))


def test_graph_is_symmetric_without_loops():
    W = neighbor_graph(load_dataset("iris").X, 5)
    assert abs(W - W.T).max() == 0
    assert W.diagonal().max() == 0
    assert (np.diff(W.indptr) >= 5).all()


@pytest.mark.parametrize("count", [8, 100])
def test_eigenvectors_are_the_smoothest(count):
    X = load_dataset("wine").X
    W = neighbor_graph(X, 10).toarray()
    root = np.sqrt(W.sum(axis=1))
    laplacian = np.eye(len(X)) - W / root / root[:, None]
    V = eigenvectors(X, count) / np.sqrt(len(X))
    smallest = np.linalg.eigvalsh(laplacian)[:count]
    assert np.einsum("iq,ij,jq->q", V, laplacian, V) == pytest.approx(smallest, abs=1e-8)
    products = V.T @ V
    assert products == pytest.approx(np.eye(count), abs=1e-8)


def test_spectrum_solves_the_quadratic_program():
    X, _, links = with_random_pairs("iris", 40, seed=5)
    links = Constraints(
        links.must_links,
        links.cannot_links,
        n_samples=len(X),
        must_weights=np.linspace(0.5, 2, len(links.must_links)),
    )
    V = eigenvectors(X, 6)
    beta = learn_spectrum(V, links)
    assert (np.diff(beta) <= 1e-12).all()
    assert beta[-1] >= 0

    def loss(b):
        K = (V * b) @ V.T
        total = links.must_weights @ (K[tuple(links.must_links.T)] - 1) ** 2
        return (
            total + (K[tuple(links.cannot_links.T)] ** 2).sum() + ((np.diag(K)[links.touched] - 1) ** 2).sum()
        )

    order = {"type": "ineq", "fun": lambda b: np.append(-np.diff(b), b[-1])}
    best = minimize(
        loss, np.linspace(1, 0.1, 6), constraints=[order], options={"maxiter": 500, "ftol": 1e-12}
    )
    assert loss(beta) <= best.fun * (1 + 1e-6)


def test_shrunk_spectrum_solves_its_quadratic_program_and_is_the_prior_where_that_is_strong():
    X, _, links = with_random_pairs("iris", 40, seed=5)
    V = eigenvectors(X, 6)
    prior = np.array([1, 1, 1, 0, 0, 0]) / 3

    def loss(b):
        K = (V * b) @ V.T
        fit = ((K[tuple(links.must_links.T)] - 1) ** 2).mean() + (K[tuple(links.cannot_links.T)] ** 2).mean()
        return len(links) / 2 * fit + 5 * 9 * ((b - prior) ** 2).sum()

    beta = shrunk_spectrum(V, links, 3, 5.0)
    assert (np.diff(beta) <= 1e-12).all()
    assert beta[-1] >= 0
    order = {"type": "ineq", "fun": lambda b: np.append(-np.diff(b), b[-1])}
    best = minimize(loss, prior, constraints=[order], options={"maxiter": 500, "ftol": 1e-12})
    assert loss(beta) <= best.fun * (1 + 1e-6)
    assert np.allclose(shrunk_spectrum(V, links, 3, 1e9), prior, atol=1e-6)


def test_links_help_on_digits():
    X, y, _ = with_random_pairs("optdigits_test", 10, seed=5)
    few, many = (
        score(
            "nmi",
            y,
            CCSKL(n_clusters=10, random_state=0)
            .fit(X, constraints=with_random_pairs("optdigits_test", count, seed=5)[2])
            .labels_,
        )
        for count in (20, 1000)
    )
    assert many > few


def test_without_links_it_is_spectral_clustering():
    X = load_dataset("wine").X
    model = CCSKL(n_clusters=3, random_state=0).fit(X)
    assert model.spectrum_[:4].tolist() == [1, 1, 1, 0]
    assert set(model.labels_) == {0, 1, 2}


def test_only_one_kind_of_links():
    X, _, links = with_random_pairs("iris", 60, seed=5)
    for part in (
        Constraints(links.must_links, n_samples=150),
        Constraints((), links.cannot_links, n_samples=150),
    ):
        assert len(CCSKL(n_clusters=3, random_state=0).fit(X, constraints=part).labels_) == 150


def test_repeated_samples_and_illegal_parameters():
    assert len(CCSKL(n_clusters=2, random_state=0).fit(np.zeros((5, 2))).labels_) == 5
    with pytest.raises(ParameterError, match=r"'n_neighbors'.*CCSKL"):
        CCSKL(n_neighbors=0).fit([[0.0], [1.0]])
