"""HMRF-KMeans: k-means by angles whose feature weights are learned, with a cost for broken links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from cscluster.algorithms.base import BoolArray, FloatArray, IntArray, Samples, SeededClusterer
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.parameters import Boolean, Integer, Real, parameter
from cscluster.algorithms.partition._assign import nearest
from cscluster.algorithms.partition._lloyd import fill_empty
from cscluster.algorithms.partition._seeding import seed_centers
from cscluster.constraints import Constraints
from cscluster.linalg.scatter import group_sums

_LARGEST = 2.0
"""Largest possible distortion: that of opposite directions."""

_STEPS = 30
"""Halvings of the step after which the weights stay as they are."""


def normalise(X: FloatArray, a: FloatArray) -> FloatArray:
    """Return ``sqrt(a) x / ||x||_A`` for each row, zero for a row of zeros."""
    Y = X * np.sqrt(a)
    length = np.linalg.norm(Y, axis=1, keepdims=True)
    return np.divide(Y, length, out=np.zeros_like(Y), where=length > 0)


@dataclass(frozen=True)
class Pairs:
    """Pairs of vectors whose cosines count in the objective.

    Attributes
    ----------
    P, Q : ndarrays of shape (n_pairs, n_features)
        The vectors.
    c : ndarray of shape (n_pairs,)
        How much a cosine is worth: one for a sample and its centre, the weight of a broken must-link, and
        minus that of a broken cannot-link.
    """

    P: FloatArray
    Q: FloatArray
    c: FloatArray

    def value(self, a: FloatArray) -> float:
        """Return ``-sum c cos_A(p, q)`` less the logarithm of the Rayleigh prior of the weights."""
        cosine = np.einsum("ij,ij->i", normalise(self.P, a), normalise(self.Q, a))
        return float(-self.c @ cosine + (a**2 / 2 - np.log(a)).sum())

    def gradient(self, a: FloatArray) -> FloatArray:
        """Return the gradient of `value`."""
        p, q = normalise(self.P, a), normalise(self.Q, a)
        cosine = np.einsum("ij,ij->i", p, q)
        by_feature = self.c @ (p * q) - (self.c * cosine) @ (p**2 + q**2) / 2
        return -by_feature / a + a - 1 / a


def improve_weights(pairs: Pairs, a: FloatArray) -> FloatArray:
    """Return weights of lower value, by one step along ``a * gradient`` that keeps them positive."""
    value, gradient = pairs.value(a), pairs.gradient(a)
    step = 1.0
    for _ in range(_STEPS):
        new = a * np.exp(-step * np.clip(a * gradient, -1, 1))
        if pairs.value(new) < value:
            return new
        step /= 2
    return a


@compiled()
def assign_in_turn(
    order: IntArray,
    D: FloatArray,
    labels: IntArray,
    starts: IntArray,
    partner: IntArray,
    is_must: BoolArray,
    cost: FloatArray,
) -> None:
    """Give each sample, in place, the label of least cost while its partners keep theirs (ICM)."""
    total = np.empty(D.shape[1])
    for u in order:
        total[:] = D[u]
        for e in range(starts[u], starts[u + 1]):
            g = labels[partner[e]]
            if is_must[e]:
                total += cost[e]
                total[g] -= cost[e]
            else:
                total[g] += cost[e]
        best = labels[u]
        for h in range(len(total)):
            if total[h] < total[best]:
                best = h
        labels[u] = best


class HMRFKMeans(SeededClusterer):
    r"""K-means on a hidden Markov random field, with cosine distortion.

    With :math:`\varphi(x, y) = 1 - x^T A y / (\|x\|_A \|y\|_A)` and diagonal A > 0, finds a local minimum of

    .. math:: \sum_i \varphi(x_i, \mu_{l_i})
              + w \sum_{(i,j) \in M} w_{ij} \varphi(x_i, x_j) [l_i \ne l_j]
              + w \sum_{(i,j) \in C} \bar w_{ij} (2 - \varphi(x_i, x_j)) [l_i = l_j]
              + \sum_m \left( \tfrac{1}{2} a_m^2 - \log a_m \right)

    over partitions l, directions mu and weights a: the posterior of labels whose links form a random
    field, with Rayleigh priors of the weights.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The directions mu, as mapped by A^(1/2), of length one.
    weights_ : ndarray of shape (n_features,)
        The diagonal a of A.

    Notes
    -----
    The method of [1]_ with its cosine distance, which suits texts; with squared Euclidean distance and
    log det A it is `MPCKMeans`.  Samples without links go to the closest direction, the others choose in
    turn while their partners stay (iterated conditional modes).  The weights take one step of descent
    with a line search, so that the objective never rises; [1]_ takes a step of fixed length.

    An iteration takes O(n K d) for the samples and O(K d) for each link.

    References
    ----------
    .. [1] S. Basu, M. Bilenko, R. J. Mooney, "A Probabilistic Framework for Semi-Supervised Clustering",
       KDD 2004, equations (5), (9) and (13), figure 2. doi:10.1145/1014052.1014062

    Examples
    --------
    >>> from cscluster import Constraints, HMRFKMeans
    >>> X = [[5.0, 0.1], [1.0, 0.0], [0.2, 4.0], [0.0, 1.0]]
    >>> links = Constraints([(0, 1)], [(0, 2)], n_samples=4)
    >>> labels = HMRFKMeans(n_clusters=2, random_state=0).fit(X, links).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    w: float = parameter(1.0, "cost of a broken link of weight one, which competes with distortions", Real(0))
    learn_weights: bool = parameter(True, "whether the weights of the features are learned", Boolean())
    max_iter: int = parameter(100, "iteration limit", Integer(1))
    tol: float = parameter(1e-5, "relative fall of the objective that counts as none", Real(0))

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`."""
        X, constraints = self._validate(X, constraints)
        size = np.abs(X).max(initial=0.0)
        X = X / size if size > 0 else X
        rng = np.random.default_rng(self.random_state)
        K, a = self.n_clusters, np.ones(X.shape[1])
        links = _Links.of(constraints)
        mu = normalise(seed_centers(X, constraints, K, rng), a)
        labels: IntArray | None = None
        objective: list[float] = []
        self.converged_ = False
        while not self.converged_ and len(objective) < self.max_iter:
            Y = normalise(X, a)
            D = 1 - Y @ mu.T
            free = nearest(D)
            labels = free if labels is None else np.where(links.touched, labels, free)
            cost = links.cost(Y, self.w)
            assign_in_turn(
                rng.permutation(np.flatnonzero(links.touched)),
                D,
                labels,
                links.starts,
                links.partner,
                links.is_must,
                cost,
            )
            fill_empty(X, D, labels, np.arange(len(X)))
            mu = normalise(group_sums(Y, labels, K), np.ones_like(a))
            if self.learn_weights:
                a = improve_weights(links.broken(X, labels, mu / np.sqrt(a), self.w), a)
                Y = normalise(X, a)
                mu = normalise(group_sums(Y, labels, K), np.ones_like(a))
            objective.append(links.objective(Y, labels, mu, a, self.w))
            self.converged_ = len(objective) > 1 and objective[-2] - objective[-1] <= self.tol * abs(
                objective[-1]
            )
        assert labels is not None
        self.labels_ = labels
        self.cluster_centers_, self.weights_ = mu, a
        self.objective_ = np.array(objective)
        self.n_iter_ = len(objective)
        return self

    def predict(self, X: Samples) -> IntArray:
        """Return the closest direction of each sample, links aside."""
        X = self._validate_new(X)
        return nearest(1 - normalise(X, self.weights_) @ self.cluster_centers_.T)


@dataclass(frozen=True)
class _Links:
    """The links, and for each sample those that it has."""

    links: Constraints
    touched: BoolArray
    starts: IntArray
    partner: IntArray
    is_must: BoolArray
    number: IntArray

    @classmethod
    def of(cls, links: Constraints) -> _Links:
        pairs = links.pairs
        own, other = np.concatenate([pairs, pairs[:, ::-1]]).T
        number = np.tile(np.arange(len(pairs)), 2)
        order = np.argsort(own, kind="stable")
        starts = np.searchsorted(own[order], np.arange(links.n_samples + 1))
        touched = np.isin(np.arange(links.n_samples), links.touched)
        must = number[order] < len(links.must_links)
        return cls(links, touched, starts, other[order], must, number[order])

    def cost(self, Y: FloatArray, w: float) -> FloatArray:
        """Return the cost of breaking each link, in the order of `partner`."""
        i, j = self.links.pairs.T
        cosine = np.einsum("ij,ij->i", Y[i], Y[j])
        each = np.where(self.links.is_must, 1.0 - cosine, _LARGEST - 1.0 + cosine)
        return (w * self.links.weights * each)[self.number]

    def broken(self, X: FloatArray, labels: IntArray, mu: FloatArray, w: float) -> Pairs:
        """Return the pairs whose cosines count in the objective."""
        broken = self.links.violated(labels)
        i, j = broken.pairs.T
        c = np.concatenate([np.ones(len(X)), w * np.where(broken.is_must, broken.weights, -broken.weights)])
        return Pairs(np.concatenate([X, X[i]]), np.concatenate([mu[labels], X[j]]), c)

    def objective(self, Y: FloatArray, labels: IntArray, mu: FloatArray, a: FloatArray, w: float) -> float:
        """Return the objective."""
        pairs = self.broken(Y, labels, mu, w)
        ones = np.ones_like(a)
        constant = len(Y) + pairs.c[len(Y) :] @ np.where(pairs.c[len(Y) :] > 0, 1.0, 1.0 - _LARGEST)
        prior = float((a**2 / 2 - np.log(a)).sum() - len(a) / 2)
        return pairs.value(ones) + float(constant) + prior
