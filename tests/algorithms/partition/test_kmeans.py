import numpy as np
import pytest
from scipy import sparse

from cscluster import Constraints, KMeans, PCKMeans, load_dataset
from cscluster.algorithms.partition.kmeans import QuickKMeans
from cscluster.errors import ConstraintError, ParameterError


def test_objective_is_the_sum_of_squared_distances():
    X = load_dataset("iris").X
    model = KMeans(n_clusters=3, random_state=0).fit(X)
    distances = np.linalg.norm(X - model.cluster_centers_[model.labels_], axis=1)
    assert model.objective_[-1] == pytest.approx((distances**2).sum())
    assert np.array_equal(model.predict(X), model.labels_)


def test_says_what_is_wrong():
    with pytest.raises(ParameterError, match=r"'n_clusters'.* KMeans"):
        KMeans(n_clusters=3).fit([[0.0], [1.0]])
    with pytest.raises(ParameterError, match=r"'tol'.* KMeans"):
        KMeans(tol=-1).fit([[0.0], [1.0]])
    with pytest.raises(ConstraintError, match=r"\b3 samples.*X.*\b2\b"):
        KMeans().fit([[0.0], [1.0]], constraints=Constraints.empty(3))


def test_perturbed_centers_are_those_of_pck_means_without_constraints():
    X = load_dataset("iris").X
    kmeans = KMeans(n_clusters=3, init="perturbed", random_state=4).fit(X)
    pck = PCKMeans(n_clusters=3, start="authors", random_state=4).fit(X)
    np.testing.assert_allclose(kmeans.cluster_centers_, pck.cluster_centers_, atol=0.05)
    assert (kmeans.labels_ == pck.labels_).mean() > 0.97


def test_starts_on_a_part_of_the_samples_end_as_well(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(4, size=3000)
    X = 1e6 + 3.0 * rng.normal(size=(4, 5))[y] + rng.normal(size=(3000, 5))
    whole = KMeans(n_clusters=4, random_state=0).fit(X)
    monkeypatch.setattr(QuickKMeans, "part", 300)
    part = QuickKMeans(n_clusters=4, random_state=0).fit(X)
    np.testing.assert_allclose(part.objective_, whole.objective_, rtol=1e-3)
    np.testing.assert_array_equal(part.predict(X), part.labels_)
    S = sparse.csr_array(np.maximum(X - X.mean(), 0.0))
    sparse_part = QuickKMeans(n_clusters=4, random_state=0).fit(S)
    np.testing.assert_array_equal(sparse_part.predict(S), sparse_part.labels_)
    monkeypatch.setattr(QuickKMeans, "part", 1500)
    few = QuickKMeans(n_clusters=4, random_state=0).fit(X)
    assert np.array_equal(few.labels_, whole.labels_)
