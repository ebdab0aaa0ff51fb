import numpy as np
import pytest
from scipy.linalg import eigh

from cscluster import DCA, RCA, Constraints
from cscluster.algorithms.metric.dca import simultaneous_diagonalisation
from cscluster.errors import ParameterError
from cscluster.linalg.scatter import chunklet_scatter, common_scales, separation_scatter
from tests.algorithms.samples import squared_distances, with_random_pairs


def test_solves_the_generalised_eigenproblem():
    X, _, links = with_random_pairs("wine", 200)
    model = DCA(n_components=4, shrinkage=0).fit(X, constraints=links)
    S_w, nu = chunklet_scatter(X, links)
    S_b, n_pairs = separation_scatter(X, links)
    values, _ = eigh(S_b / n_pairs, S_w / nu)
    np.testing.assert_allclose(model.eigenvalues_, values[::-1][:4], rtol=1e-6)
    W = model.components_
    np.testing.assert_allclose(W @ (S_w / nu) @ W.T, np.eye(4), atol=1e-8)
    np.testing.assert_allclose(W @ (S_b / n_pairs) @ W.T, np.diag(model.eigenvalues_), atol=1e-6)


def test_objective_beats_random_maps():
    X, _, links = with_random_pairs("iris", 100)
    W = DCA(n_components=2, shrinkage=0).fit(X, constraints=links).components_
    S_w, S_b = chunklet_scatter(X, links)[0], separation_scatter(X, links)[0]

    def objective(W):
        return np.linalg.det(W @ S_b @ W.T) / np.linalg.det(W @ S_w @ W.T)

    rng = np.random.default_rng(0)
    assert all(objective(W) > objective(rng.normal(size=W.shape)) for _ in range(200))


def test_no_other_map_does_better_than_the_published_one_on_tiny_data():
    # One direction of the plane: all angles are tried.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8, 2)) * [1.0, 5.0]
    links = Constraints([(0, 1), (2, 3), (4, 5)], [(0, 2), (2, 4), (6, 7)], n_samples=8)
    components = [[0, 1], [2, 3], [4, 5], [6], [7]]
    C_w = sum((X[c] - X[c].mean(axis=0)).T @ (X[c] - X[c].mean(axis=0)) for c in components)
    means = np.array([X[c].mean(axis=0) for c in components])
    C_b = sum(np.outer(means[a] - means[b], means[a] - means[b]) for a, b in [(0, 1), (1, 2), (3, 4)])
    angles = np.linspace(0, np.pi, 20001)
    w = np.column_stack([np.cos(angles), np.sin(angles)])
    ratio = np.einsum("ij,ij->i", w @ C_b, w) / np.einsum("ij,ij->i", w @ C_w, w)
    found = DCA(n_components=1, shrinkage=0).fit(X, constraints=links).components_[0]
    assert (found @ C_b @ found) / (found @ C_w @ found) == pytest.approx(ratio.max(), rel=1e-6)


def test_published_form_leaves_out_directions_without_must_linked_variation():
    X = np.random.default_rng(0).normal(size=(8, 3))
    links = Constraints([(0, 1)], [(2, 3), (4, 5), (6, 7)], n_samples=8)
    model = DCA(n_components=3, shrinkage=0).fit(X, constraints=links)
    assert model.components_.shape == (1, 3)
    assert model.components_[0] @ (X[0] - X[1]) != pytest.approx(0)


def test_null_space_of_the_separation_is_dropped():
    # Two cannot-linked pairs of single samples span two directions of three.
    X = np.random.default_rng(0).normal(size=(8, 3))
    links = Constraints([(0, 1)], [(2, 3), (4, 5)], n_samples=8)
    assert DCA(n_components=3, shrinkage=0.2).fit(X, constraints=links).components_.shape == (2, 3)
    W, values = simultaneous_diagonalisation(np.diag([4.0, 0.0, 1.0]), np.eye(3))
    np.testing.assert_allclose(values, [4, 1])
    np.testing.assert_allclose(np.abs(W), [[1, 0, 0], [0, 0, 1]], atol=1e-12)


def test_all_directions_give_the_distances_of_rca():
    X, _, links = with_random_pairs("wine", 200)
    np.testing.assert_allclose(
        squared_distances(DCA(n_components=13).fit(X, constraints=links), X),
        squared_distances(RCA().fit(X, constraints=links), X),
        rtol=1e-6,
    )


def test_entailed_links_and_units_change_nothing():
    X, _, links = with_random_pairs("iris", 60)
    wanted = squared_distances(DCA().fit(X, constraints=links), X)
    np.testing.assert_allclose(
        squared_distances(DCA().fit(X, constraints=links.closure()), X), wanted, atol=1e-8
    )
    scaled = X * [1e-3, 1.0, 10.0, 1e3] - 5.0
    np.testing.assert_allclose(
        squared_distances(DCA().fit(scaled, constraints=links), scaled), wanted, atol=1e-6
    )


def test_more_features_than_links():
    X, _, links = with_random_pairs("optdigits_test", 40)
    model = DCA().fit(X, constraints=links)
    assert np.isfinite(model.components_).all()
    assert len(model.components_) <= len(links.component_cannot_links)


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(UserWarning, match="DCA.*no cannot-links.*prior"):
        contradictory = DCA().fit(X, constraints=Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=6))
    np.testing.assert_allclose(contradictory.components_, np.diag(1 / common_scales(X)[1]))
    with pytest.warns(UserWarning, match="DCA.*no must-links.*covariance"):
        assert len(DCA().fit(X, constraints=Constraints((), [(0, 1)], n_samples=6)).components_) == 1
    with pytest.warns(UserWarning, match="DCA.*no must-links.*'shrinkage' 0"):
        published = DCA(shrinkage=0).fit(X, constraints=Constraints((), [(0, 2)], n_samples=6))
    assert np.array_equal(published.transform(X), X)
    with pytest.raises(ParameterError, match=r"'n_components'.*DCA.*\b3\b.*\b4\b"):
        DCA(n_components=4).fit(X, constraints=Constraints([(0, 1)], [(0, 2)], n_samples=6))


def test_duplicate_points_in_links():
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 3.0], [2.0, 1.0]])
    assert np.isfinite(
        DCA().fit(X, constraints=Constraints([(0, 1)], [(0, 2)], n_samples=4)).components_
    ).all()
    with pytest.warns(UserWarning, match="DCA.*no cannot-links.*prior"):
        DCA().fit(X, constraints=Constraints([(2, 3)], [(0, 1)], n_samples=4))
