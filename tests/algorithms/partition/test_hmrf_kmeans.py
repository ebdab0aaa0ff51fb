import numpy as np
import pytest
from scipy.optimize import check_grad

from cscluster import HMRFKMeans
from cscluster.algorithms.partition.hmrf_kmeans import Pairs, improve_weights
from tests.algorithms.samples import with_random_pairs


def test_gradient_of_the_weights():
    rng = np.random.default_rng(0)
    pairs = Pairs(rng.normal(size=(9, 4)), rng.normal(size=(9, 4)), rng.normal(size=9))
    for a in (np.ones(4), rng.uniform(0.2, 3, 4)):
        assert check_grad(pairs.value, pairs.gradient, a) < 1e-5
        assert pairs.value(improve_weights(pairs, a)) <= pairs.value(a)


@pytest.mark.parametrize("learn", [True, False])
@pytest.mark.parametrize("name", ["iris", "wine", "ionosphere"])
def test_the_objective_never_rises_and_is_that_of_the_definition(name, learn):
    X, _, constraints = with_random_pairs(name, 80)
    model = HMRFKMeans(n_clusters=3, learn_weights=learn, tol=0.0, random_state=0).fit(
        X, constraints=constraints
    )
    assert (np.diff(model.objective_) <= 1e-9 * abs(model.objective_[0])).all()
    a = model.weights_
    Y = X * np.sqrt(a)
    Y = Y / np.linalg.norm(Y, axis=1, keepdims=True)
    violated = constraints.violated(model.labels_)
    cosine = [
        np.einsum("ij,ij->i", Y[p[:, 0]], Y[p[:, 1]]) for p in (violated.must_links, violated.cannot_links)
    ]
    expected = (1 - np.einsum("ij,ij->i", Y, model.cluster_centers_[model.labels_])).sum()
    expected += (1 - cosine[0]).sum() + (2 - (1 - cosine[1])).sum() + (a**2 / 2 - np.log(a)).sum()
    assert model.objective_[-1] == pytest.approx(expected)


def test_length_does_not_matter():
    X, _, constraints = with_random_pairs("iris", 60)
    scale = np.random.default_rng(0).uniform(0.5, 2, (len(X), 1))
    a = HMRFKMeans(n_clusters=3, learn_weights=False, random_state=0).fit(X, constraints=constraints)
    scores = a.predict(X * scale)
    assert np.array_equal(scores, a.predict(X))


def test_a_high_cost_satisfies_more_constraints():
    X, _, constraints = with_random_pairs("iris", 60)
    free, strict = (
        HMRFKMeans(n_clusters=3, w=w, random_state=0).fit(X, constraints=constraints).labels_
        for w in (0, 100)
    )
    assert len(constraints.violated(strict)) < len(constraints.violated(free))
