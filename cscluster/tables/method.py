"""A method and a table: whether they suit each other, and the fit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from cscluster import seeds, threads
from cscluster.algorithms import registry
from cscluster.algorithms.build import build, title
from cscluster.arrays import IntArray
from cscluster.constraints import Constraints
from cscluster.errors import ParameterError
from cscluster.selection.auto import AnswerAuto, Auto
from cscluster.selection.compare import OnFit
from cscluster.selection.guarded import Choosing, Guarded, require_hard
from cscluster.words import plural

MAX_ENTAILED = 5000
"""Of more entailed constraints, so many are drawn."""
MAX_CLOSURE = 5_000_000
"""A larger closure is not expanded."""


@dataclass(frozen=True)
class Method:
    """What is asked for.

    Attributes
    ----------
    name : str, optional
        Name in the registry; None stands for auto.
    params : dict
        Its parameters, where they differ from the defaults.
    n_clusters : int, optional
        Number of clusters; None stands for auto.
    clusterer : str, optional
        What a metric learner is joined with; k-means by default.
    guard : bool
        Whether to use the method only where held-out constraints support it.
    closure : bool
        Whether to fit it to all that the constraints entail.
    """

    name: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    n_clusters: int | None = None
    clusterer: str | None = None
    guard: bool = False
    closure: bool = False

    def build(self, n_clusters: int | None, seed: int) -> Any:
        """Return the unfitted estimator, without the guard."""
        n_clusters = n_clusters or 2  # which a method that finds the number is not told
        if self.name is None:
            return (AnswerAuto if self.closure else Auto)(n_clusters=n_clusters, random_state=seed)
        joined = (self.clusterer, dict[str, Any]()) if self.clusterer else None
        return build(self.name, self.params, n_clusters, seed, joined)

    @property
    def finds_clusters(self) -> bool:
        """Whether the method finds the number of clusters itself."""
        return self.name is not None and "noise" in registry.find(self.name).tags

    @property
    def sees_distances(self) -> bool:
        """Whether X is the matrix of distances between rows."""
        return self.params.get("metric") == "precomputed"

    def on_distances(self) -> Self:
        """Return the method for a matrix of distances; that of the hierarchy where none is named.

        Raises
        ------
        ParameterError
            If the method needs columns, or the number of clusters is left open.
        """
        name = self.name or "agglomerative"
        if self.guard or "distances" not in registry.find(name).tags:
            able = ", ".join(entry.name for entry in registry.BUILT_IN if "distances" in entry.tags)
            what = "A guard" if self.guard else f"'{name}'"
            raise ParameterError(f"{what} needs columns. Distances go with {able}.")
        on = replace(self, name=name, params={**self.params, "metric": "precomputed"})
        if on.n_clusters is None and not on.finds_clusters:
            raise ParameterError("Distances need the number of clusters, or 'hdbscan', which finds it.")
        return on

    def require_suited(self, X: Any, constraints: Constraints) -> None:
        """Check the data, the constraints and the number of clusters.

        Raises
        ------
        ParameterError
            For data or a number of clusters that the method cannot take.
        ConstraintError
            For hard constraints that it cannot guarantee.
        """
        k = self.n_clusters or 2
        if k >= X.shape[0]:
            raise ParameterError(f"{k} clusters are too many for {X.shape[0]} rows.")
        require_hard(self.build(k, seed=0), constraints)
        if self.name is None:
            return
        algorithm = registry.find(self.name)
        if self.finds_clusters and self.n_clusters is not None:
            raise ParameterError(f"{algorithm.title} finds the number of clusters itself. Leave out -k.")
        if "binary" in algorithm.tags and k != 2:
            raise ParameterError(f"{algorithm.title} makes two clusters only, not {k}.")
        if algorithm in registry.BUILT_IN and sparse.issparse(X) and "sparse" not in algorithm.tags:
            raise ParameterError(
                f"{algorithm.title} needs dense data. "
                "Add the preprocessing step 'dense', or choose kmeans, pmmc or rca."
            )


@dataclass(frozen=True)
class Fit:
    """A fitted method.

    Attributes
    ----------
    estimator : estimator
        What was fitted to all constraints.
    labels : ndarray of shape (n,)
        Cluster of each row.
    notes : list of str
        What it warns of.
    choice : Choosing, optional
        How it was chosen, if it was.
    """

    estimator: Any
    labels: IntArray
    notes: list[str]
    choice: Choosing | None = None

    @property
    def title(self) -> str:
        """What the method is called."""
        return title(self.estimator)


def entailed(constraints: Constraints, seed: int) -> Constraints:
    """Return soft constraints with those that follow from them, of many a random part.

    Constraints that contradict each other entail nothing, and hard ones are enforced anyway.
    """
    n_entailed = sum(constraints.closure_size)
    if len(constraints.hard) or len(constraints.contradictions) or n_entailed > MAX_CLOSURE:
        return constraints
    closure = constraints.closure()
    if n_entailed <= MAX_ENTAILED:
        return closure
    drawn = seeds.generator(seed, "entailed").choice(n_entailed, MAX_ENTAILED, replace=False)
    return constraints | closure.select(np.sort(drawn))


def fit(
    method: Method,
    n_clusters: int | None,
    X: Any,
    constraints: Constraints,
    seed: int,
    on_fit: OnFit | None = None,
) -> Fit:
    """Fit a method to rows and constraints.

    Raises
    ------
    ParameterError
        If the user's own class does not give a label to each row.
    """
    if method.closure:
        constraints = entailed(constraints, seed)
    model = method.build(n_clusters, seed)
    if method.guard:
        model = Guarded(model, random_state=seed)
    choice = model if isinstance(model, Choosing) else None
    with warnings.catch_warnings(record=True) as caught, threads.for_table(X):
        warnings.simplefilter("always")
        if choice is not None:
            choice.fit(X, constraints=constraints, on_fit=on_fit)
            model = choice.estimator_
        else:
            if on_fit is not None:
                on_fit(title(model), 0, 1)
            model.fit(X, constraints=constraints)
    labels = np.asarray(getattr(choice or model, "labels_", None))
    if labels.shape != (X.shape[0],) or labels.dtype.kind not in "iu" or labels.min() < -1:
        raise ParameterError(f"'{method.name}' must set labels_ to an integer >= 0, or -1, for each row.")
    notes = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    if len(constraints) and method.name and "constraints" not in registry.find(method.name).tags:
        notes.insert(0, f"{title(model)} uses no constraints: those given change nothing.")
    n_joint = int((labels != np.asarray(model.labels_)).sum())
    if n_joint:
        rows = plural(n_joint, "constrained row")
        notes.insert(0, f"{title(model)}, with {rows} moved to satisfy more constraints.")
    return Fit(model, labels.astype(np.int64), list(dict.fromkeys(notes)), choice)
