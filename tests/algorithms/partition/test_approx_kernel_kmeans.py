import numpy as np
import pytest
from sklearn.datasets import make_circles

from cscluster import ApproxKernelKMeans, load_dataset
from cscluster.errors import DataError, ParameterError
from cscluster.linalg.kernels import Kernel
from cscluster.metrics.scores import score


def exact_objective(K, labels):
    """Sum of squared distances to the cluster means in the space of the kernel."""
    Z = np.eye(labels.max() + 1)[labels]
    sizes = Z.sum(axis=0)
    return np.trace(K) - (np.einsum("ij,jc,ic->c", K, Z, Z)[sizes > 0] / sizes[sizes > 0]).sum()


def test_with_all_samples_as_landmarks_it_is_kernel_kmeans():
    X = load_dataset("wine").X.astype(float)
    model = ApproxKernelKMeans(n_clusters=3, n_landmarks=len(X), random_state=0).fit(X)
    K = Kernel.of("gaussian", X, 1.0, "median")(X)
    assert model.objective_[-1] == pytest.approx(exact_objective(K, model.labels_), rel=1e-6)
    # No sample could lower the kernel k-means objective by going to another cluster's mean.
    Z = np.eye(3)[model.labels_]
    sizes = Z.sum(axis=0)
    distances = np.diag(K)[:, None] - 2 * K @ Z / sizes + np.einsum("ij,jc,ic->c", K, Z, Z) / sizes**2
    assert np.array_equal(distances.argmin(axis=1), model.labels_)


def test_few_landmarks_come_close():
    X = load_dataset("optdigits_test").X[:600].astype(float)
    few, all_ = (
        ApproxKernelKMeans(n_clusters=10, n_landmarks=s, random_state=0).fit(X) for s in (150, len(X))
    )
    K = Kernel.of("gaussian", X, 1.0, "median")(X)
    assert exact_objective(K, few.labels_) < 1.03 * exact_objective(K, all_.labels_)


def test_a_narrow_kernel_separates_what_no_line_can():
    X, y = make_circles(400, factor=0.2, noise=0.03, random_state=0)
    labels = ApproxKernelKMeans(n_clusters=2, sigma=0.5, random_state=0).fit(X).labels_
    assert score("ari", y, labels) > 0.95


def test_prediction_repeats_the_labels_of_training_samples():
    X = load_dataset("pendigit389").X
    model = ApproxKernelKMeans(n_clusters=3, n_landmarks=60, random_state=1).fit(X)
    assert np.array_equal(model.predict(X), model.labels_)


def test_the_same_seed_gives_the_same_labels():
    X = load_dataset("wine").X
    a, b = (ApproxKernelKMeans(n_clusters=3, n_landmarks=20, random_state=4).fit(X).labels_ for _ in range(2))
    assert np.array_equal(a, b)


def test_width_in_the_unit_of_the_data():
    X = load_dataset("wine").X.astype(float)
    median = Kernel.of("gaussian", X, 1.0, "median").sigma
    a = ApproxKernelKMeans(n_clusters=3, random_state=0).fit(X)
    b = ApproxKernelKMeans(n_clusters=3, sigma=median, sigma_unit="data", random_state=0).fit(X)
    assert np.array_equal(a.labels_, b.labels_)


def test_samples_without_a_typical_distance():
    with pytest.raises(DataError, match=r"median.*sigma"):
        ApproxKernelKMeans(n_clusters=2).fit(np.zeros((5, 2)))


@pytest.mark.parametrize("wrong", [{"n_landmarks": 0}, {"sigma": 0}, {"n_clusters": 0}])
def test_illegal_parameters(wrong):
    with pytest.raises(ParameterError, match=rf"'{next(iter(wrong))}'.*ApproxKernelKMeans.*\b0\.$"):
        ApproxKernelKMeans(**wrong).fit([[0.0], [1.0]])
