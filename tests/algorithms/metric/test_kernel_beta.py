import numpy as np
import pytest

from cscluster import Constraints, KernelBeta, MetricClusterer, load_dataset
from cscluster.constraints.schedules import BalancedPairs
from cscluster.errors import ConstraintError, DataError, ParameterError
from cscluster.metrics.scores import score


def links_of(name, count, trial=0):
    data = load_dataset(name)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    return X, data.y, BalancedPairs(counts=[count]).episode(count, data.y, 0, name, trial).tiers[0]


@pytest.mark.parametrize("center", [True, False])
def test_coordinates_are_a_root_of_the_learned_kernel(center):
    X, _, links = links_of("iris", 15)
    model = KernelBeta(n_components=8, center=center).fit(X, links)
    V, beta = model.eigenvectors_, model.weights_
    Z = model.transform(X)
    np.testing.assert_allclose(Z @ Z.T, (V * beta**2) @ V.T, atol=1e-8)
    np.testing.assert_allclose(Z, V * beta, atol=1e-6)


def test_weights_are_optimal():
    X, _, links = links_of("iris", 15)
    model = KernelBeta(n_components=8).fit(X, links)
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
    X, y, links = links_of("synthetic_xor", 20)
    agreement = {}
    for center in (True, False):
        model = MetricClusterer(metric=KernelBeta(center=center), n_clusters=2, random_state=0).fit(X, links)
        agreement[center] = score("balanced_rand", y, model.labels_)
    assert model.metric_.weights_[0] > 0.9
    assert agreement[True] > 0.95 > 0.6 > agreement[False]


def test_ten_eigenvectors_or_as_many_as_there_are():
    X, _, links = links_of("iris", 5)
    assert len(KernelBeta().fit(X, links).weights_) == 10
    assert len(KernelBeta().fit(X[:4], Constraints([(0, 1)], n_samples=4)).weights_) == 3


def test_variance_of_the_gaussian():
    X, _, links = links_of("iris", 5)
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    assert KernelBeta(theta=6).fit(X, links).variance_ == pytest.approx(6 * squared.sum() / 2 / (150 * 149))


def test_solves_rings():
    X, y, links = links_of("synthetic_rings", 20)
    labels = MetricClusterer(metric=KernelBeta(), n_clusters=2, random_state=0).fit(X, links).labels_
    assert score("balanced_rand", y, labels) > 0.95


def test_says_what_it_needs():
    X = np.random.default_rng(0).normal(size=(6, 3))
    with pytest.raises(ConstraintError, match="KernelBeta needs must-links, got none"):
        KernelBeta().fit(X, Constraints((), [(0, 1)], n_samples=6))
    with pytest.raises(ParameterError, match="must not exceed the 6 samples, got 7"):
        KernelBeta(n_components=7).fit(X, Constraints([(0, 1)], n_samples=6))
    with pytest.raises(DataError, match="all coincide"):
        KernelBeta().fit(np.ones((6, 3)), Constraints([(0, 1)], n_samples=6))
    X[1] = X[0]
    assert np.isfinite(KernelBeta().fit(X, Constraints([(0, 1)], n_samples=6)).transform(X)).all()
