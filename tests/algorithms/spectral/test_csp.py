import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from cscluster import CCSKL, CSP, Constraints, load_dataset
from cscluster.algorithms.spectral import csp
from cscluster.algorithms.spectral.ccskl import neighbor_graph
from cscluster.algorithms.spectral.csp import constrained_eigenvectors, constraint_matrix
from cscluster.errors import DataError
from cscluster.experiment.config.schedules import RandomPairs
from cscluster.linalg.graph import normalised


def problem(name="iris", count=60):
    data = load_dataset(name)
    links = RandomPairs(counts=[count]).episode(count, data.y, 5, name, 0).tiers[0]
    W = neighbor_graph(data.X, 10)
    root = np.sqrt(W.sum(axis=1))
    L = (sparse.eye_array(len(root)) - normalised(W, root)).tocsr()
    return data, links, L, normalised(constraint_matrix(links), root), root / np.linalg.norm(root)


@pytest.mark.parametrize("dense", [True, False])
def test_vectors_solve_the_eigenproblem_and_keep_the_links(dense, monkeypatch):
    monkeypatch.setattr(csp, "_DENSE", 1000 if dense else 0)
    _, _, L, Q, trivial = problem()
    beta = 0.5 * np.linalg.eigvalsh(Q.toarray())[-2]
    theta, V = constrained_eigenvectors(L, Q, trivial, beta, 2, np.ones(len(trivial)))
    P = np.eye(len(trivial)) - np.outer(trivial, trivial)
    A = P @ (Q.toarray() - beta * np.eye(len(trivial))) @ P
    B = L.toarray() + csp._RIDGE * np.eye(len(trivial))
    assert (theta > 0).all()
    assert np.abs(A @ V - B @ V * theta).max() < 1e-6 * np.abs(A @ V).max() + 1e-8
    assert np.abs(trivial @ V).max() < 1e-6
    assert (np.einsum("ij,ij->j", V, Q @ V) > beta).all()  # the degree to which the links are asked for


def test_without_links_it_is_spectral_clustering():
    X = load_dataset("iris").X
    ours, theirs = CSP(n_clusters=3, random_state=0).fit(X), CCSKL(n_clusters=3, random_state=0).fit(X)
    agree = len({*zip(ours.labels_.tolist(), theirs.labels_.tolist(), strict=True)})
    assert agree <= 5  # the same three clusters but for a few samples


def test_links_change_the_partition_towards_themselves():
    data, links, *_ = problem("wine", 150)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    free, bound = (CSP(n_clusters=3, random_state=0).fit(X, constraints=c) for c in (None, links))
    assert len(links.violated(bound.labels_)) < len(links.violated(free.labels_))


def test_constraint_matrix_has_signs_and_weights():
    links = Constraints([(0, 1)], [(1, 2)], n_samples=3, must_weights=[2.0])
    assert constraint_matrix(links).toarray().tolist() == [[0, 2, 0], [2, 0, -1], [0, -1, 0]]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", [CSP, CCSKL])
def test_a_sample_too_far_from_all_others_for_a_similarity_is_clustered(method):
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 2
    X = np.column_stack([rng.normal(size=2000) + 9 * y, rng.normal(size=2000)])
    X[0] = 1e4
    assert not neighbor_graph(X, 10)[[0]].sum()
    links = Constraints([(1, 3), (2, 4)], [(1, 2)], n_samples=2000)
    labels = method(n_clusters=2, random_state=0).fit(X, constraints=links).labels_
    assert set(labels) == {0, 1}


def test_distances_take_the_place_of_samples():
    data, links, *_ = problem()
    X = data.X + 1e-6 * np.random.default_rng(0).normal(size=data.X.shape)  # no two neighbours tie
    D = cdist(X, X)
    given = CSP(n_clusters=3, metric="precomputed", random_state=0).fit(D, constraints=links)
    model = CSP(n_clusters=3, random_state=0).fit(X, constraints=links)
    np.testing.assert_allclose(given.eigenvalues_, model.eigenvalues_)
    assert np.array_equal(given.labels_, model.labels_)
    with pytest.raises(DataError, match="symmetric"):
        CSP(metric="precomputed").fit(np.triu(D))
