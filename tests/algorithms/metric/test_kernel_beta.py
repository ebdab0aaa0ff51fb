from types import SimpleNamespace

import numpy as np
import pytest

from cscluster import Constraints, KernelBeta, MetricClusterer
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.kernels import Kernel
from cscluster.metrics.scores import score
from tests.algorithms.samples import standardised_with_balanced_pairs


@pytest.mark.parametrize("center", [True, False])
def test_coordinates_are_a_root_of_the_learned_kernel(center):
    X, _, links = standardised_with_balanced_pairs("iris", 15)
    model = KernelBeta(n_components=8, center=center).fit(X, constraints=links)
    V, beta = model.eigenvectors_, model.weights_
    Z = model.transform(X)
    np.testing.assert_allclose(Z @ Z.T, (V * beta**2) @ V.T, atol=1e-8)
    np.testing.assert_allclose(Z, V * beta, atol=1e-6)


def test_weights_are_optimal():
    X, _, links = standardised_with_balanced_pairs("iris", 15)
    model = KernelBeta(n_components=8).fit(X, constraints=links)
    V, beta = model.eigenvectors_, model.weights_
    i, j = links.must_links.T

    def objective(beta):
        K = (V * beta**2) @ V.T
        return (K[i, i] + K[j, j] - 2 * K[i, j]).sum()

    assert beta.sum() == pytest.approx(1)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 1.0):
        step = rng.normal(size=8) * beta
        assert objective(beta + size * (step - beta * step.sum())) > objective(beta)


def test_centring_keeps_a_constant_eigenvector_from_taking_all_the_weight():
    X, y, links = standardised_with_balanced_pairs("synthetic_xor", 20)
    agreement = {}
    for center in (True, False):
        model = MetricClusterer(metric=KernelBeta(center=center), n_clusters=2, random_state=0).fit(
            X, constraints=links
        )
        agreement[center] = score("balanced_rand", y, model.labels_)
    assert model.metric_.weights_[0] > 0.9
    assert agreement[True] > 0.95 > 0.6 > agreement[False]


def test_ten_eigenvectors_or_as_many_as_there_are():
    X, _, links = standardised_with_balanced_pairs("iris", 5)
    assert len(KernelBeta().fit(X, constraints=links).weights_) == 10
    assert len(KernelBeta().fit(X[:4], constraints=Constraints([(0, 1)], n_samples=4)).weights_) == 3


def test_variance_of_the_gaussian():
    X, _, links = standardised_with_balanced_pairs("iris", 5)
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    assert KernelBeta(theta=6).fit(X, constraints=links).variance_ == pytest.approx(
        6 * squared.sum() / 2 / (150 * 149)
    )


def test_solves_rings():
    X, y, links = standardised_with_balanced_pairs("synthetic_rings", 20)
    labels = (
        MetricClusterer(metric=KernelBeta(), n_clusters=2, random_state=0).fit(X, constraints=links).labels_
    )
    assert score("balanced_rand", y, labels) > 0.95


@pytest.mark.filterwarnings("ignore:KernelBeta got no must-links")
def test_without_must_links_the_kernel_is_the_gaussian_one():
    X = np.random.default_rng(0).normal(size=(6, 3))
    model = KernelBeta(n_components=6, center=False).fit(X)
    Z, K = model.transform(X), Kernel("gaussian", np.sqrt(2 * model.variance_))(X)
    np.testing.assert_allclose(Z @ Z.T * K[0, 0] / (Z[0] @ Z[0]), K, atol=1e-8)


def test_a_kernel_matrix_that_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr("cscluster.arrays.psutil.virtual_memory", lambda: SimpleNamespace(available=100))
    with pytest.raises(DataError, match=r"KernelBeta.*3 x 6 x 6.*RCA"):
        KernelBeta().fit(np.arange(12.0).reshape(6, 2), constraints=[(0, 1, "must")])


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.warns(UserWarning, match="KernelBeta.*no must-links"):
        KernelBeta().fit(X, constraints=Constraints((), [(0, 1)], n_samples=6))
    with pytest.raises(ParameterError, match=r"'n_components'.*KernelBeta.*\b6\b.*\b7\b"):
        KernelBeta(n_components=7).fit(X, constraints=Constraints([(0, 1)], n_samples=6))
    with pytest.raises(DataError, match=r"KernelBeta.*coincide"):
        KernelBeta().fit(np.ones((6, 3)), constraints=Constraints([(0, 1)], n_samples=6))
    X[1] = X[0]
    assert np.isfinite(KernelBeta().fit(X, constraints=Constraints([(0, 1)], n_samples=6)).transform(X)).all()
