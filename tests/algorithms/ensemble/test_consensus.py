import numpy as np
import pytest
from scipy.optimize import minimize

from cscluster import Constraints
from cscluster.algorithms.ensemble import _consensus
from cscluster.algorithms.ensemble._consensus import (
    LearnedKernel,
    align,
    cluster_coordinates,
    co_occurrence,
)
from cscluster.algorithms.ensemble._labels import embed, normalized

EVERYTHING = np.arange(600)


def noisy_partitions(m=8, n=600, r=4, noise=0.2, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, r, n)
    L = np.where(rng.random((m, n)) < noise, rng.integers(0, r, (m, n)), truth)
    return truth, L.astype(np.uint8), rng


def draw_links(truth, rng, count=60):
    pairs = rng.choice(len(truth), (count, 2), replace=False)
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return Constraints(
        pairs[same], pairs[~same], n_samples=len(truth), must_weights=rng.uniform(0.5, 2, same.sum())
    )


def test_alignment_undoes_any_renumbering():
    _, L, rng = noisy_partitions()
    shuffled = np.array([rng.permutation(4).astype(np.uint8)[row] for row in L])
    align(shuffled, 4, EVERYTHING)
    agreement = (shuffled[1:] == shuffled[0]).mean()
    assert agreement == pytest.approx((L[1:] == L[0]).mean())
    for row, before in zip(shuffled, L, strict=True):
        assert len(set(zip(row.tolist(), before.tolist(), strict=True))) == 4


def test_alignment_from_a_sample_renumbers_everything():
    _, L, rng = noisy_partitions()
    shuffled = np.array([rng.permutation(4).astype(np.uint8)[row] for row in L])
    again = shuffled.copy()
    align(shuffled, 4, EVERYTHING)
    align(again, 4, EVERYTHING[::5])
    assert np.array_equal(shuffled, again)


def test_co_occurrence_is_the_product_of_indicators():
    _, L, _ = noisy_partitions(m=3)
    B = np.concatenate([np.eye(4)[row] for row in L], axis=1)
    assert np.array_equal(co_occurrence(L, np.array([0, 4, 8, 12])), B.T @ B)


def test_coordinates_are_eigenvectors_of_the_bipartite_graph():
    _, L, _ = noisy_partitions()
    tables, eigenvalues = cluster_coordinates(L, np.full(8, 4), 3)
    E = embed(L, tables).astype(float)
    B = np.concatenate([np.eye(4)[row] for row in L], axis=1)
    S = B / B.sum(axis=0) @ B.T / len(L)
    image = S @ E
    ratio = (image * E).sum(axis=0) / (E**2).sum(axis=0)
    assert image == pytest.approx(ratio * E, abs=1e-4 * np.abs(E).max())
    assert ratio == pytest.approx(eigenvalues, abs=1e-4)
    assert eigenvalues == pytest.approx(np.sort(np.linalg.eigvals(S).real)[::-1][1:4])


def test_many_clusters_use_the_iterative_eigensolver_and_agree():
    _, L, _ = noisy_partitions(m=150)
    few, _ = cluster_coordinates(L[:100], np.full(100, 4), 3)
    many, _ = cluster_coordinates(L, np.full(150, 4), 3)
    a, b = (normalized(embed(part, t)) for part, t in ((L[:100], few), (L, many)))
    assert np.corrcoef((a @ a.T).ravel()[::97], (b @ b.T).ravel()[::97])[0, 1] > 0.95


def test_learned_kernel_minimises_its_objective():
    truth, L, rng = noisy_partitions()
    tables, prior = cluster_coordinates(L, np.full(8, 4), 3)
    links = draw_links(truth, rng)
    T = LearnedKernel.empty(prior).add(L, tables, links).map(0.5)
    U = normalized(embed(L, tables)).astype(float)
    must, cannot = links.must_links, links.cannot_links
    total = links.must_weights.sum() + links.cannot_weights.sum()
    i, j = np.triu_indices(3)

    def objective(q):
        Q = np.zeros((3, 3))
        Q[i, j] = Q[j, i] = q
        k_must = ((U[must[:, 0]] @ Q) * U[must[:, 1]]).sum(axis=1)
        k_cannot = ((U[cannot[:, 0]] @ Q) * U[cannot[:, 1]]).sum(axis=1)
        fit = np.average((1 - k_must) ** 2, weights=links.must_weights) / 2
        fit += np.average(k_cannot**2, weights=links.cannot_weights) / 2
        return fit + 0.5 / total * ((Q - np.diag(prior)) ** 2).sum()

    best = minimize(objective, np.eye(3)[i, j], tol=1e-12)
    Q = np.zeros((3, 3))
    Q[i, j] = Q[j, i] = best.x
    s, V = np.linalg.eigh(Q)
    learned = T @ T.T
    assert learned == pytest.approx((V * np.maximum(s, 0)) @ V.T, abs=1e-4)


@pytest.mark.parametrize("in_memory", [7, 20_000])
def test_links_in_parts_teach_the_same_as_all_at_once(monkeypatch, in_memory):
    truth, L, rng = noisy_partitions()
    tables, prior = cluster_coordinates(L, np.full(8, 4), 3)
    first, second = draw_links(truth, rng, 30), draw_links(truth, rng, 50)
    parts = LearnedKernel.empty(prior).add(L, tables, first).add(L, tables, second)
    monkeypatch.setattr(_consensus, "_PAIRS", in_memory)
    whole = LearnedKernel.empty(prior).add(L, tables, first | second)
    assert parts.map(1.0) @ parts.map(1.0).T == pytest.approx(whole.map(1.0) @ whole.map(1.0).T)


def test_without_links_the_kernel_is_its_prior():
    T = LearnedKernel.empty(np.array([1.0, 0.25])).map(1.0)
    assert T.tolist() == [[1, 0], [0, 0.5]]


def test_clusters_that_no_partition_joins_stay_apart():
    L = np.tile(np.repeat(np.arange(3), 20), (4, 1)).astype(np.uint8)
    tables, eigenvalues = cluster_coordinates(L, np.full(4, 3), 4)
    assert eigenvalues == pytest.approx([1, 1, 0, 0], abs=1e-6)
    E = embed(L, tables)[:, :2]
    centres = E[[0, 20, 40]]
    assert np.linalg.norm(centres[[0, 1, 2]] - centres[[1, 2, 0]], axis=1).min() > 0.5 * np.abs(E).max()
    assert np.linalg.norm(E.mean(axis=0)) < 1e-5
