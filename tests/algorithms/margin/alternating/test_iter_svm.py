import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

from cscluster import Constraints, IterLSSVM, IterSVM, IterSVR, load_dataset
from cscluster.algorithms.margin.alternating._alternating import AlternatingRun
from cscluster.algorithms.margin.alternating.iter_svm import svm_learner
from cscluster.errors import DataError, InfeasibleError, ParameterError
from cscluster.linalg.kernels import Kernel
from cscluster.metrics.scores import score

METHODS = [IterSVM, IterSVR, IterLSSVM]


@pytest.fixture(scope="module", name="digits")
def optdigits_2_7():
    return load_dataset("optdigits_2_7")


def two_clouds(n=30, gap=4.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(size=(n, 2)), rng.normal(gap, 1, size=(n, 2))])


def test_objective_is_the_primal_value_of_the_svm():
    X = two_clouds()
    K = Kernel("gaussian", 3.0)(X)
    y = np.where(np.arange(60) % 7 < 3, 1.0, -1.0)
    trained = svm_learner(Kernel("gaussian", 3.0), X, C=2.0).train(y[:, None], None)
    svm = SVC(C=2.0, kernel="precomputed", tol=1e-8).fit(K, y)
    dual = 2 * np.abs(svm.dual_coef_).sum() - svm.dual_coef_ @ K[np.ix_(svm.support_, svm.support_)] @ (
        svm.dual_coef_.T
    )
    assert trained.objective[0] == pytest.approx(dual.item(), rel=1e-3)  # libsvm's tolerance
    np.testing.assert_allclose(trained.scores[:, 0], K @ trained.coefficients[:, 0])


@pytest.mark.parametrize("method", METHODS)
def test_labels_are_a_balanced_fixed_point_that_predict_repeats(method, digits):
    model = method(sigma=11.3, balance=0.03, random_state=0).fit(digits.X)
    assert model.converged_
    assert model.cycle_length_ == 1
    assert len(model.objective_) == model.n_iter_
    assert abs(model.labels_.mean() - 0.5) <= 0.03
    assert np.array_equal(model.predict(digits.X), model.labels_)
    again = clone(model).set_params(init=model.labels_).fit(digits.X)
    assert again.n_iter_ == 1
    assert np.array_equal(again.labels_, model.labels_)


@pytest.mark.parametrize("method", METHODS)
def test_finds_the_best_partition_of_a_tiny_problem(method):
    X = two_clouds(n=4, gap=6.0)

    def model(init):
        return method(kernel="linear", C=1.0, init=init, balance=0.1, max_iter=1)

    splits = [y for y in itertools.product((0, 1), repeat=8) if sum(y) == 4 and y[0] == 0]
    values = [model(np.array(y)).fit(X).objective_[0] for y in splits]
    best = method(kernel="linear", C=1.0, balance=0.1, random_state=0).fit(X)
    assert best.objective_[-1] == pytest.approx(min(values), rel=1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_restarts_keep_the_lowest_objective(method):
    X = load_dataset("optdigits_8_9").X
    one = method(sigma=32, init="random", random_state=0, balance=0.03).fit(X)
    many = clone(one).set_params(n_init=8).fit(X)  # the first of them starts like `one`
    assert many.objective_[-1] < one.objective_[-1]


@pytest.mark.parametrize("method", METHODS)
def test_constraints_change_nothing(method, digits):
    model = method(sigma=11.3, balance=0.03, random_state=0).fit(digits.X)
    every = Constraints.from_labels([(i, i + 1) for i in range(50)], digits.y)
    assert np.array_equal(clone(model).fit(digits.X, constraints=every).labels_, model.labels_)


@pytest.mark.parametrize("method", METHODS)
def test_more_clusters_by_recursive_splits(method):
    data = load_dataset("iris")
    model = method(n_clusters=3, sigma=4, balance=0.2, random_state=0).fit(data.X)
    assert score("acc", data.y, model.labels_) > 0.85
    assert np.array_equal(model.predict(data.X), model.labels_)
    one = clone(model).set_params(n_clusters=1).fit(data.X)
    assert set(one.labels_) == {0}


def test_hinge_loss_stays_where_it_starts_and_laplacian_loss_moves_on():
    """Table I of zhang2009: 19.46 % and 3.5 % from a normalized cut with 21.9 %."""
    data = load_dataset("optdigits_3_9")
    shared = {"kernel": "linear", "balance": 0.03, "init": "normalized_cut", "init_sigma": 1.4}
    stuck = IterSVM(C=0.1, random_state=0, **shared).fit(data.X)
    moved = IterSVR(C=0.001, random_state=0, **shared).fit(data.X)
    assert score("error", data.y, stuck.labels_) == pytest.approx(0.197, abs=0.01)
    assert score("error", data.y, moved.labels_) < 0.05


def test_a_cycle_is_closed_and_its_best_labels_win():
    a, b, c = (np.array(y, dtype=float) for y in ([1, 1, -1], [1, -1, -1], [-1, 1, 1]))
    run = AlternatingRun([c])
    for name, (objective, y) in enumerate([(9.0, a), (5.0, b), (4.0, a)]):
        assert run.cycle_length == 0
        run.step(np.array([name]), 0.0, objective, y)
    assert run.cycle_length == 2
    objective, labels, (machine, _) = run.result()
    assert objective == 4.0
    assert np.array_equal(labels, b)  # labels with objective 4, which machine 1 yields
    assert machine == [1]


def test_says_what_is_wrong(digits, monkeypatch):
    X = digits.X
    with pytest.raises(ParameterError, match=r"'balance'.*IterSVM.*\b0\.5\b.*\b1\b"):
        IterSVM(balance=1).fit(X)
    with pytest.raises(ParameterError, match=r"'init'.*IterSVM.*356.*\b3 of 3\b"):
        IterSVM(init=[0, 1, 2]).fit(X)
    with pytest.raises(ParameterError, match=r"'init'.*IterSVR.*3 clusters"):
        IterSVR(n_clusters=3, init=digits.y).fit(X)
    with pytest.raises(InfeasibleError, match=r"\b3 samples.*'balance'"):
        IterLSSVM(balance=0.0).fit(X[:3])
    with pytest.raises(InfeasibleError, match=r"split 1\b"):
        IterLSSVM(kernel="linear").fit(np.ones((5, 2)))
    with pytest.raises(ParameterError, match=r"'C'.*IterLSSVM.*1e\+30"):
        IterLSSVM(C=1e30, kernel="linear").fit(X)
    monkeypatch.setattr("cscluster.arrays.psutil.virtual_memory", lambda: SimpleNamespace(available=1000))
    for method in METHODS:
        with pytest.raises(DataError, match=r"356 x 356.*n_landmarks"):
            method().fit(X)


@pytest.mark.parametrize("method", METHODS)
def test_the_published_form_has_one_kmeans_start(method):
    assert (method().n_starts, method.published().n_starts) == (10, 1)
