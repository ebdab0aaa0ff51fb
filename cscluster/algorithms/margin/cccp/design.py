"""Centred samples as the margin methods see them: scores, combinations, and single rows.

A model is a weight matrix W of shape (n_clusters, d); its scores are ``S = (X - mean) @ W.T``.
Every optimal W is a combination ``A.T @ (X - mean)`` of samples, A of shape (n, n_clusters).
Sparse samples are never centred explicitly: the mean enters as a rank-one term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit
from scipy import sparse

from cscluster.algorithms.base import FloatArray, IntArray, Samples


class Rows(NamedTuple):
    """The samples for compiled loops: dense rows, or sparse ones if `dense` is empty.

    Compiled loops hold the weights V in *extended* coordinates, shape (n_clusters, d_ext).  Row i
    scores with the values `read` and is added to the weights with the values `write`; they
    differ only for sparse rows, whose last two entries carry the mean: with V = [U, s, t] for
    U = A.T @ X, s = A.T @ 1, t = A.T @ (X @ mean) the scores are
    ``(x_i - mean) @ (U - s mean)`` = ``x_i @ U + (mean @ mean - x_i @ mean) s - t``.
    """

    dense: FloatArray
    start: IntArray
    column: IntArray
    read: FloatArray
    write: FloatArray


@njit(cache=True, fastmath=True)
def row_scores(rows: Rows, i: int, V: FloatArray, s: FloatArray) -> None:
    """Write the scores of row i into `s`."""
    for c in range(V.shape[0]):
        total = 0.0
        if rows.dense.shape[0]:
            for k in range(V.shape[1]):
                total += rows.dense[i, k] * V[c, k]
        else:
            for e in range(rows.start[i], rows.start[i + 1]):
                total += rows.read[e] * V[c, rows.column[e]]
        s[c] = total


@njit(cache=True, fastmath=True)
def add_row(rows: Rows, i: int, V: FloatArray, a: FloatArray) -> None:
    """Add ``a[c]`` times row i to the weights of each cluster c."""
    for c in range(V.shape[0]):
        if a[c] == 0.0:
            continue
        if rows.dense.shape[0]:
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
        varying = (X[0] != X).any(axis=0)
        X = X - mean
        if bias:
            X = np.hstack([X, np.ones((n, 1))])
            varying = np.append(varying, True)
        basis = None if varying.all() else np.eye(len(varying))[:, varying]
        X = np.ascontiguousarray(X[:, varying])
        return cls(X, np.zeros(X.shape[1]), basis).rotated()

    def rotated(self) -> Self:
        """Return the same samples in fewer coordinates, where they span so few.

        Inner products stay as they are, and with them every optimum, since the optimal weights
        lie in the span of the samples.
        """
        n, d = self.X.shape
        if sparse.issparse(self.X) or 2 * n > d:
            return self
        Q, R = np.linalg.qr(self.X.T)
        basis = Q if self.basis is None else self.basis @ Q
        return type(self)(np.ascontiguousarray(R.T), np.zeros(len(R)), basis)

    def rows_at(self, index: IntArray) -> Self:
        """Return the design of some samples, not centred anew; its basis refers to this design."""
        return type(self)(self.X[index], self.mean).rotated()

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
        if sparse.issparse(self.X):
            U = np.hstack([U, A.sum(axis=0)[:, None], (A.T @ self._dot_mean)[:, None]])
        return np.ascontiguousarray(U)

    def extend(self, W: FloatArray) -> FloatArray:
        """Return weights W in extended coordinates."""
        if not sparse.issparse(self.X):
            return W
        return np.hstack([W, np.zeros((len(W), 1)), (W @ self.mean)[:, None]])

    def weights(self, V: FloatArray) -> FloatArray:
        """Return W for weights in extended coordinates."""
        if not sparse.issparse(self.X):
            return V
        d = self.X.shape[1]
        return V[:, :d] - np.outer(V[:, d], self.mean)

    @cached_property
    def squared_norms(self) -> FloatArray:
        """Squared norms of the centred samples."""
        every = np.arange(self.X.shape[0])
        return self.products(every, every)

    @cached_property
    def sum(self) -> FloatArray:
        """The sum of the centred samples, shape (d,): zero but for a bias."""
        return self.combine(np.ones((self.X.shape[0], 1)))[0]

    def products(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the inner products of the centred samples i and j, pair by pair."""
        if not sparse.issparse(self.X):
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
        if not sparse.issparse(self.X):
            none, zero = np.empty(0), np.empty(0, dtype=np.int64)
            return Rows(self.X, zero, zero, none, none)
        n, m = self.X.shape[0], self._dot_mean
        read = np.column_stack([self.mean @ self.mean - m, np.full(n, -1.0)])
        write = np.column_stack([np.ones(n), m])
        parts = [sparse.hstack([self.X, end], format="csr") for end in _explicit(read, write)]
        return Rows(
            np.empty((0, 0)),
            parts[0].indptr.astype(np.int64),
            parts[0].indices.astype(np.int64),
            parts[0].data,
            parts[1].data,
        )


def _explicit(*columns: FloatArray) -> list[Any]:
    """Turn dense columns into CSR arrays that store their zeros as well."""
    result = []
    for values in columns:
        n, k = values.shape
        index = (np.tile(np.arange(k), n), np.arange(0, n * k + 1, k))
        result.append(sparse.csr_array((values.ravel(), *index), shape=(n, k)))
    return result
