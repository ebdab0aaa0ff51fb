import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from cscluster import KernelKMeans, KMeans, load_dataset
from cscluster.algorithms.partition.kernel_kmeans import lloyd, seed_centers
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.kernels import Kernel
from cscluster.metrics.scores import score


def test_with_the_linear_kernel_it_is_kmeans():
    X = load_dataset("iris").X
    linear = KernelKMeans(n_clusters=3, kernel="linear", random_state=0).fit(X)
    plain = KMeans(n_clusters=3, random_state=0, tol=0).fit(X)
    assert linear.objective_[-1] == pytest.approx(plain.objective_[-1])
    assert score("ari", plain.labels_, linear.labels_) == 1


def test_objective_falls_to_the_optimum_of_a_tiny_problem():
    X = np.random.default_rng(3).normal(size=(8, 2))
    K = Kernel("gaussian", 1.0)(X)

    def within(labels):
        parts = [np.flatnonzero(np.array(labels) == c) for c in (0, 1)]
        return np.trace(K) - sum(K[np.ix_(p, p)].sum() / len(p) for p in parts if len(p))

    model = KernelKMeans(sigma=1.0, sigma_unit="data", init="random", n_init=30, random_state=0).fit(X)
    assert (np.diff(model.objective_) <= 1e-12).all()
    assert model.objective_[-1] == pytest.approx(within(model.labels_))
    assert model.objective_[-1] == pytest.approx(min(map(within, itertools.product((0, 1), repeat=8))))


def test_predict_repeats_the_labels_and_precomputed_agrees():
    X = load_dataset("synthetic_moons").X
    model = KernelKMeans(sigma=0.5, random_state=1).fit(X)
    assert np.array_equal(model.predict(X), model.labels_)
    K = Kernel.of("gaussian", X, 0.5, "median")(X)
    given = KernelKMeans(kernel="precomputed", random_state=1).fit(K)
    assert np.array_equal(given.labels_, model.labels_)
    assert np.array_equal(given.predict(K[:9]), model.labels_[:9])
    of_sparse = KernelKMeans(kernel="precomputed", random_state=1).fit(csr_array(K))
    assert np.array_equal(of_sparse.labels_, model.labels_)


@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
def test_distances_take_the_place_of_samples(kernel):
    X = load_dataset("iris").X
    D = cdist(X, X)
    given = KernelKMeans(n_clusters=3, kernel=kernel, metric="precomputed", random_state=0).fit(D)
    model = KernelKMeans(n_clusters=3, kernel=kernel, random_state=0).fit(X)
    assert given.objective_[-1] == pytest.approx(model.objective_[-1])
    assert np.array_equal(given.labels_, model.labels_)
    assert np.array_equal(given.predict(D[:9]), given.labels_[:9])
    for params in ({"init": "far"}, {"kernel": "precomputed"}):
        with pytest.raises(ParameterError, match="precomputed"):
            KernelKMeans(metric="precomputed", **params).fit(D)
    with pytest.raises(DataError, match="symmetric"):
        KernelKMeans(metric="precomputed").fit(np.triu(D))


def test_no_cluster_stays_empty():
    X = np.array([[0.0], [0.0], [0.0], [1.0]])
    K = Kernel("linear")(X)
    H = np.zeros((4, 3))
    H[0] = 1
    assert set(lloyd(K, H, 10).labels) == {0, 1, 2}
    assert seed_centers(np.ones((3, 3)), 3, np.random.default_rng(0)).sum() == 3


def test_a_precomputed_kernel_must_be_square():
    with pytest.raises(DataError, match=r"\(3, 2\)"):
        KernelKMeans(kernel="precomputed").fit(np.ones((3, 2)))


def test_far_first_centers_need_samples():
    X = np.r_[np.zeros((20, 2)), np.full((20, 2), 5.0)] + np.random.default_rng(0).normal(size=(40, 2))
    labels = KernelKMeans(init="far", n_init=1, random_state=0).fit(X).labels_
    assert abs(labels[:20].mean() - labels[20:].mean()) == 1.0
    with pytest.raises(ParameterError, match=r"init='far'.*samples"):
        KernelKMeans(init="far", kernel="precomputed").fit(X @ X.T)
