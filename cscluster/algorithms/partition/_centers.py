"""What methods with centers share: costs, centroids, empty clusters and Lloyd's loop; nothing is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.errors import DataError
from cscluster.linalg.kernels import squared_norms
from cscluster.linalg.scatter import group_means

N_INIT = parameter(10, "number of starts. The lowest objective wins", Integer(1))
MAX_ITER = parameter(300, "iteration limit of a start", Integer(1))
TOL = parameter(
    1e-4, "squared shift of the centers, relative to the variance of the data, that counts as none", Real(0)
)


@dataclass(frozen=True)
class LocalMinimum:
    """Labels, centers mu, the objective after each iteration, and whether the stop rule was met."""

    labels: IntArray
    mu: FloatArray
    objective: FloatArray
    converged: bool


class CenterClusterer(Clusterer):
    """A clusterer whose clusters have centers, `cluster_centers_`."""

    def costs(self, X: Samples) -> FloatArray:
        """Return the squared distance of each sample from each center."""
        X = self._validate_new(X)
        origin = self.cluster_centers_.mean(axis=0)
        return squared_distances(X - origin, self.cluster_centers_ - origin)

    def predict(self, X: Samples) -> IntArray:
        """Return the cluster of least cost for each sample."""
        return nearest(self.costs(X))

    def _set_minimum(self, minimum: LocalMinimum, origin: FloatArray) -> Self:
        """Set the fitted attributes; `origin` is what was subtracted from the samples."""
        self.cluster_centers_: FloatArray = minimum.mu + origin
        return self._set_partition(
            minimum.labels,
            objective=minimum.objective,
            n_iter=len(minimum.objective),
            converged=minimum.converged,
        )


def squared_distances(X: FloatArray, mu: FloatArray, norms: FloatArray | None = None) -> FloatArray:
    """Return ``||x_i - mu_h||^2``, of shape (n_samples, n_centers); `norms` are the `squared_norms` of X."""
    D = X @ (-2.0 * mu.T)
    D += (squared_norms(X) if norms is None else norms)[:, None]
    D += squared_norms(mu)
    return D


def nearest(D: FloatArray) -> IntArray:
    """Return the cluster of least cost for each row of `D`."""
    return D.argmin(axis=1).astype(np.int64, copy=False)


def inertia(X: FloatArray, labels: IntArray, mu: FloatArray) -> float:
    """Return the sum of the squared distances of the samples from their centers."""
    return float(((X - mu[labels]) ** 2).sum())


def lowest(minima: Iterable[LocalMinimum]) -> LocalMinimum:
    """Return the minimum of the lowest objective."""
    return min(minima, key=lambda minimum: minimum.objective[-1])


Step = Callable[[FloatArray], tuple[IntArray, FloatArray, float]]
"""Takes centers; returns labels, the centers of these, and the objective."""


def kmeans_step(X: FloatArray, assign: Callable[[FloatArray], IntArray], component: IntArray) -> Step:
    """Return the step of k-means whose labels `assign` finds from the squared distances to the centers."""

    def step(mu: FloatArray) -> tuple[IntArray, FloatArray, float]:
        D = squared_distances(X, mu)
        labels = assign(D)
        fill_empty(D, labels, component, X)
        mu = group_means(X, labels)
        return labels, mu, inertia(X, labels, mu)

    return step


def lloyd(step: Step, mu: FloatArray, max_iter: int, still: float) -> Iterator[LocalMinimum]:
    """Yield what each iteration ends with, until the squared shift of the centers is at most `still`."""
    objective: list[float] = []
    for _ in range(max_iter):
        labels, mu_new, J = step(mu)
        objective.append(J)
        converged = bool(((mu_new - mu) ** 2).sum() <= still)
        mu = mu_new
        yield LocalMinimum(labels, mu, np.array(objective), converged)
        if converged:
            return


def fill_empty(
    D: FloatArray, labels: IntArray, component: IntArray | None = None, X: FloatArray | None = None
) -> int:
    """Give each empty cluster the must-link component that costs most; return how many were empty.

    Works on `labels` in place.  A component on its own violates no constraint.  Where each component would
    leave another cluster empty, the sample that costs most is taken out of its component.

    Parameters
    ----------
    D : ndarray of shape (n_samples, n_clusters)
        Cost of each sample in each cluster.
    labels : ndarray of shape (n_samples,)
        Cluster of each sample.
    component : ndarray of shape (n_samples,), optional
        Component of each sample; each is one of its own by default.
    X : ndarray of shape (n_samples, n_features), optional
        The samples, of which at least ``n_clusters`` must be distinct.
    """
    K = D.shape[1]
    sizes = np.bincount(labels, minlength=K)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return 0
    if X is not None and (n_distinct := len(np.unique(X, axis=0))) < K:
        raise DataError(f"{K} clusters are wanted, but only {n_distinct} samples are distinct.")
    if component is None:
        component = np.arange(len(labels))
    cost = D[np.arange(len(labels)), labels]
    for h in empty:
        for p in np.argsort(-np.bincount(component, cost)):
            moved = np.flatnonzero(component == p)
            left = sizes - np.bincount(labels[moved], minlength=K)
            if left[labels[moved]].all():
                break
        else:
            shared = np.flatnonzero(sizes[labels] > 1)  # those moved before may be all that there are
            moved = shared[[np.argmax(cost[shared])]]
        labels[moved], cost[moved] = h, -np.inf
        sizes = np.bincount(labels, minlength=K)
    return len(empty)
