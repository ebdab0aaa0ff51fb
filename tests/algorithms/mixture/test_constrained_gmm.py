import itertools

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from cscluster import ConstrainedGMM, Constraints, load_dataset
from cscluster.algorithms.mixture.constrained_gmm import Chunks, expectation, free_energy
from cscluster.constraints.sampling import random_pairs
from cscluster.metrics.scores import score

COVARIANCES = ["spherical", "diag", "tied", "full"]


@pytest.fixture(scope="module")
def iris():
    data = load_dataset("iris")
    rng = np.random.default_rng(0)
    return data.X, data.y, Constraints.from_labels(random_pairs(150, 60, rng), data.y)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_the_objective_never_rises(iris, covariance):
    X, _, constraints = iris
    model = ConstrainedGMM(n_clusters=3, random_state=0, covariance=covariance, w=2.0, tol=0, max_iter=30)
    objective = model.fit(X, constraints=constraints).objective_
    assert len(objective) > 10
    assert (np.diff(objective) <= 1e-9 * np.abs(objective[:-1])).all()


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_without_constraints_it_is_the_mixture_of_scikit_learn(iris, covariance):
    X = iris[0]
    ours = ConstrainedGMM(
        n_clusters=3, random_state=0, covariance=covariance, init="kmeans", tol=0, max_iter=50
    )
    ours.set_params(shrinkage=1e-6).fit(X)
    start = ConstrainedGMM(
        n_clusters=3, random_state=0, covariance=covariance, init="kmeans", max_iter=1
    ).fit(X)
    first = np.eye(3)[start.labels_]
    theirs = GaussianMixture(
        3, covariance_type=covariance, reg_covar=1e-9, tol=0, max_iter=400, random_state=0,
        weights_init=first.mean(axis=0), means_init=first.T @ X / first.sum(axis=0)[:, None],
    )  # fmt: skip
    with pytest.warns(UserWarning, match="converge"):
        theirs.fit(X)
    ours.set_params(max_iter=400).fit(X)
    assert np.array_equal(ours.labels_, theirs.predict(X))
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_log_densities_are_those_of_scipy(iris):
    X, _, constraints = iris
    for covariance in COVARIANCES:
        model = ConstrainedGMM(n_clusters=3, random_state=0, covariance=covariance).fit(
            X, constraints=constraints
        )
        log_p = np.column_stack(
            [
                np.log(alpha) + multivariate_normal(mu, S if S.ndim == 2 else np.diag(S)).logpdf(X)
                for alpha, mu, S in zip(model.weights_, model.means_, model.covariances_, strict=True)
            ]
        )
        assert np.allclose(model.predict_proba(X), softmax(log_p, axis=1))


def test_must_linked_samples_share_a_posterior(iris):
    X = iris[0]
    constraints = Constraints([(0, 50), (50, 100)], n_samples=150)
    q = ConstrainedGMM(n_clusters=3, random_state=0).fit(X, constraints=constraints).probabilities_
    assert np.array_equal(q[0], q[50])
    assert np.array_equal(q[0], q[100])
    assert np.allclose(q.sum(axis=1), 1)


def test_the_posterior_of_a_chunk_is_exact_without_cannot_links():
    """Brute force over the labels of four samples, two of them must-linked."""
    rng = np.random.default_rng(1)
    log_p = rng.normal(size=(4, 3))
    chunks = Chunks.from_constraints(Constraints([(1, 3)], n_samples=4))
    q = expectation(chunks.members @ log_p, np.full((3, 3), 1 / 3), chunks.apart, 1.0)[chunks.of]
    expected = np.zeros((4, 3))
    for labels in itertools.product(range(3), repeat=4):
        if labels[1] == labels[3]:
            weight = np.exp(sum(log_p[i, label] for i, label in enumerate(labels)))
            for i, label in enumerate(labels):
                expected[i, label] += weight
    assert np.allclose(q, expected / expected.sum(axis=1, keepdims=True))


def test_mean_field_is_a_maximum_of_the_free_energy():
    rng = np.random.default_rng(2)
    evidence = rng.normal(size=(5, 3))
    apart = Chunks.from_constraints(Constraints([], [(0, 1), (1, 2), (3, 4)], n_samples=5)).apart
    q = expectation(evidence, softmax(evidence, axis=1), apart, 1.5)
    best = free_energy(evidence, q, apart, 1.5)
    for c in range(5):  # no chunk can do better alone
        for _ in range(200):
            other = q.copy()
            other[c] = rng.dirichlet(np.ones(3))
            assert free_energy(evidence, other, apart, 1.5) <= best + 1e-6


def test_cannot_links_part_what_overlaps():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.arange(60) % 2
    constraints = Constraints.from_labels([(i, i + 1) for i in range(0, 60, 2)], y)
    parted = ConstrainedGMM(n_clusters=2, random_state=0, w=100.0).fit(X, constraints=constraints)
    free = ConstrainedGMM(n_clusters=2, random_state=0, w=0.0).fit(X, constraints=constraints)
    assert len(constraints.violated(parted.labels_)) == 0
    assert len(constraints.violated(free.labels_)) > 0


def test_constraints_help(iris):
    X, y, constraints = iris
    for covariance in COVARIANCES:
        labels = (
            ConstrainedGMM(n_clusters=3, random_state=0, covariance=covariance)
            .fit(X, constraints=constraints)
            .labels_
        )
        assert score("ari", y, labels) > 0.75


def test_constant_features_and_one_sample_for_each_cluster_are_no_obstacle():
    X = np.column_stack([np.arange(6.0), np.ones(6)])
    for covariance in COVARIANCES:
        for k in (1, 3, 6):
            model = ConstrainedGMM(n_clusters=k, random_state=0, covariance=covariance).fit(X)
            assert np.isfinite(model.predict_proba(X)).all()
