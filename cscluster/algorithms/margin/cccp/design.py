"""Centred samples as the margin methods see them: scores, combinations, and single rows.

A model is a weight matrix W of shape (n_clusters, d); its scores are ``S = (X - mean) @ W.T``.
Every optimal W is a combination ``A.T @ (X - mean)`` of samples, A of shape (n, n_clusters).
Sparse samples are never centred explicitly: the mean enters as a rank-one term.  Samples that are few for
their dimension are known by their inner products alone, and W by A and S: see `Gram`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.compiled import compiled_part
from cscluster.linalg.kernels import squared_norms

_MOST_GRAM = 3000
"""Inner products of more samples are not computed."""
_NO_MATRIX = np.empty((0, 0))
_NOT_SPARSE = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))


class Rows(NamedTuple):
    """The samples for compiled loops: inner products, dense rows, or sparse ones if both are empty.

    Compiled loops hold the weights V in *extended* coordinates, shape (n_clusters, d_ext).  Row i
    scores with the values `read` and is added to the weights with the values `write`; they
    differ only for sparse rows, whose last two entries carry the mean: with V = [U, s, t] for
    U = A.T @ X, s = A.T @ 1, t = A.T @ (X @ mean) the scores are
    ``(x_i - mean) @ (U - s mean)`` = ``x_i @ U + (mean @ mean - x_i @ mean) s - t``.
    With inner products V = [S.T, A.T]: the scores of all samples, and the combination that has them.
    """

    gram: FloatArray
    dense: FloatArray
    start: IntArray
    column: IntArray
    read: FloatArray
    write: FloatArray


@compiled_part(fastmath=True)
def row_scores(rows: Rows, i: int, V: FloatArray, s: FloatArray) -> None:
    """Write the scores of row i into `s`."""
    if rows.gram.shape[0]:
        for c in range(V.shape[0]):
            s[c] = V[c, i]
        return
    for c in range(V.shape[0]):
        total = 0.0
        if rows.dense.shape[0]:
            for k in range(V.shape[1]):
                total += rows.dense[i, k] * V[c, k]
        else:
            for e in range(rows.start[i], rows.start[i + 1]):
                total += rows.read[e] * V[c, rows.column[e]]
        s[c] = total


@compiled_part(fastmath=True)
def add_row(rows: Rows, i: int, V: FloatArray, a: FloatArray) -> None:
    """Add ``a[c]`` times row i to the weights of each cluster c."""
    for c in range(V.shape[0]):
        if a[c] == 0.0:
            continue
        if rows.gram.shape[0]:
            n = rows.gram.shape[0]
            for k in range(n):
                V[c, k] += a[c] * rows.gram[i, k]
            V[c, n + i] += a[c]
        elif rows.dense.shape[0]:
            for k in range(V.shape[1]):
                V[c, k] += a[c] * rows.dense[i, k]
        else:
            for e in range(rows.start[i], rows.start[i + 1]):
                V[c, rows.column[e]] += a[c] * rows.write[e]


@dataclass(frozen=True)
class Design:
    """Samples with their mean; dense ones are centred already and have the mean zero.

    Attributes
    ----------
    X : ndarray or CSR array of shape (n, d)
        The samples, in the coordinates of `basis`.
    mean : ndarray of shape (d,)
        What has yet to be subtracted.
    basis : ndarray of shape (d_original, d), optional
        Orthonormal columns, if the samples were rotated into the space they span.
    """

    X: Any
    mean: FloatArray
    basis: FloatArray | None = None

    @classmethod
    def of(cls, X: Samples, mean: FloatArray, bias: bool) -> Self:
        """Subtract `mean` and, for a bias, append a feature that is always one.

        Dense features that do not vary are left out: their weights are zero.
        """
        n = X.shape[0]
        if sparse.issparse(X):
            if bias:
                X = sparse.hstack([X, np.ones((n, 1))], format="csr")
                mean = np.append(mean, 0.0)
            return cls(sparse.csr_array(X), mean)
        d = X.shape[1]
        varying = np.ones(d + bias, dtype=np.bool_)
        varying[:d] = X.max(axis=0) > X.min(axis=0)
        Z = np.ones((n, d + bias))
        np.subtract(X, mean, out=Z[:, :d])
        basis = None
        if not varying.all():
            basis, Z = np.eye(d + bias)[:, varying], np.ascontiguousarray(Z[:, varying])
        return cls(Z, np.zeros(Z.shape[1]), basis).rotated()

    @cached_property
    def is_sparse(self) -> bool:
        """Whether the samples are a sparse array."""
        return bool(sparse.issparse(self.X))

    def rotated(self) -> Self:
        """Return the same samples in fewer coordinates, where they span so few.

        Inner products stay as they are, and with them every optimum, since the optimal weights
        lie in the span of the samples.
        """
        n, d = self.X.shape
        if self.is_sparse or 2 * n > d:
            return self
        Q, R = np.linalg.qr(self.X.T)
        basis = Q if self.basis is None else self.basis @ Q
        return type(self)(np.ascontiguousarray(R.T), np.zeros(len(R)), basis)

    def compact(self) -> Design:
        """Return the same samples by their inner products, where these are few and cost less to work with.

        Of the samples that a sweep visits about a quarter moves the weights, which then takes n steps for
        each cluster; each visit takes d steps without the inner products.  They need at most twice the memory
        of the samples.
        """
        n, d = self.X.shape
        if self.is_sparse or n > min(2 * d, _MOST_GRAM):
            return self
        return Gram(self.X @ self.X.T, np.zeros(n), lift=lambda A: self.original(self.combine(A)))

    def rows_at(self, index: IntArray) -> Design:
        """Return the design of some samples, not centred anew; its basis refers to this design."""
        return type(self)(self.X[index], self.mean).rotated()

    def zero(self, n_clusters: int) -> FloatArray:
        """Return zero weights."""
        return np.zeros((n_clusters, self.X.shape[1]))

    def square(self, W: FloatArray) -> float:
        """Return ``||W||^2``."""
        return float(np.vdot(W, W))

    def inner(self, W: FloatArray, w: FloatArray) -> FloatArray:
        """Return the inner product of each row of W with weights w."""
        return W @ w

    def original(self, W: FloatArray) -> FloatArray:
        """Return weights in the coordinates the samples were given in."""
        return W if self.basis is None else W @ self.basis.T

    def scores(self, W: FloatArray) -> FloatArray:
        """Return the scores S, shape (n, n_clusters)."""
        return np.asarray(self.X @ W.T) - self.mean @ W.T

    def combine(self, A: FloatArray) -> FloatArray:
        """Return ``A.T @ (X - mean)``, shape (n_clusters, d)."""
        return np.asarray(self.X.T @ A).T - np.outer(A.sum(axis=0), self.mean)

    def extended(self, A: FloatArray) -> FloatArray:
        """Return ``A.T @ (X - mean)`` in the extended coordinates of `rows`."""
        U = np.asarray(self.X.T @ A).T
        if self.is_sparse:
            U = np.hstack([U, A.sum(axis=0)[:, None], (A.T @ self._dot_mean)[:, None]])
        return np.ascontiguousarray(U)

    def extend(self, W: FloatArray) -> FloatArray:
        """Return weights W in extended coordinates."""
        if not self.is_sparse:
            return W
        return np.hstack([W, np.zeros((len(W), 1)), (W @ self.mean)[:, None]])

    def weights(self, V: FloatArray) -> FloatArray:
        """Return W for weights in extended coordinates."""
        if not self.is_sparse:
            return V
        d = self.X.shape[1]
        return V[:, :d] - np.outer(V[:, d], self.mean)

    @cached_property
    def squared_norms(self) -> FloatArray:
        """Squared norms of the centred samples."""
        if not self.is_sparse:
            return squared_norms(self.X)
        every = np.arange(self.X.shape[0])
        return self.products(every, every)

    @cached_property
    def sum(self) -> FloatArray:
        """The sum of the centred samples, shape (d,): zero but for a bias."""
        return self.combine(np.ones((self.X.shape[0], 1)))[0]

    def products(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the inner products of the centred samples i and j, pair by pair."""
        if not self.is_sparse:
            return np.einsum("ij,ij->i", self.X[i], self.X[j])
        raw = np.asarray(self.X[i].multiply(self.X[j]).sum(axis=1)).ravel()
        m = self._dot_mean
        return raw - m[i] - m[j] + self.mean @ self.mean

    @cached_property
    def _dot_mean(self) -> FloatArray:
        return np.asarray(self.X @ self.mean)

    @cached_property
    def rows(self) -> Rows:
        """The samples for compiled loops."""
        if not self.is_sparse:
            return Rows(_NO_MATRIX, self.X, *_NOT_SPARSE)
        n, m = self.X.shape[0], self._dot_mean
        longer = sparse.hstack([self.X, sparse.csr_array(np.ones((n, 2)))], format="csr")
        start, column = longer.indptr.astype(np.int64), longer.indices.astype(np.int64)
        read, write = longer.data.copy(), longer.data
        read[start[1:] - 2], read[start[1:] - 1] = self.mean @ self.mean - m, -1.0
        write[start[1:] - 1] = m
        return Rows(_NO_MATRIX, _NO_MATRIX, start, column, read, write)


@dataclass(frozen=True, kw_only=True)
class Gram(Design):
    """Samples known by their inner products ``X = (x_i - mean) @ (x_j - mean)`` alone.

    Weights ``W = A.T @ (x - mean)`` have the coordinates [S.T, A.T], shape (n_clusters, 2 n), where S are the
    scores of W.  They add up as weights do; `square` and `inner` know what they stand for.  A sample that
    leaves the weights as they are costs no product with them, and scores need not be computed.

    Attributes
    ----------
    lift : callable
        Returns the combination A of the samples in the coordinates in which they were given.
    """

    lift: Callable[[FloatArray], FloatArray]

    def rows_at(self, index: IntArray) -> Design:
        """Return the design of some samples; its weights can be lifted to those of this design."""
        across = self.X[index]

        def lift(A: FloatArray) -> FloatArray:
            W = np.zeros((A.shape[1], 2 * len(self.X)))
            W[:, : len(self.X)] = A.T @ across
            W[:, len(self.X) + index] = A.T
            return W

        return Gram(np.ascontiguousarray(across[:, index]), self.mean[index], lift=lift)

    def zero(self, n_clusters: int) -> FloatArray:
        """Return zero weights."""
        return np.zeros((n_clusters, 2 * len(self.X)))

    def square(self, W: FloatArray) -> float:
        """Return ``||W||^2 = <A, S>``."""
        n = len(self.X)
        return float(np.einsum("ci,ci->", W[:, :n], W[:, n:]))

    def inner(self, W: FloatArray, w: FloatArray) -> FloatArray:
        """Return the inner product of each row of W with weights w."""
        n = len(self.X)
        return W[:, :n] @ w[n:]

    def original(self, W: FloatArray) -> FloatArray:
        """Return weights in the coordinates the samples were given in."""
        return self.lift(W[:, len(self.X) :].T)

    def scores(self, W: FloatArray) -> FloatArray:
        """Return the scores S, shape (n, n_clusters)."""
        return np.ascontiguousarray(W[:, : len(self.X)].T)

    def combine(self, A: FloatArray) -> FloatArray:
        """Return the weights that combine the samples as A does; few of them take part at first."""
        used = np.flatnonzero(A.any(axis=1))
        S = (self.X @ A).T if 2 * len(used) > len(A) else A[used].T @ self.X[used]
        return np.concatenate([S, A.T], axis=1)

    def extended(self, A: FloatArray) -> FloatArray:
        """Return the same."""
        return self.combine(A)

    @cached_property
    def squared_norms(self) -> FloatArray:
        """Squared norms of the centred samples."""
        return np.diagonal(self.X).copy()

    def products(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the inner products of the centred samples i and j, pair by pair."""
        return np.asarray(self.X[i, j])

    @cached_property
    def rows(self) -> Rows:
        """The inner products for compiled loops."""
        return Rows(self.X, _NO_MATRIX, *_NOT_SPARSE)
