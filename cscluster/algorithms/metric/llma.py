"""Locally linear metric adaptation: move samples so that must-linked ones come close."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse

from cscluster.algorithms.base import FloatArray, IntArray, MetricLearner, Samples
from cscluster.algorithms.compiled import compiled
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.algorithms.shared import of_samples
from cscluster.arrays import require_memory
from cscluster.constraints import Constraints
from cscluster.errors import DataError
from cscluster.linalg.kernels import Kernel, gaussian_weights, mean_squared_distance
from cscluster.linalg.lle import nearest_neighbours, reconstruction_scatter, reconstruction_weights
from cscluster.linalg.scatter import pair_scatter

_FLAT = 1e-10


def neighbour_edges(X: FloatArray, k: int) -> IntArray:
    """Return the pairs of which one sample is among the k nearest neighbours of the other."""
    pairs = np.column_stack([np.repeat(np.arange(len(X)), k), nearest_neighbours(X, k).ravel()])
    return np.unique(np.sort(pairs, axis=1), axis=0)


@compiled()
def lengths(Y: FloatArray, edges: IntArray) -> FloatArray:
    """Return the length of each edge."""
    result = np.empty(len(edges))
    for e in range(len(edges)):
        i, j = edges[e]
        total = 0.0
        for f in range(Y.shape[1]):
            total += (Y[i, f] - Y[j, f]) ** 2
        result[e] = np.sqrt(total)
    return result


def laplacian(edges: IntArray, weights: FloatArray, n: int) -> sparse.csr_array:
    """Return ``sum_e w_e (e_i - e_j)(e_i - e_j)^T`` as a sparse n x n matrix."""
    i, j = edges.T
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    return sparse.csr_array((np.concatenate([weights, weights, -weights, -weights]), (rows, columns)), (n, n))


def flattest_map(F: FloatArray, S: FloatArray, r: int) -> tuple[FloatArray, float]:
    """Return the A of shape (q, r) for which ``F A`` has unit covariance and least ``tr(A^T S A)``, and it.

    F are centred features of shape (n, q); directions in which they do not vary are left out.
    """
    values, vectors = np.linalg.eigh(F.T @ F / len(F))
    keep = values > _FLAT * values[-1]
    T = vectors[:, keep] / np.sqrt(values[keep])
    costs, directions = np.linalg.eigh(T.T @ S @ T)
    return T @ directions[:, :r], float(costs[:r].sum())


class LLMA(MetricLearner):
    r"""Locally linear metric adaptation (LLMA).

    A sample moves by a mix of translations :math:`b_r` that sit on the m must-linked samples :math:`x_r`,

    .. math:: y = x + \sum_r \exp ( - \frac{\|x - x_r\|^2}{2 w^2} ) b_r

    and the translations minimise, with P the must-links, e the edges of the neighbour graph, :math:`d_e` and
    :math:`q_e` their lengths before and after, and :math:`N_e` weights that fall with :math:`d_e` and sum to
    one,

    .. math:: J = \frac{1}{|P|} \sum_{(i,j) \in P} \|y_i - y_j\|^2 + \lambda \sum_e N_e (q_e - d_e)^2

    The spectral form takes as y any linear map of x and of the m windows around the :math:`x_r`, and
    minimises

    .. math:: \frac{1}{|P|} \sum_{(i,j) \in P} \|y_i - y_j\|^2
              + \frac{\lambda}{n} \sum_i \|y_i - \sum_j s_{ij} y_j\|^2

    under ``y`` of unit covariance, where s rebuilds each sample from its nearest neighbours.

    Attributes
    ----------
    translations_ : ndarray of shape (m, n_features)
        The translations b (not for the spectral form).
    components_, offset_ : ndarrays of shape (n_features + m, n_features) and (n_features + m,)
        The linear map of the spectral form, and the mean that it subtracts.
    landmarks_ : ndarray of shape (m, n_features)
        The must-linked samples that they sit on.
    window_ : float
        The window w.
    objective_ : ndarray
        J after each iteration.  It never rises.
    n_iter_, converged_ : int, bool
        Iterations and whether J came to rest.

    Notes
    -----
    Solved by iterative majorisation: ``-q_e`` is replaced by its linear bound at the present y, and
    the quadratic bound of J that results is minimised exactly by one solve with a fixed m x m matrix.
    Wide windows make it nearly singular: mixes of translations that hardly move a sample (eigenvalues
    below 1e-10 of the largest) stay zero, without which the result hangs on rounding errors.

    Readings taken, since [1]_ was not at hand and baghshah2010, which compares itself with it, says
    only this: must-links alone are used, the window is 0.5 times a mean distance, the objective has many
    local optima, and the spectral form was run.  Of that form it is guessed that the second term is the one
    of locally linear embedding, that unit covariance keeps y from collapsing, that lam is 1, that the map of
    x is free and that y has as many features as x.  Here the window's mean distance is the
    root of the mean squared one.  The second term runs over the edges of the neighbour graph, with weights
    ``exp(-d_e^2 / mean d^2)``.  The start is b = 0, so that the optimum is the one next to the samples as
    they are.

    Cannot-links are not used, and weights of must-links multiply their terms.  Without must-links no sample
    moves.

    Cost O(n k d) for an iteration, after the neighbour search.

    References
    ----------
    .. [1] H. Chang, D.-Y. Yeung, "Locally Linear Metric Adaptation with Application to Semi-Supervised
       Clustering and Image Retrieval", Pattern Recognition 39, 2006. doi:10.1016/j.patcog.2005.12.012

    Examples
    --------
    >>> from cscluster import LLMA
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> Y = LLMA(n_neighbors=2).fit(X, constraints=[(0, 1, "must")]).transform(X)
    >>> bool(abs(Y[0] - Y[1]).max() < 4)
    True
    """

    version = 2

    solver: str = parameter(
        "majorisation",
        "'majorisation' descends in J from the samples as they are. 'spectral' solves the spectral form by "
        "one eigendecomposition",
        Choice("majorisation", "spectral"),
        published="spectral",
        why="the spectral form, which baghshah2010 ran, gives all directions the same variance",
    )
    beta: float = parameter(
        0.5, "window w in units of the root mean squared distance between samples", Real(0, open_low=True)
    )
    lam: float = parameter(
        1.0, "weight of the second term, which keeps the neighbourhoods' shape", Real(0, open_low=True)
    )
    n_neighbors: int = parameter(10, "neighbours of a sample in the graph", Integer(1))
    max_iter: int = parameter(100, "iteration limit", Integer(1))
    tol: float = parameter(1e-3, "relative fall of the objective that counts as none", Real(0))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Learn the translations from the must-links.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        self.landmarks_ = X[np.unique(constraints.must_links)]
        require_memory("LLMA", (3, len(X), len(self.landmarks_)), "use RCA")
        self.window_ = self.beta * float(np.sqrt(mean_squared_distance(X)))
        if self.window_ == 0:
            raise DataError("LLMA cannot use these samples: all coincide.")
        if not len(self.landmarks_):
            self._warn_prior("must-links")
            self.translations_ = self.landmarks_
            self.components_, self.offset_ = np.eye(X.shape[1]), np.zeros(X.shape[1])
            return self
        return (self._fit_spectral if self.solver == "spectral" else self._majorise)(X, constraints)

    def _majorise(self, X: FloatArray, constraints: Constraints) -> Self:
        """Descend in J from the samples as they are."""
        Pi = self._mix(X)
        n, k = len(X), self.n_neighbors
        edges = of_samples(X, ("edges", k), lambda: neighbour_edges(X, k))
        d = lengths(X, edges)
        N = gaussian_weights(d**2, float(np.mean(d**2)))
        N /= N.sum()
        pull = constraints.must_weights / constraints.must_weights.sum()
        U = laplacian(constraints.must_links, pull, n)
        A = U + self.lam * laplacian(edges, N, n)
        A_Pi = A @ Pi
        inverse = np.linalg.pinv(Pi.T @ A_Pi, rcond=_FLAT, hermitian=True)

        def objective(Y: FloatArray) -> float:
            stress = N @ (lengths(Y, edges) - d) ** 2
            return float(pull @ lengths(Y, constraints.must_links) ** 2 + self.lam * stress)

        B, Y = np.zeros_like(self.landmarks_), X
        history = [objective(Y)]
        for _ in range(self.max_iter):
            q = lengths(Y, edges)
            C = laplacian(edges, np.divide(N * d, q, out=np.zeros_like(q), where=q > 0), n)
            B = inverse @ (self.lam * (C @ Pi).T @ Y - A_Pi.T @ X)
            Y = X + Pi @ B
            history.append(objective(Y))
            self.converged_ = history[-2] - history[-1] <= self.tol * history[-2]
            if self.converged_:
                break
        self.translations_ = B
        self.objective_ = np.array(history[1:])
        self.n_iter_ = len(self.objective_)
        return self

    def _fit_spectral(self, X: FloatArray, constraints: Constraints) -> Self:
        """Solve the spectral form."""
        F = np.hstack([X, self._mix(X)])
        self.offset_ = F.mean(axis=0)
        F -= self.offset_
        pull = constraints.must_weights / constraints.must_weights.sum()
        k = self.n_neighbors
        weights = of_samples(X, ("LLE", k), lambda: reconstruction_weights(X, k))
        E = reconstruction_scatter(F, weights) / len(X)
        S = pair_scatter(F, constraints.must_links, pull) + self.lam * E
        self.components_, cost = flattest_map(F, S, X.shape[1])
        self.objective_ = np.array([cost])
        self.n_iter_, self.converged_ = 1, True
        return self

    @property
    def _n_features_out(self) -> int:
        return self.components_.shape[1] if self.solver == "spectral" else self.landmarks_.shape[1]

    def transform(self, X: Samples) -> FloatArray:
        """Move samples, new ones among them."""
        X = self._validate_new(X)
        if self.solver == "spectral":
            return (np.hstack([X, self._mix(X)]) - self.offset_) @ self.components_
        return X + self._mix(X) @ self.translations_

    def _mix(self, X: FloatArray) -> FloatArray:
        """Return how much of each translation a sample moves by."""
        return Kernel("gaussian", np.sqrt(2) * self.window_)(X, self.landmarks_)
