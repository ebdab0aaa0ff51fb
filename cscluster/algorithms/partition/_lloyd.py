"""The alternation that the constrained k-means family shares.

Assign the samples, move the centres, re-estimate the model, until nothing changes.  What a member
of the family measures - the distance to a centre, the cost of a broken link, the objective - is
its `Model`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.fallback import EQUAL_NATS, Reference, surprise
from cscluster.algorithms.parameters import Boolean, Choice, parameter
from cscluster.algorithms.partition._assign import ASSIGNMENTS, Penalties, Units, assign_points, nearest
from cscluster.algorithms.partition._centres import LloydClusterer
from cscluster.algorithms.partition._closure import GIVEN_ALONE, Closure, warn_of_contradictions
from cscluster.algorithms.partition._seeding import authors_seeds, seed_centers
from cscluster.constraints import Constraints
from cscluster.errors import DataError
from cscluster.linalg.scatter import group_sums

RESETS = 30
"""Iterations after which 'reset' goes on as 'keep' from the lowest objective that it has seen."""


class Model(Protocol):
    """Distances and penalties, and how they follow from a partition."""

    def distances(self, X: FloatArray, mu: FloatArray) -> FloatArray:
        """Return the cost of each sample in each cluster, links aside."""

    def penalties(self, X: FloatArray, closure: Closure) -> Penalties:
        """Return what broken links cost."""

    def update(
        self, X: FloatArray, labels: IntArray, mu: FloatArray, closure: Closure
    ) -> tuple[Self, float, FloatArray | None]:
        """Re-estimate the model; return it, the objective and, where known, its `distances` of X from mu."""


M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class Start:
    """First centres, and the labels that samples have before the first sweep, -1 for none."""

    mu: FloatArray
    labels: IntArray


@dataclass(frozen=True)
class Run(Generic[M]):
    """What the alternation from one start ends with.

    Attributes
    ----------
    labels, mu, model
        The fixed point or, where none was reached, the iterate of the lowest objective.
    objective : ndarray
        The objective after each iteration.
    value : float
        The objective of `labels`.
    """

    labels: IntArray
    mu: FloatArray
    model: M
    objective: FloatArray
    value: float
    converged: bool
    n_reseeded: int


class ConstrainedKMeans(LloydClusterer):
    """What pckmeans, mpckmeans and mkmeans share.

    Attributes
    ----------
    uses_kmeans_ : bool
        Whether the centres are those of k-means, which the links did not speak against.
    """

    fallback: bool = parameter(
        True,
        "keep to the centres of k-means where the labels of nearest centres, links aside, do not keep "
        "more links than those of k-means by more than there are clusters and effective features (the "
        "paper: false)",
        Boolean(),
    )
    start: str = parameter(
        "best",
        "first centres. 'neighbourhoods': the centroids of the neighbourhoods that must-links form (the "
        "paper's single start). 'best': these and the centres of k-means; what explains the links better "
        "wins, or else the lowest objective. "
        "'authors': as in the program of bilenko2004's authors, which labels the samples of these "
        "neighbourhoods before the first sweep, perturbs the centroid by up to 35 percent where there are "
        "too few of them, and closes the links of the largest neighbourhoods alone, one for each cluster",
        Choice("best", "neighbourhoods", "authors"),
    )

    def _starts(
        self, X: FloatArray, seeds: Constraints, reference: Reference, rng: np.random.Generator
    ) -> Iterator[Start]:
        """Yield each start, from the neighbourhoods of `seeds` and from k-means."""
        if self.start == "authors":
            yield Start(*authors_seeds(X, seeds, self.n_clusters, rng))
            return
        unlabelled = np.full(len(X), -1, dtype=np.int64)
        yield Start(seed_centers(X, seeds, self.n_clusters, rng), unlabelled)
        if self.start == "best":
            yield Start(reference.kmeans.cluster_centers_, unlabelled)

    def _runs(
        self,
        X: FloatArray,
        constraints: Constraints,
        starts: Iterable[Start],
        model: M,
        assignment: str | None,
        rng: np.random.Generator,
    ) -> Iterator[Run[M]]:
        """Alternate from each start; without an `assignment` rule links move no sample."""
        K = self.n_clusters
        closure = Closure.of(constraints, largest=K if self.start == "authors" else None)
        units = None
        if assignment and len(closure.points):
            units = Units.of(closure, assignment == "block", K)
        for start in starts:
            yield self._alternate(X, constraints, closure, units, start, model, assignment, rng)

    def _alternate(
        self,
        X: FloatArray,
        constraints: Constraints,
        closure: Closure,
        units: Units | None,
        start: Start,
        model: M,
        assignment: str | None,
        rng: np.random.Generator,
    ) -> Run[M]:
        """Alternate from `start`.

        Where no fixed point is reached, as in a limit cycle, the iterate of the lowest objective is taken.
        """
        K, points = self.n_clusters, closure.points
        origin = X.mean(axis=0)
        X, mu, labels = X - origin, start.mu - origin, start.labels
        still = self.tol * X.var(axis=0).mean()
        objective: list[float] = []
        D: FloatArray | None = None
        J, converged, n_reseeded = np.inf, False, 0
        lowest = (J, labels, mu, model)
        while not converged and len(objective) < self.max_iter:
            if assignment == "reset" and len(objective) == RESETS:
                assignment, (_, labels, mu, model), D = "keep", lowest, None
            before, mu_before = labels, mu
            if D is None:
                D = model.distances(X, mu)
            labels = nearest(D)
            if assignment and units:
                penalties = model.penalties(X, closure)
                labels[points] = assign_points(
                    D[points], before[points], penalties, closure, units, assignment, rng
                )
            n_reseeded += fill_empty(X, D, labels, constraints.components)
            mu = means(X, labels, K)
            model, J, D = model.update(X, labels, mu, closure)
            objective.append(J)
            if lowest[0] > J:
                lowest = (J, labels, mu, model)
            converged = bool(np.array_equal(labels, before) or ((mu - mu_before) ** 2).sum() <= still)
        if not converged:
            J, labels, mu, model = lowest
        return Run(labels, mu + origin, model, np.array(objective), J, converged, n_reseeded)

    def _store(self, run: Run[M]) -> None:
        """Set the fitted attributes."""
        self.uses_kmeans_ = False
        self.labels_ = run.labels
        self.cluster_centers_ = run.mu
        self.n_iter_ = len(run.objective)
        self.objective_ = run.objective
        self.converged_ = run.converged
        self.n_reseeded_ = run.n_reseeded
        self._model: Model = run.model

    def _falls_back_at_once(
        self, links: Constraints, reference: Reference, labels: IntArray, euclidean: Model
    ) -> bool:
        """Tell whether k-means cannot be beaten, whatever the links teach; its centres are then taken."""
        if not reference.is_unbeatable(type(self).__name__, links, labels):
            return False
        warn_of_contradictions(links, GIVEN_ALONE)
        self._use_kmeans(reference, labels, euclidean)
        return True

    def _fall_back(
        self, X: FloatArray, links: Constraints, reference: Reference, labels: IntArray, euclidean: Model
    ) -> None:
        """Take the centres of k-means where the links do not speak against them."""
        owner, both = type(self).__name__, (self.labels_, labels)
        if not reference.is_beaten_by(owner, links, self.predict(X), with_links=both):
            self._use_kmeans(reference, labels, euclidean)

    def _use_kmeans(self, reference: Reference, labels: IntArray, euclidean: Model) -> None:
        """Take the centres of k-means, with such labels."""
        kmeans = reference.kmeans
        value = float(kmeans.objective_[-1])
        centers = kmeans.cluster_centers_
        self._store(Run(labels, centers, euclidean, kmeans.objective_, value, kmeans.converged_, 0))
        self.uses_kmeans_ = True

    def predict(self, X: Samples) -> IntArray:
        """Return the cluster of least cost for each sample, links aside."""
        return blind_labels(self._validate_new(X), self.cluster_centers_, self._model)


def blind_labels(X: FloatArray, mu: FloatArray, model: Model) -> IntArray:
    """Return the cluster of least cost for each sample, links aside."""
    origin = mu.mean(axis=0)
    return nearest(model.distances(X - origin, mu - origin))


def best_run(runs: Iterable[Run[M]], X: FloatArray, links: Constraints) -> Run[M]:
    """Return the run whose centres explain the links best; among equals, that of the lowest objective.

    The objective is mostly that of k-means where links are few, so that it would keep to k-means whatever
    they say.  What counts is the surprise of the labels of the nearest centres, links aside.
    """
    best, least = None, np.inf
    for run in runs:
        now = surprise(links, blind_labels(X, run.mu, run.model))
        if best is None or now + EQUAL_NATS < least or (now - EQUAL_NATS <= least and run.value < best.value):
            best, least = run, now
    assert best is not None
    return best


class LinkedAssignment(ConstrainedKMeans):
    """What pckmeans and mpckmeans share: links move samples."""

    assignment: str = parameter(
        "block",
        "what a point sees when it chooses a cluster. 'keep': the current labels of all its partners (the "
        "paper's text). 'reset': of those that have chosen before it in this iteration; if that does not "
        "settle in 30 iterations, it goes on as 'keep' from the lowest objective seen. 'block': of all, but "
        "a must-link component chooses as one",
        Choice(*ASSIGNMENTS),
    )


def means(X: FloatArray, labels: IntArray, n_clusters: int) -> FloatArray:
    """Return the centroid of each cluster; none may be empty."""
    return group_sums(X, labels, n_clusters) / np.bincount(labels, minlength=n_clusters)[:, None]


def fill_empty(X: FloatArray, D: FloatArray, labels: IntArray, component: IntArray) -> int:
    """Give each empty cluster the must-link component that costs most; return how many there were.

    Works on `labels` in place.  A component on its own breaks no link.  Where each component would
    leave another cluster empty, the sample that costs most is taken out of its component.
    """
    K = D.shape[1]
    sizes = np.bincount(labels, minlength=K)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return 0
    n_distinct = len(np.unique(X, axis=0))
    if n_distinct < K:
        raise DataError(f"{K} clusters are wanted, but only {n_distinct} samples are distinct.")
    cost = D[np.arange(len(X)), labels]
    for h in empty:
        for p in np.argsort(-np.bincount(component, cost)):
            moved = np.flatnonzero(component == p)
            left = sizes - np.bincount(labels[moved], minlength=K)
            if left[labels[moved]].all():
                break
        else:
            moved = np.array([np.argmax(np.where(sizes[labels] > 1, cost, -np.inf))])
        labels[moved], cost[moved] = h, -np.inf
        sizes = np.bincount(labels, minlength=K)
    return len(empty)
