"""The alternation of PCK-Means, MPCK-Means and MK-Means (bilenko2004, Figure 1).

Assign the samples, move the centers, re-estimate the model, until nothing changes.  What a method measures,
the distance to a center, the cost of a violated constraint and the objective, is its model: `Euclidean` or
`Metrics`.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.parameters import Choice, parameter
from cscluster.algorithms.partition._assign import ASSIGNMENTS, Units, assign_points
from cscluster.algorithms.partition._centers import (
    MAX_ITER,
    TOL,
    CenterClusterer,
    LocalMinimum,
    fill_empty,
    nearest,
)
from cscluster.algorithms.partition._closure import Closure
from cscluster.algorithms.partition._metric import Euclidean, Metrics
from cscluster.algorithms.partition._seeding import authors_seeds, seed_centers
from cscluster.constraints import Constraints
from cscluster.linalg.scatter import group_means

RESETS = 30
"""Iterations after which 'reset' goes on as 'keep' from the lowest objective that it has seen."""


def assignment_parameter(default: str) -> str:
    """Declare how constrained samples choose their clusters."""
    declared: str = parameter(
        default,
        "what a sample sees when it chooses a cluster. 'keep': the current labels of all its partners. "
        "'reset': of those that have chosen before it in this iteration. If that does not converge in 30 "
        "iterations, it goes on as 'keep' from the lowest objective seen. 'block': of all, but a must-link "
        "component chooses as one. 'greedy': as 'keep', but samples with few constraints and near a center "
        "choose first, instead of in random order",
        Choice(*ASSIGNMENTS),
        published="keep",
        why="with 'keep' a sample follows partners that are still in the wrong cluster",
    )
    return declared


M = TypeVar("M", Euclidean, Metrics)


class ConstrainedKMeans(CenterClusterer):
    """What PCK-Means, MPCK-Means and MK-Means share: the start and the alternation."""

    max_iter: int = MAX_ITER
    tol: float = TOL
    start: str = parameter(
        "neighbourhoods",
        "first centers. 'neighbourhoods': the centroids of the neighbourhoods that must-links form. "
        "'authors': as in the program of bilenko2004's authors, which labels the samples of these "
        "neighbourhoods before the first sweep, perturbs the centroid by up to 35 percent where there are "
        "too few of them, and closes the constraints of the largest neighbourhoods alone, one for each "
        "cluster. 'paper': as 'authors', but the constraints of all neighbourhoods are closed, as in section "
        "3.1 of bilenko2004",
        Choice("neighbourhoods", "authors", "paper"),
        published="paper",
        why="it does not depend on the origin of the features",
    )

    def costs(self, X: Samples) -> FloatArray:
        """Return the cost of each sample in each cluster, without penalties."""
        X = self._validate_new(X)
        origin = self.cluster_centers_.mean(axis=0)
        return self._model.distances(X - origin, self.cluster_centers_ - origin)

    def _alternate(
        self, X: FloatArray, constraints: Constraints, model: M, *, seeds: Constraints, assignment: str | None
    ) -> M:
        """Alternate from the neighbourhoods of `seeds`; set the fitted attributes and return the model.

        Without an `assignment` rule constraints move no sample.  Where no fixed point is reached, as in a
        limit cycle, the iterate of the lowest objective is taken.
        """
        rng = np.random.default_rng(self._seed)
        K, origin = self.n_clusters, X.mean(axis=0)
        mu, labels = self._first_centers(X, seeds, rng)
        X, mu = X - origin, mu - origin
        closure = Closure.of(constraints, largest={"authors": K, "paper": len(X)}.get(self.start))
        points = closure.points
        units = Units.of(closure, assignment == "block", K) if assignment and len(points) else None
        still = self.tol * X.var(axis=0).mean()
        objective: list[float] = []
        lowest = (np.inf, labels, mu, model)
        D: FloatArray | None = None
        converged, self.n_reseeded_ = False, 0
        while not converged and len(objective) < self.max_iter:
            if assignment == "reset" and len(objective) == RESETS:
                assignment, (_, labels, mu, model), D = "keep", lowest, None
            labels_before, mu_before = labels, mu
            if D is None:
                D = model.distances(X, mu)
            labels = nearest(D)
            if assignment and units:
                penalties = model.penalties(X, closure)
                labels[points] = assign_points(
                    D[points], labels_before[points], penalties, units, assignment, rng
                )
            self.n_reseeded_ += fill_empty(D, labels, constraints.components, X)
            mu = group_means(X, labels)
            model, J, D = model.update(X, labels, mu, closure)
            objective.append(J)
            if lowest[0] > J:
                lowest = (J, labels, mu, model)
            converged = bool(((mu - mu_before) ** 2).sum() <= still)
        if not converged:
            _, labels, mu, model = lowest
        self._model: Euclidean | Metrics = model
        self._set_minimum(LocalMinimum(labels, mu, np.array(objective), converged), origin)
        return model

    def _first_centers(
        self, X: FloatArray, seeds: Constraints, rng: np.random.Generator
    ) -> tuple[FloatArray, IntArray]:
        """Return first centers, and the labels that samples have before the first sweep, -1 for none."""
        if self.start in ("authors", "paper"):
            return authors_seeds(X, seeds, self.n_clusters, rng)
        return seed_centers(X, seeds, self.n_clusters, rng), np.full(len(X), -1, dtype=np.int64)
