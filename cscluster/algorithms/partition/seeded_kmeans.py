"""Seeded and constrained k-means: k-means that starts from groups of samples known to belong together."""

from __future__ import annotations

from collections import deque
from typing import Any, Self

import numpy as np
from scipy.spatial.distance import cdist

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.parameters import Boolean, parameter
from cscluster.algorithms.partition._centers import MAX_ITER, TOL, CenterClusterer, kmeans_step, lloyd
from cscluster.constraints import Constraints


def seed_groups(X: FloatArray, constraints: Constraints, n_clusters: int) -> list[IntArray]:
    """Return at most `n_clusters` groups of samples: must-link components, the largest first.

    Components that cannot-links separate from each group taken before them come first, single samples
    among them; then those neighbourhoods that are farthest from all groups, times their size.
    """
    component, touched = constraints.components, constraints.touched
    numbers, sizes = np.unique(component[touched], return_counts=True)
    order = numbers[np.argsort(-sizes, kind="stable")]
    apart: dict[int, set[int]] = {int(number): set() for number in order}
    for a, b in constraints.component_cannot_links.tolist():
        apart[a].add(b)
        apart[b].add(a)
    taken: list[int] = []
    for number in order.tolist():
        if len(taken) < n_clusters and apart[number].issuperset(taken):
            taken.append(number)
    groups = [np.flatnonzero(component == number) for number in taken]
    others = [part for part in constraints.neighbourhoods if component[part[0]] not in taken]
    while others and len(groups) < n_clusters:
        centers = np.array([X[group].mean(axis=0) for group in groups])
        value = [len(part) * cdist(X[part].mean(axis=0)[None], centers).min() for part in others]
        groups.append(others.pop(int(np.argmax(value))))
    return groups


class SeededKMeans(CenterClusterer):
    r"""K-means whose first centers are the means of groups of samples known to belong together.

    Minimises :math:`\sum_i \|x_i - \mu_{l_i}\|^2` by Lloyd's algorithm from the means of the seeds.
    With `keep_seeds`, the seeds stay in their clusters (*Constrained-KMeans*), else they may leave
    (*Seeded-KMeans*).

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.
    seeds_ : ndarray of shape (n_samples,)
        Cluster that each seed starts in, -1 for other samples.

    Notes
    -----
    The paper's seeds are labelled samples.  Here they are must-link components, and those of
    `Constraints.from_partial_labels` are the labelled classes.  Where constraints say less, components known
    to be apart are taken first, then the others by weighted farthest-first traversal.  Clusters without
    seeds start at random perturbations of the global mean.

    The objective never rises.  An iteration takes O(n K d).

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. Mooney, "Semi-supervised Clustering by Seeding", ICML 2002,
       figures 1 and 2.

    Examples
    --------
    >>> from cscluster import SeededKMeans
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    >>> SeededKMeans(n_clusters=2, random_state=0).fit(X, [0, -1, -1, -1, 1]).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    weighs_constraints = False

    max_iter: int = MAX_ITER
    tol: float = TOL
    keep_seeds: bool = parameter(False, "whether seeds stay in their clusters", Boolean())

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        K, origin = self.n_clusters, X.mean(axis=0)
        X = X - origin
        groups = seed_groups(X, constraints, K)
        seeds: IntArray = np.full(len(X), -1)
        for number, group in enumerate(groups):
            seeds[group] = number
        is_fixed = (seeds >= 0) & self.keep_seeds
        component = np.where(is_fixed, seeds, len(groups) + np.arange(len(X)))
        step = kmeans_step(X, lambda D: np.where(is_fixed, seeds, D.argmin(axis=1)), component)
        rng = np.random.default_rng(self._seed)
        perturbed = X.std(axis=0) * rng.standard_normal((K - len(groups), X.shape[1]))
        mu = np.array([*(X[group].mean(axis=0) for group in groups), *perturbed])
        self.seeds_ = seeds
        iterations = lloyd(step, mu, self.max_iter, self.tol * X.var(axis=0).mean())
        return self._set_minimum(deque(iterations, maxlen=1).pop(), origin)
