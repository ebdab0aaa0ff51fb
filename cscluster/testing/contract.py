"""What every algorithm promises, as checks that run on any class.

`cscluster check` runs them on a user's class and the tests on the whole registry.  A check fails with
a sentence that says what is missing; where an input cannot be clustered, a `ValueError` or an error of
`cscluster.errors` with a message is an answer as good as labels.
"""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from cscluster.algorithms.base import FloatArray, IntArray
from cscluster.algorithms.build import estimator
from cscluster.algorithms.metric_clusterer import MetricClusterer
from cscluster.algorithms.registry import Algorithm
from cscluster.constraints import Constraints
from cscluster.constraints.sampling import random_pairs
from cscluster.errors import CsclusterError, raised_at

REFUSALS = (ValueError, CsclusterError)
_N = 30
_ORDER = np.random.default_rng(5).permutation(_N)


class FailedError(Exception):
    """The algorithm breaks the promise; the message says how."""


class SkippedError(Exception):
    """The promise does not concern this algorithm; the message says why."""


@dataclass(frozen=True)
class Subject:
    """An algorithm under test, samples that suit it, and the fit to them that most promises speak of."""

    algorithm: Algorithm
    other_n_clusters: int | None = None

    @property
    def n_clusters(self) -> int:
        """Number of clusters: of the toy data, or another one."""
        return self.other_n_clusters or (2 if "binary" in self.algorithm.tags else 3)

    def build(self) -> Any:
        """Return an unfitted estimator; a metric learner is joined with k-means."""
        part = estimator(self.algorithm, {}, self.n_clusters, random_state=0)
        if not self.algorithm.is_metric:
            return part
        return MetricClusterer(metric=part, n_clusters=self.n_clusters, random_state=0)

    def samples(self) -> tuple[FloatArray, IntArray, Constraints]:
        """Return well separated samples, their groups, and constraints between them."""
        rng = np.random.default_rng(0)
        y = np.arange(_N) % self.n_clusters
        X = rng.normal(size=(_N, 4)) + 8 * np.eye(4)[y]
        return X, y, Constraints.from_labels(random_pairs(_N, 25, rng), y)

    @cached_property
    def reference(self) -> Any:
        """The model fitted to `samples`, which cannot be written to; checks must leave it as it is."""
        X, _, constraints = self.samples()
        X.setflags(write=False)
        return self.fit(X, constraints)

    @cached_property
    def permuted(self) -> Any:
        """The model fitted to the same samples in another order."""
        X, _, constraints = self.samples()
        place = np.argsort(_ORDER)
        moved = Constraints(place[constraints.must_links], place[constraints.cannot_links], n_samples=_N)
        return self.fit(X[_ORDER], moved)

    @property
    def labels(self) -> IntArray:
        """The labels of `reference`, checked."""
        return self.labels_of(self.reference)

    def fit(self, X: Any, constraints: Constraints | None) -> Any:
        """Fit without showing warnings."""
        with warnings.catch_warnings(action="ignore"):
            return self.build().fit(X, constraints=constraints)

    def labels_of(self, model: Any, n_samples: int = _N) -> IntArray:
        """Return the labels of a fitted model, or say what is wrong with them.

        Where the tag says so, -1 is one, for noise, and the method finds the number of clusters.
        """
        _expect(hasattr(model, "labels_"), "fit does not set labels_")
        labels = np.asarray(model.labels_)
        low, high = (-1, n_samples - 1) if "noise" in self.algorithm.tags else (0, self.n_clusters - 1)
        right = f"({n_samples},) would be right"
        _expect(labels.shape == (n_samples,), f"labels_ has shape {labels.shape}, {right}")
        is_integer = np.issubdtype(labels.dtype, np.integer)
        _expect(is_integer, f"labels_ has dtype {labels.dtype}, integers would be right")
        ends = labels.min(), labels.max()
        right = f"{low} to {high} would be right"
        _expect(low <= ends[0] and ends[1] <= high, f"labels_ runs from {ends[0]} to {ends[1]}, {right}")
        return labels

    def partition(self, X: Any, constraints: Constraints | None) -> IntArray:
        """Fit and return the labels, checked."""
        return self.labels_of(self.fit(X, constraints), X.shape[0])

    def answer(self, X: Any, constraints: Constraints | None) -> IntArray | None:
        """Return the labels, or None if the algorithm refuses the input with a message."""
        try:
            return self.partition(X, constraints)
        except FailedError:
            raise
        except REFUSALS as error:
            if not str(error):
                raise FailedError(f"{type(error).__name__} is raised without a message") from error
            return None
        except Exception as error:
            raise FailedError(
                f"{type(error).__name__} is raised ({error}). A ValueError with a message would be right"
            ) from error


@dataclass(frozen=True)
class Check:
    """One promise.

    Attributes
    ----------
    name : str
        Short name.
    promise : str
        What is promised, in words.
    required : bool
        Whether experiments depend on it; the others are good manners.
    run : callable
        Raises `FailedError` or `SkippedError`.
    """

    name: str
    promise: str
    required: bool
    run: Callable[[Subject], None]


@dataclass(frozen=True)
class Finding:
    """The outcome of a check; `reason` is empty where the promise is kept."""

    check: Check
    outcome: Literal["passed", "failed", "skipped"]
    reason: str = ""


CHECKS: list[Check] = []


def _promise(text: str, required: bool = True) -> Callable[[Callable[[Subject], None]], Any]:
    def register(function: Callable[[Subject], None]) -> Callable[[Subject], None]:
        CHECKS.append(Check(function.__name__, text, required, function))
        return function

    return register


def examine(algorithm: Algorithm) -> Iterator[Finding]:
    """Run all checks on an algorithm."""
    subject = Subject(algorithm)
    for check in CHECKS:
        try:
            check.run(subject)
            yield Finding(check, "passed")
        except SkippedError as reason:
            yield Finding(check, "skipped", str(reason))
        except FailedError as reason:
            yield Finding(check, "failed", str(reason))
        except (Exception, SystemExit) as error:  # code under test may raise anything, and may exit
            place = raised_at(error)
            where = f" ({place})" if place else ""
            yield Finding(check, "failed", f"{type(error).__name__} is raised: {error}{where}")


def same_partition(first: IntArray, second: IntArray) -> bool:
    """Tell whether two labellings agree up to the names of the clusters."""
    pairs = np.unique(np.column_stack([first, second]), axis=0)
    return len(pairs) == len(np.unique(first)) == len(np.unique(second))


def _expect(condition: Any, sentence: str) -> None:
    if not condition:
        raise FailedError(sentence)


def _refuses(call: Callable[[], Any], name: str) -> None:
    """Expect a call before fit to say that it comes too early."""
    try:
        call()
    except (NotFittedError, CsclusterError):
        return
    raise FailedError(f"{name} before fit raises no error")


def _needs_n_clusters(subject: Subject) -> None:
    if not hasattr(subject.build(), "n_clusters"):
        raise SkippedError("it has no parameter 'n_clusters'")


@_promise("the constructor only keeps its arguments, so get_params, set_params and clone work")
def constructor_only_assigns(subject: Subject) -> None:
    """Check scikit-learn's rules for constructors."""
    cls = subject.algorithm.load()
    for name, parameter in inspect.signature(cls).parameters.items():
        _expect(
            parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD),
            f"the constructor takes *{name}, but every parameter needs a name",
        )
    model = subject.build()
    for method in ("get_params", "set_params"):
        _expect(hasattr(model, method), f"it has no {method}: derive from sklearn.base.BaseEstimator")
    before = model.get_params(deep=False)
    after = clone(model).get_params(deep=False)
    different = [name for name in before if repr(after[name]) != repr(before[name])]
    _expect(not different, f"a clone has another value of {', '.join(different)}")
    model.set_params(**before)


@_promise("the samples are not modified")
def leaves_input_alone(subject: Subject) -> None:
    """Check with samples that cannot be written to."""
    try:
        _ = subject.reference
    except ValueError as error:
        if "read-only" in str(error):
            raise FailedError("fit writes into X") from error
        raise


@_promise("fit returns self and sets labels_: one integer from 0 to n_clusters - 1 for each sample")
def gives_a_partition(subject: Subject) -> None:
    """Check the result of fit."""
    expected = MetricClusterer if subject.algorithm.is_metric else subject.algorithm.load()
    _expect(isinstance(subject.reference, expected), "fit does not return self")
    subject.labels_of(subject.reference)


@_promise("well separated groups are found with the help of constraints", required=False)
def finds_clear_groups(subject: Subject) -> None:
    """Check the answer where there is only one."""
    _, y, _ = subject.samples()
    _expect(
        same_partition(subject.labels, y), f"{subject.n_clusters} groups far from each other are not found"
    )


@_promise("the same seed gives the same labels, whatever was fitted before")
def is_deterministic(subject: Subject) -> None:
    """Check that random_state is the only randomness."""
    X, _, constraints = subject.samples()
    rng = np.random.default_rng(1)
    X = X / 8 + rng.normal(size=X.shape)
    first = subject.partition(X, constraints)
    np.random.seed(12345)  # noqa: NPY002  # an algorithm must not depend on the global state
    model = subject.fit(X[:, ::-1], constraints)
    with warnings.catch_warnings(action="ignore"):
        again = model.fit(X, constraints=constraints).labels_
    _expect(np.array_equal(first, again), "two fits with the same random_state give different labels")


@_promise("float32, Fortran order and lists are as good as float64 in C order")
def takes_any_layout(subject: Subject) -> None:
    """Check that the layout of the samples does not matter."""
    X, _, constraints = subject.samples()
    kinds = {"Fortran order": np.asfortranarray(X), "a view with strides": np.repeat(X, 2, axis=0)[::2]}
    for kind, same in kinds.items():
        _expect(
            np.array_equal(subject.partition(same, constraints), subject.labels), f"{kind} gives other labels"
        )
    from_list = subject.labels_of(subject.fit(X.tolist(), constraints))
    _expect(np.array_equal(from_list, subject.labels), "a list gives other labels")
    _expect(
        same_partition(subject.partition(X.astype(np.float32), constraints), subject.labels),
        "float32 gives another partition",
    )


@_promise("a sparse matrix is clustered like the dense one, or refused with a message")
def takes_or_refuses_sparse(subject: Subject) -> None:
    """Check CSR input."""
    X, _, constraints = subject.samples()
    X = np.where(np.abs(X) < 1, 0.0, X)
    try:
        labels = subject.partition(sparse.csr_array(X), constraints)
    except FailedError:
        raise
    except (*REFUSALS, TypeError) as error:
        _expect("sparse" not in subject.algorithm.tags, f"sparse input is promised but refused: {error}")
        return
    _expect(
        same_partition(labels, subject.partition(X, constraints)), "a sparse matrix gives another partition"
    )


@_promise("without constraints: None and empty constraints give the same answer")
def works_without_constraints(subject: Subject) -> None:
    """Check a fit without constraints."""
    X, _, _ = subject.samples()
    with_none, with_empty = subject.answer(X, None), subject.answer(X, Constraints.empty(len(X)))
    _expect((with_none is None) == (with_empty is None), "None and empty constraints are treated differently")
    if with_none is not None and with_empty is not None:
        _expect(np.array_equal(with_none, with_empty), "None and empty constraints give different labels")


@_promise("partial labels, -1 where unknown, are used or refused with a message", required=False)
def takes_partial_labels(subject: Subject) -> None:
    """Check y."""
    if "y" not in inspect.signature(subject.build().fit).parameters:
        raise SkippedError("fit has no parameter 'y'")
    X, y, _ = subject.samples()
    partial = np.where(np.arange(_N) % 2, y, -1)
    try:
        with warnings.catch_warnings(action="ignore"):
            model = subject.build().fit(X, y=partial)
    except REFUSALS:
        return
    subject.labels_of(model)


@_promise("must-links alone, or cannot-links alone, are used or refused with a message")
def takes_one_kind_of_constraints(subject: Subject) -> None:
    """Check must-links alone and cannot-links alone."""
    X, _, constraints = subject.samples()
    for kind in (constraints.is_must, ~constraints.is_must):
        subject.answer(X, constraints.select(kind))


@_promise("every pair may be constrained")
def takes_every_pair(subject: Subject) -> None:
    """Check the largest possible set of constraints."""
    X, y, _ = subject.samples()
    pairs = np.column_stack(np.triu_indices(len(X), k=1))
    labels = subject.answer(X, Constraints.from_labels(pairs, y))
    if labels is None:
        raise FailedError("constraints between all pairs are refused")
    if "constraints" in subject.algorithm.tags and subject.algorithm.family not in ("own", "plug-in"):
        _expect(same_partition(labels, y), "with every pair constrained, the clusters are not the groups")


@_promise("contradictory constraints are accepted or refused with a message")
def takes_contradictions(subject: Subject) -> None:
    """Check constraints that no partition can satisfy."""
    X, _, _ = subject.samples()
    subject.answer(X, Constraints(must_links=[(0, 1), (1, 2)], cannot_links=[(0, 2)], n_samples=len(X)))


@_promise("constraints for another number of samples are refused")
def refuses_foreign_constraints(subject: Subject) -> None:
    """Check constraints that do not fit the samples."""
    X, _, _ = subject.samples()
    constraints = Constraints(must_links=[(0, 40)], n_samples=41)
    _expect(subject.answer(X, constraints) is None, "constraints for 41 samples are accepted for 30")


@_promise("duplicate samples are clustered, also when they are constrained")
def takes_duplicates(subject: Subject) -> None:
    """Check samples that coincide."""
    X, y, _ = subject.samples()
    X = np.repeat(X[: _N // 2], 2, axis=0)
    y = np.repeat(y[: _N // 2], 2)
    rng = np.random.default_rng(3)
    pairs = np.vstack([[(0, 1), (2, 3), (4, 5)], random_pairs(_N, 15, rng)])
    labels = subject.answer(X, Constraints.from_labels(pairs, y))
    _expect(labels is not None, "samples that coincide are refused")


@_promise("samples that are all the same give a partition or a message")
def takes_identical_samples(subject: Subject) -> None:
    """Check data without any structure."""
    constraints = Constraints(must_links=[(0, 1)], cannot_links=[(0, 2)], n_samples=_N)
    subject.answer(np.ones((_N, 4)), constraints)


@_promise("constant columns do no harm")
def takes_constant_columns(subject: Subject) -> None:
    """Check features without variance."""
    X, y, constraints = subject.samples()
    labels = subject.answer(np.column_stack([X, np.full(_N, 5.0), np.zeros(_N)]), constraints)
    if labels is None:
        raise FailedError("samples with a constant column are refused")
    _expect(
        same_partition(labels, y) or not same_partition(subject.labels, y),
        "groups that are found without the constant columns are lost with them",
    )


@_promise("one feature is enough")
def takes_one_feature(subject: Subject) -> None:
    """Check the narrowest data."""
    X, y, constraints = subject.samples()
    _expect(subject.answer(X[:, :1] + 8.0 * y[:, None], constraints) is not None, "one feature is refused")


@_promise("as many clusters as samples, and one cluster, give a partition or a message")
def takes_extreme_numbers_of_clusters(subject: Subject) -> None:
    """Check n = K and K = 1."""
    _needs_n_clusters(subject)
    X, _, _ = subject.samples()
    for k in (1, 6):
        if k > 2 and "binary" in subject.algorithm.tags:
            continue
        constraints = Constraints(cannot_links=[(0, 1)] if k > 1 else (), n_samples=6)
        Subject(subject.algorithm, k).answer(X[:6], constraints)


@_promise("more clusters than samples are refused")
def refuses_too_many_clusters(subject: Subject) -> None:
    """Check n < K."""
    _needs_n_clusters(subject)
    X, _, _ = subject.samples()
    n = subject.n_clusters - 1
    _expect(subject.answer(X[:n], Constraints.empty(n)) is None, "more clusters than samples are accepted")


@_promise("the unit of the samples does not matter: the partition is the same, or refused", required=False)
def takes_any_scale(subject: Subject) -> None:
    """Check a thousandth and a thousand times the numbers."""
    X, _, constraints = subject.samples()
    for scale in (1e-3, 1e3):
        labels = subject.answer(X * scale, constraints)
        _expect(
            labels is None or same_partition(labels, subject.labels),
            f"samples times {scale:g} give another partition",
        )


@_promise("samples with NaN or infinity are refused")
def refuses_missing_values(subject: Subject) -> None:
    """Check values that are not numbers."""
    X, _, constraints = subject.samples()
    for value in (np.nan, np.inf):
        spoiled = X.copy()
        spoiled[3, 1] = value
        _expect(subject.answer(spoiled, constraints) is None, f"samples with {value} are accepted")


@_promise("the order of the samples does not matter where the groups are clear")
def does_not_depend_on_order(subject: Subject) -> None:
    """Check permuted samples."""
    labels = subject.labels_of(subject.permuted)[np.argsort(_ORDER)]
    _expect(same_partition(labels, subject.labels), "permuted samples give another partition")


@_promise("a learned metric does not depend on the order of the samples")
def metric_does_not_depend_on_order(subject: Subject) -> None:
    """Check distances in the learned space."""
    if not subject.algorithm.is_metric:
        raise SkippedError("it is not a metric learner")
    X, _, _ = subject.samples()
    Z, P = (model.metric_.transform(X) for model in (subject.reference, subject.permuted))
    _expect(bool(np.isfinite(Z).all()), "the learned map gives NaN or infinity")
    distances = [np.linalg.norm(A[:, None] - A[None], axis=2) for A in (Z, P)]
    scale = distances[0].max()
    _expect(
        np.allclose(distances[0], distances[1], atol=1e-3 * scale), "permuted samples give another metric"
    )


@_promise("predict gives labels for new samples, and says so before fit", required=False)
def predicts(subject: Subject) -> None:
    """Check out-of-sample labels."""
    if not hasattr(subject.build(), "predict"):
        _expect("inductive" not in subject.algorithm.tags, "predict is promised but missing")
        raise SkippedError("it does not generalise to new samples")
    X, _, _ = subject.samples()
    _refuses(lambda: subject.build().predict(X), "predict")
    predicted = np.asarray(subject.reference.predict(X[:7] + 0.01))
    _expect(predicted.shape == (7,), f"predict of 7 samples has shape {predicted.shape}")
    exist = np.arange(-1 if "noise" in subject.algorithm.tags else 0, subject.n_clusters)
    _expect(np.isin(predicted, exist).all(), "predict gives labels that do not exist")


@_promise("partial_fit takes new constraints after fit, an empty set too, and refuses before", required=False)
def updates(subject: Subject) -> None:
    """Check sequential constraints."""
    if not hasattr(subject.build(), "partial_fit"):
        raise SkippedError("it has no partial_fit")
    X, y, constraints = subject.samples()
    _refuses(lambda: subject.build().partial_fit(constraints=constraints), "partial_fit")
    model = copy.deepcopy(subject.reference)
    for more in (Constraints.empty(len(X)), Constraints.from_labels([(0, 1), (0, 3)], y)):
        model.partial_fit(constraints=more)
        subject.labels_of(model)


@_promise("n_iter_, converged_ and objective_ say how the fit went", required=False)
def tells_how_it_went(subject: Subject) -> None:
    """Check the attributes that records carry."""
    model = subject.reference
    missing = [name for name in ("n_iter_", "converged_", "objective_") if not hasattr(model, name)]
    _expect(not missing, f"fit does not set {', '.join(missing)}")
    _expect(isinstance(model.n_iter_, (int, np.integer)), "n_iter_ is not an integer")
    _expect(isinstance(model.converged_, (bool, np.bool_)), "converged_ is neither True nor False")
    _expect(np.ndim(model.objective_) == 1, "objective_ is not a sequence of numbers")
    _expect(not np.isnan(model.objective_).any(), "objective_ holds NaN")


@_promise("the class has a docstring, and it names every parameter", required=False)
def is_documented(subject: Subject) -> None:
    """Check the documentation."""
    cls = subject.algorithm.load()
    text = inspect.getdoc(cls) if cls.__doc__ else ""
    _expect(bool(text), "the class has no docstring")
    missing = [name for name in inspect.signature(cls).parameters if name not in (text or "")]
    _expect(not missing, f"the docstring does not mention {', '.join(missing)}")
