"""Seeded and constrained k-means: k-means that starts from groups of samples known to belong together."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy.spatial.distance import cdist

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.parameters import Boolean, parameter
from cscluster.algorithms.partition._assign import nearest, squared_distances
from cscluster.algorithms.partition._centres import LloydClusterer
from cscluster.algorithms.partition._lloyd import fill_empty, means
from cscluster.algorithms.partition._restarts import LocalMinimum
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
        centres = np.array([X[group].mean(axis=0) for group in groups])
        value = [len(part) * cdist(X[part].mean(axis=0)[None], centres).min() for part in others]
        groups.append(others.pop(int(np.argmax(value))))
    return groups


class SeededKMeans(LloydClusterer):
    r"""K-means whose first centres are the means of groups of samples known to belong together.

    Minimises :math:`\sum_i \|x_i - \mu_{l_i}\|^2` by Lloyd's algorithm from the means of the seeds;
    with `keep_seeds`, the seeds stay in their clusters (*Constrained-KMeans*), else they may leave
    (*Seeded-KMeans*).

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres mu.
    seeds_ : ndarray of shape (n_samples,)
        Cluster that each seed starts in, -1 for other samples.

    Notes
    -----
    The paper's seeds are labelled samples.  Here they are must-link components, and those of
    `Constraints.from_partial_labels` are the labelled classes.  Where links say less, components known
    to be apart are taken first, then the others by weighted farthest-first traversal; clusters without
    seeds start at random perturbations of the global mean.

    The objective never rises.  An iteration takes O(n K d).

    References
    ----------
    .. [1] S. Basu, A. Banerjee, R. Mooney, "Semi-supervised Clustering by Seeding", ICML 2002,
       figures 1 and 2.

    Examples
    --------
    >>> from cscluster import Constraints, SeededKMeans
    >>> X = [[0.0], [1.0], [2.0], [8.0], [9.0]]
    >>> links = Constraints.from_partial_labels([0, -1, -1, -1, 1])
    >>> SeededKMeans(n_clusters=2, random_state=0).fit(X, links).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    weighs_links = False

    keep_seeds: bool = parameter(False, "whether seeds stay in their clusters", Boolean())

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`."""
        X, constraints = self._validate(X, constraints)
        rng = np.random.default_rng(self.random_state)
        K, origin = self.n_clusters, X.mean(axis=0)
        X = X - origin
        groups = seed_groups(X, constraints, K)
        self.seeds_: IntArray = np.full(len(X), -1)
        for number, group in enumerate(groups):
            self.seeds_[group] = number
        perturbed = X.std(axis=0) * rng.standard_normal((K - len(groups), X.shape[1]))
        mu = np.array([*(X[group].mean(axis=0) for group in groups), *perturbed])
        fixed = np.flatnonzero(self.seeds_ >= 0) if self.keep_seeds else np.empty(0, dtype=np.int64)
        still = self.tol * X.var(axis=0).mean()
        unit = np.where(self.seeds_ >= 0, self.seeds_, len(groups) + np.arange(len(X)))
        objective: list[float] = []
        converged = False
        while not converged and len(objective) < self.max_iter:
            D = squared_distances(X, mu)
            labels = nearest(D)
            labels[fixed] = self.seeds_[fixed]
            fill_empty(X, D, labels, unit if self.keep_seeds else np.arange(len(X)))
            mu_before, mu = mu, means(X, labels, K)
            objective.append(float(((X - mu[labels]) ** 2).sum()))
            converged = bool(((mu - mu_before) ** 2).sum() <= still)
        return self._end_at([LocalMinimum(labels, mu, np.array(objective), converged)], origin)
