"""HMRF-KMeans: k-means by angles with learned feature weights and a penalty for violated constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import BoolArray, FloatArray, IntArray, Samples
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.parameters import Boolean, Integer, Real, parameter
from cscluster.algorithms.partition._centers import CenterClusterer, LocalMinimum, fill_empty, nearest
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
        How much a cosine counts: one for a sample and its center, the weight of a violated must-link, and
        minus that of a violated cannot-link.
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


class HMRFKMeans(CenterClusterer):
    r"""K-means on a hidden Markov random field, with cosine distortion.

    With :math:`\varphi(x, y) = 1 - x^T A y / (\|x\|_A \|y\|_A)` and diagonal A > 0, finds a local minimum of

    .. math:: \sum_i \varphi(x_i, \mu_{l_i})
              + w \sum_{(i,j) \in M} w_{ij} \varphi(x_i, x_j) [l_i \ne l_j]
              + w \sum_{(i,j) \in C} \bar w_{ij} (2 - \varphi(x_i, x_j)) [l_i = l_j]
              + \sum_m \left( \tfrac{1}{2} a_m^2 - \log a_m \right)

    over partitions l, directions mu and weights a: the posterior of labels whose constraints form a
    random field, with Rayleigh priors of the weights.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The directions mu, as mapped by A^(1/2), of length one.
    weights_ : ndarray of shape (n_features,)
        The diagonal a of A.

    Notes
    -----
    The method of [1]_ with its cosine distance, which suits documents.  With squared Euclidean distance and
    log det A it is `MPCKMeans`.  Samples without constraints go to the closest direction, the others choose
    in turn while their partners stay (iterated conditional modes).  The weights take one step of descent
    with a line search, so that the objective never rises.  [1]_ takes a step of fixed length.

    An iteration takes O(n K d) for the samples and O(K d) for each constraint.

    References
    ----------
    .. [1] S. Basu, M. Bilenko, R. J. Mooney, "A Probabilistic Framework for Semi-Supervised Clustering",
       KDD 2004, equations (5), (9) and (13), figure 2. doi:10.1145/1014052.1014062

    Examples
    --------
    >>> from cscluster import HMRFKMeans
    >>> X = [[5.0, 0.1], [1.0, 0.0], [0.2, 4.0], [0.0, 1.0]]
    >>> constraints = [(0, 1, "must"), (0, 2, "cannot")]
    >>> labels = HMRFKMeans(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    w: float = parameter(
        1.0, "cost of a violated constraint of weight one, which competes with distortions", Real(0)
    )
    learn_weights: bool = parameter(True, "whether the weights of the features are learned", Boolean())
    max_iter: int = parameter(100, "iteration limit", Integer(1))
    tol: float = parameter(1e-5, "relative fall of the objective that counts as none", Real(0))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        size = np.abs(X).max(initial=0.0)
        X = X / size if size > 0 else X
        rng = np.random.default_rng(self._seed)
        K, a = self.n_clusters, np.ones(X.shape[1])
        field = RandomField.of(constraints, self.w)
        mu = normalise(seed_centers(X, constraints, K, rng), a)
        labels = nearest(1 - normalise(X, a) @ mu.T)
        objective: list[float] = []
        converged = False
        while not converged and len(objective) < self.max_iter:
            Y = normalise(X, a)
            D = 1 - Y @ mu.T
            labels = np.where(field.touched, labels, nearest(D))
            order = rng.permutation(np.flatnonzero(field.touched))
            assign_in_turn(order, D, labels, field.starts, field.partner, field.is_must, field.costs(Y))
            fill_empty(D, labels, X=X)
            mu = normalise(group_sums(Y, labels, K), np.ones_like(a))
            if self.learn_weights:
                a = improve_weights(field.pairs(X, labels, mu / np.sqrt(a)), a)
                Y = normalise(X, a)
                mu = normalise(group_sums(Y, labels, K), np.ones_like(a))
            objective.append(field.objective(Y, labels, mu, a))
            converged = len(objective) > 1 and objective[-2] - objective[-1] <= self.tol * abs(objective[-1])
        self.weights_ = a
        return self._set_minimum(LocalMinimum(labels, mu, np.array(objective), converged), np.zeros(1))

    def costs(self, X: Samples) -> FloatArray:
        """Return the distortion between each sample and each direction."""
        X = self._validate_new(X)
        return 1 - normalise(X, self.weights_) @ self.cluster_centers_.T


@dataclass(frozen=True)
class RandomField:
    """The constraints, each of which costs `w` times its weight if violated, and those of each sample."""

    constraints: Constraints
    w: float
    touched: BoolArray
    starts: IntArray
    partner: IntArray
    is_must: BoolArray
    number: IntArray

    @classmethod
    def of(cls, constraints: Constraints, w: float) -> RandomField:
        """Sort the constraints by sample."""
        pairs, n = constraints.pairs, constraints.n_samples
        own, other = np.concatenate([pairs, pairs[:, ::-1]]).T
        number = np.tile(np.arange(len(pairs)), 2)
        order = np.argsort(own, kind="stable")
        starts = np.searchsorted(own[order], np.arange(n + 1))
        touched = np.isin(np.arange(n), constraints.touched)
        is_must = number[order] < len(constraints.must_links)
        return cls(constraints, w, touched, starts, other[order], is_must, number[order])

    def costs(self, Y: FloatArray) -> FloatArray:
        """Return the cost of violating each constraint, in the order of `partner`."""
        i, j = self.constraints.pairs.T
        cosine = np.einsum("ij,ij->i", Y[i], Y[j])
        each = np.where(self.constraints.is_must, 1.0 - cosine, _LARGEST - 1.0 + cosine)
        return (self.w * self.constraints.weights * each)[self.number]

    def pairs(self, X: FloatArray, labels: IntArray, mu: FloatArray) -> Pairs:
        """Return the pairs whose cosines count in the objective."""
        violated = self.constraints.violated(labels)
        i, j = violated.pairs.T
        sign = np.where(violated.is_must, 1.0, -1.0)
        c = np.concatenate([np.ones(len(X)), self.w * sign * violated.weights])
        return Pairs(np.concatenate([X, X[i]]), np.concatenate([mu[labels], X[j]]), c)

    def objective(self, Y: FloatArray, labels: IntArray, mu: FloatArray, a: FloatArray) -> float:
        """Return the objective."""
        pairs = self.pairs(Y, labels, mu)
        penalties = pairs.c[len(Y) :]
        constant = len(Y) + penalties @ np.where(penalties > 0, 1.0, 1.0 - _LARGEST)
        prior = float((a**2 / 2 - np.log(a)).sum() - len(a) / 2)
        return pairs.value(np.ones_like(a)) + float(constant) + prior
