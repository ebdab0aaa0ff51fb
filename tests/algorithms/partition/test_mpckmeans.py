import numpy as np
import pytest

from cscluster import Constraints, MPCKMeans, load_dataset
from cscluster.errors import DataError, ParameterError
from cscluster.experiment.config.schedules import RandomPairs
from cscluster.metrics.scores import score
from tests.algorithms.samples import with_random_pairs

SCHEMES = [(metric, matrix) for metric in ("single", "multiple") for matrix in ("diagonal", "full")]


@pytest.mark.parametrize("metric", ["single", "multiple"])
@pytest.mark.parametrize("assignment", ["keep", "block"])
@pytest.mark.parametrize("name", ["iris", "wine", "ionosphere", "letterIJL"])
def test_objective_never_rises_with_diagonal_metrics(name, assignment, metric):
    for trial in range(3):
        X, y, constraints = with_random_pairs(name, 100, trial)
        model = MPCKMeans(
            n_clusters=len(np.unique(y)), metric=metric, assignment=assignment, random_state=trial
        ).fit(X, constraints=constraints)
        assert model.n_reseeded_ == 0
        assert (np.diff(model.objective_) <= 1e-9 * np.abs(model.objective_[0])).all()


@pytest.mark.parametrize("metric", ["single", "multiple"])
def test_objective_never_rises_with_full_metrics_and_no_cannot_links(metric):
    for trial in range(3):
        X, _, constraints = with_random_pairs("iris", 60, trial)
        constraints = Constraints(constraints.must_links, n_samples=len(X))
        model = MPCKMeans(
            n_clusters=3, metric=metric, matrix="full", assignment="keep", random_state=trial
        ).fit(X, constraints=constraints)
        assert (np.diff(model.objective_) <= 1e-9 * np.abs(model.objective_[0])).all()


def test_reset_ends_in_a_local_minimum():
    X, _, constraints = with_random_pairs("letterIJL", 200)
    model = MPCKMeans(n_clusters=3, tol=0, random_state=0).fit(X, constraints=constraints)
    assert model.converged_
    assert model.n_iter_ > 30
    head, tail = np.split(model.objective_, [30])
    assert tail[0] <= head.min() + 1e-9 * np.abs(tail[0])
    assert (np.diff(tail) <= 1e-9 * np.abs(tail[0])).all()


def test_without_a_fixed_point_the_lowest_objective_is_taken():
    # 'reset' forgets all labels in each of its iterations, so its objective goes up and down.
    X, _, constraints = with_random_pairs("letterIJL", 200)
    runs = [
        MPCKMeans(n_clusters=3, tol=0, max_iter=t, random_state=0).fit(X, constraints=constraints)
        for t in range(1, 30)
    ]
    objective = runs[-1].objective_
    assert not runs[-1].converged_
    assert objective.argmin() < len(objective) - 1
    best = runs[objective.argmin()]
    assert np.array_equal(runs[-1].labels_, best.labels_)
    assert np.array_equal(runs[-1].metrics_, best.metrics_)
    assert np.array_equal(runs[-1].cluster_centers_, best.cluster_centers_)


@pytest.mark.parametrize(("metric", "matrix"), SCHEMES)
def test_metrics_have_the_shape_asked_for_and_are_positive(metric, matrix):
    X, _, constraints = with_random_pairs("iris", 60)
    model = MPCKMeans(n_clusters=3, metric=metric, matrix=matrix, random_state=0).fit(
        X, constraints=constraints
    )
    A = model.metrics_
    assert A.shape == (1 if metric == "single" else 3, *((4,) if matrix == "diagonal" else (4, 4)))
    assert (A > 0).all() if matrix == "diagonal" else (np.linalg.eigvalsh(A) > 0).all()
    assert model.labels_.shape == (150,)


@pytest.mark.parametrize(("metric", "matrix"), SCHEMES)
def test_predict_agrees_with_fit_where_no_constraint_is_given(metric, matrix):
    X, _, constraints = with_random_pairs("iris", 20)
    model = MPCKMeans(n_clusters=3, metric=metric, matrix=matrix, tol=0, random_state=0).fit(
        X, constraints=constraints
    )
    assert model.converged_
    free = np.setdiff1d(np.arange(len(X)), constraints.touched)
    assert np.array_equal(model.predict(X)[free], model.labels_[free])


@pytest.mark.parametrize("matrix", ["diagonal", "full"])
def test_without_constraints_the_metric_is_the_within_cluster_covariance(matrix):
    X = load_dataset("iris").X
    model = MPCKMeans(n_clusters=3, matrix=matrix, floor=1e-6, tol=0, random_state=0).fit(X)
    residual = X - model.cluster_centers_[model.labels_]
    S = residual.T @ residual / len(X)
    expected = 1 / np.diag(S) if matrix == "diagonal" else np.linalg.inv(S)
    assert np.allclose(model.metrics_[0], expected)


@pytest.mark.parametrize("matrix", ["diagonal", "full"])
def test_units_of_the_features_do_not_matter_once_metrics_are_learned(matrix):
    # The first assignment is Euclidean, so the data are scaled by a common factor only.
    X, _, constraints = with_random_pairs("iris", 60)
    a = MPCKMeans(n_clusters=3, matrix=matrix, tol=0, random_state=0).fit(X, constraints=constraints)
    b = MPCKMeans(n_clusters=3, matrix=matrix, tol=0, random_state=0).fit(
        1000 * X + 5, constraints=constraints
    )
    assert np.array_equal(a.labels_[constraints.touched], b.labels_[constraints.touched])
    assert np.allclose(a.metrics_, 1e6 * b.metrics_)


def test_finds_clusters_that_only_the_constraints_show():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = np.column_stack([y + 0.1 * rng.normal(size=120), 5 * rng.normal(size=120)])
    constraints = RandomPairs(counts=[60]).episode(60, y, 0, "stripes", 0).tiers[0]
    free = MPCKMeans(n_clusters=2, random_state=0).fit(X)
    linked = MPCKMeans(n_clusters=2, random_state=0).fit(X, constraints=constraints)
    assert score("acc", y, linked.labels_) == 1
    assert linked.metrics_[0, 0] > 100 * linked.metrics_[0, 1]
    assert score("acc", y, free.labels_) < 0.8


def test_constant_columns_and_duplicates():
    X, _, constraints = with_random_pairs("iris", 60)
    X = np.column_stack([np.repeat(X[::2], 2, axis=0), np.full(len(X), 3.0)])
    for metric, matrix in SCHEMES:
        model = MPCKMeans(n_clusters=3, metric=metric, matrix=matrix, random_state=0).fit(
            X, constraints=constraints
        )
        assert np.isfinite(model.objective_).all()
        assert np.isfinite(model.metrics_).all()


def test_more_clusters_than_distinct_samples():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    with pytest.raises(DataError, match=r"3 clusters .* 2 samples"):
        MPCKMeans(n_clusters=3, metric="multiple", random_state=0).fit(X)


def test_contradictory_constraints_are_named():
    X = load_dataset("iris").X
    constraints = Constraints([(0, 1), (1, 2)], [(0, 2)], n_samples=len(X))
    with pytest.warns(UserWarning, match="Samples 0 and 2"):
        MPCKMeans(n_clusters=3, random_state=0).fit(X, constraints=constraints)


def test_says_what_is_wrong():
    with pytest.raises(ParameterError, match=r"'metric'.*MPCKMeans"):
        MPCKMeans(metric="x").fit([[0.0], [1.0]])
    with pytest.raises(ParameterError, match=r"'floor'.*MPCKMeans"):
        MPCKMeans(floor=0).fit([[0.0], [1.0]])
