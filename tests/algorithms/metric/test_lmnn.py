import numpy as np
import pytest

from cscluster import LMNN, Constraints
from cscluster.algorithms.metric import lmnn
from cscluster.algorithms.metric.lmnn import large_margin_loss, target_pairs, triples
from cscluster.errors import DataError
from cscluster.linalg.scatter import common_scales
from tests.algorithms.samples import with_random_pairs


def plain_loss(M, T, V, target, impostor, mu, shrinkage):
    pull = (1 - mu) * np.mean([t @ M @ t for t in T])
    push = 0.0
    for j, e in zip(target, impostor, strict=True):
        near = T[j] @ M @ T[j] if j >= 0 else 0.0
        t = 1 + near - V[e] @ M @ V[e]
        push += 0.0 if t < 0 else t - 0.05 if t > 0.1 else t**2 / 0.2
    off = ((M - np.eye(len(M))) ** 2).sum()
    return pull + mu * push / len(target) + shrinkage / 2 * off


def test_targets_and_triples_by_hand():
    # Component {0, 1, 2} on a line at 0, 1, 3 and the pair {3, 4}; sample 5 has no must-link.
    Z = np.array([[0.0], [1.0], [3.0], [10.0], [11.0], [20.0]])
    links = Constraints([(0, 1), (1, 2), (3, 4)], [(0, 3), (4, 5)], n_samples=6)
    targets = target_pairs(Z, links, 1)
    assert targets.tolist() == [[0, 1], [1, 0], [2, 1], [3, 4], [4, 3]]
    impostors = np.array([[0, 3], [4, 5], [3, 0], [5, 4]])
    target, impostor = triples(targets, impostors)
    assert target.tolist() == [0, 4, 3, -1]
    assert impostor.tolist() == [0, 1, 2, 3]
    two, which = triples(target_pairs(Z, links, 2), impostors)
    assert two.tolist() == [0, 1, 7, 6, -1]
    assert which.tolist() == [0, 0, 1, 2, 3]


def test_loss_and_gradient():
    rng = np.random.default_rng(0)
    T, V = rng.normal(size=(6, 4)) / 2, rng.normal(size=(9, 4)) / 2
    target, impostor = rng.integers(-1, 6, 25), rng.integers(0, 9, 25)
    loss = large_margin_loss(T, V, target, impostor, 0.3, 0.1)
    R = rng.normal(size=(4, 4))
    M, D = R @ R.T / 4, rng.normal(size=(4, 4))
    D = D + D.T
    value, gradient = loss(M)
    assert value == pytest.approx(plain_loss(M, T, V, target, impostor, 0.3, 0.1))
    slope = (loss(M + 1e-6 * D)[0] - loss(M - 1e-6 * D)[0]) / 2e-6
    assert np.vdot(gradient, D) == pytest.approx(slope, rel=1e-5)


def test_objective_ends_below_its_start_and_any_neighbour():
    X, _, links = with_random_pairs("iris", 60)
    model = LMNN(shrinkage=0.01, tol=1e-8).fit(X, constraints=links)
    assert model.converged_
    assert model.objective_.min() < model.objective_[0]
    s = common_scales(X)[1] * np.sqrt(8)
    Z = X / s
    targets = target_pairs(Z, links, 3)
    impostors = np.concatenate([links.cannot_links, links.cannot_links[:, ::-1]])
    T, V = Z[targets[:, 0]] - Z[targets[:, 1]], Z[impostors[:, 0]] - Z[impostors[:, 1]]
    loss = large_margin_loss(T, V, *triples(targets, impostors), 0.5, 0.01 / 4)
    L = model.components_ * s
    best = loss(L.T @ L)[0]
    assert best == pytest.approx(model.objective_.min())
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            R = L + size * rng.normal(size=(4, 4))
            assert loss(R.T @ R)[0] > best * (1 - 1e-6)


def test_fewer_links_than_features_are_solved_in_their_span(monkeypatch):
    X, _, links = with_random_pairs("sonar", 15)
    inside = LMNN(tol=1e-6).fit(X, constraints=links)
    monkeypatch.setattr("cscluster.algorithms.metric.lmnn.span", lambda V: np.eye(V.shape[1]))
    whole = LMNN(tol=1e-6).fit(X, constraints=links)
    assert inside.objective_.min() == pytest.approx(whole.objective_.min(), rel=1e-3)
    A, B = (m.components_.T @ m.components_ for m in (inside, whole))
    assert np.linalg.norm(A - B) < 0.01 * np.linalg.norm(B)


def test_pulls_must_links_and_pushes_cannot_links():
    X, _, links = with_random_pairs("wine", 100)
    Z, S = LMNN().fit(X, constraints=links).transform(X), X / X.std(axis=0)

    def spread(Y, pairs):
        return ((Y[pairs[:, 0]] - Y[pairs[:, 1]]) ** 2).sum(axis=1).mean()

    before = spread(S, links.cannot_links) / spread(S, links.must_links)
    assert spread(Z, links.cannot_links) / spread(Z, links.must_links) > 1.5 * before


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(UserWarning, match="LMNN.*no cannot-links"):
        L = LMNN().fit(X, constraints=Constraints([(0, 1)], n_samples=6)).components_
    np.testing.assert_allclose(L, np.diag(1 / common_scales(X)[1]) / np.sqrt(6))
    with pytest.raises(DataError, match=r"LMNN.*coincide"):
        LMNN().fit(np.ones((6, 3)), constraints=Constraints([(0, 1)], [(2, 3)], n_samples=6))
    assert np.isfinite(LMNN().fit(X, constraints=Constraints((), [(0, 1)], n_samples=6)).components_).all()
    X[1] = X[0]
    links = Constraints([(0, 1)], [(2, 3), (0, 4)], n_samples=6)
    assert np.isfinite(LMNN().fit(X, constraints=links).components_).all()


def test_targets_do_not_depend_on_the_blocks(monkeypatch):
    X, _, links = with_random_pairs("wine", 150)
    expected = target_pairs(X, links, 3)
    monkeypatch.setattr(lmnn, "_BLOCK_NUMBERS", 100)
    assert np.array_equal(target_pairs(X, links, 3), expected)
