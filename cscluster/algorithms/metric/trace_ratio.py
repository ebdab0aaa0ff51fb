"""Trace-ratio metric learning from both kinds of links and the geometry of all samples."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import FloatArray, MetricLearner, Samples
from cscluster.algorithms.cost import Cost, eigen_seconds, neighbour_seconds
from cscluster.algorithms.parameters import Choice, Integer, Null, Real, parameter
from cscluster.algorithms.shared import clock, of_samples
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, DataError, ParameterError
from cscluster.linalg import trace_ratio
from cscluster.linalg.kernels import exponential, mean_squared_distance
from cscluster.linalg.lle import reconstruction_scatter, reconstruction_weights
from cscluster.linalg.scatter import deviations, effective_dimension, link_scatter


class TraceRatio(MetricLearner):
    r"""Trace-ratio metric learning with a locally linear regulariser.

    With F the n x q matrix of the samples' features (see `map`), P the must-links, D the
    cannot-links and S the weights that rebuild each sample from its nearest neighbours, solves

    .. math:: \max_{W^T W = I} \; \frac{\mathrm{tr}(W^T S_b W)}{\mathrm{tr}(W^T (S_w + \alpha F^T E F) W)}

    .. math:: S_b = \sum_{(i,j) \in D} (f_i - f_j)(f_i - f_j)^T, \quad
              S_w = \sum_{(i,j) \in P} (f_i - f_j)(f_i - f_j)^T, \quad E = (I - S)^T (I - S)

    and maps a sample to :math:`W^T f`.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, q)
        The map W, transposed.
    varying_ : ndarray of shape (q,)
        The features that are not constant; for a linear map only.
    landmarks_ : ndarray of shape (m or n, n_features_in_)
        The samples that neighbourhood functions sit on; not for a linear map.
    window_ : float
        The window in use; not for a linear map.
    objective_ : ndarray
        The ratio after each iteration, infinite where W lies in the null space of the denominator.
    n_iter_, converged_ : int, bool
        Iterations of the trace-ratio solver and whether it came to rest.
    offline_seconds_ : float
        Time of the weights S, which no link changes.

    Notes
    -----
    Readings taken.  The regulariser of (18) and of Table 3 is printed without E, and step 4 of Table 3
    with S_b for S_w; here it is (8) with ``Y = V^T Pi``.  The default window is built from squared
    distances and divides a distance, as printed.  Weights of links multiply their terms.

    A linear map leaves constant features out; they do count in the default ``d' = d / 2``, as in the
    paper.  Where d' does not exceed the dimension of the denominator's null space (alpha = 0 and few
    must-links), the ratio is infinite and W maximises the numerator there; directions that no link
    touches are then undetermined and those of largest variance are taken, so that results do not hang
    on the linear algebra library.

    Cannot-links are needed.  Must-links are needed for ``nonlinear``, and for ``alpha=0`` to be more
    than principal components of the cannot-links' differences.

    The non-linear map was the better one where no straight line parts the classes, and rarely worse.

    Cost: neighbour search, O(n q^2) for the scatter matrices, and five to eight symmetric
    eigendecompositions of size q.

    References
    ----------
    .. [1] M. Soleymani Baghshah, S. Bagheri Shouraki, "Non-linear Metric Learning Using Pairwise
       Similarity and Dissimilarity Constraints and the Geometrical Structure of Data", Pattern
       Recognition 43, 2010: (6)-(8), (11), (18), (25). doi:10.1016/j.patcog.2010.02.022
    .. [2] S. Xiang, F. Nie, C. Zhang, "Learning a Mahalanobis Distance Metric for Data Clustering and
       Classification", Pattern Recognition 41, 2008. doi:10.1016/j.patcog.2008.05.018

    Examples
    --------
    >>> from cscluster import TraceRatio, Constraints
    >>> X = [[0.0, 0.0], [0.1, 4.0], [3.0, 0.0], [3.1, 4.0]]
    >>> links = Constraints([(0, 1), (2, 3)], [(0, 3)], n_samples=4)
    >>> model = TraceRatio(n_neighbors=2).fit(X, links)
    >>> float(abs(model.components_[0, 0]).round(1))
    1.0
    """

    version = 3

    map: str = parameter(
        "linear",
        "the features. 'linear': the sample itself. 'nonlinear': exponential neighbourhood functions "
        "exp(-||x - x_r|| / w) around the m samples that must-links touch. 'kernel': the same around all n "
        "samples, an n x n problem that fits more freely",
        Choice("linear", "nonlinear", "kernel"),
    )
    alpha: float = parameter(
        0.2,
        "weight of the locally linear regulariser; with 0 and a linear map this is the method of Xiang et "
        "al.",
        Real(0),
    )
    n_components: Any = parameter(
        None,
        "dimensions d' of the learned space, below the number q of features (with d' = q a linear map would "
        "change no distance); half of the features if null. 'nullity': one more than the null space of the "
        "denominator has, which is what the code of Xiang et al. takes unless told otherwise",
        Integer(1),
        Choice("nullity"),
        Null(),
    )
    n_neighbors: int = parameter(10, "neighbours k that rebuild a sample", Integer(1))
    shrinkage: float | None = parameter(
        None,
        "null: in a linear map the features' own variances count as e q / |D| further cannot-links and "
        "e q / |P| must-links, with e the effective number of features, so that few change little; zero "
        "is the method as published",
        Real(0, 0),
        Null(),
    )
    window: float | None = parameter(
        None,
        "the window w; the mean squared distance between samples if null",
        Real(0, open_low=True),
        Null(),
    )
    tol: float = parameter(
        1e-5,
        "relative change of the ratio that counts as none; the ratio is then exact to about its square",
        Real(0),
    )
    max_iter: int = parameter(100, "iteration limit of the trace-ratio solver", Integer(1))

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        q = {"linear": d, "nonlinear": len(np.unique(links.must_links)), "kernel": n}[self.map]
        search = neighbour_seconds(n, d) if self.alpha > 0 else 0.0
        held = 0.0 if self.map == "linear" else 24.0 * n * q
        advice = "use rca" if self.alpha == 0 else "use rca or xiang, which need no neighbours"
        return Cost(advice, search + 16 * eigen_seconds(q) + 1e-10 * n * q * q, held)

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Learn the map."""
        X, constraints = self._validate(X, constraints)
        if not len(constraints.cannot_links):
            raise ConstraintError("TraceRatio needs cannot-links, got none.")
        if self.map == "linear":
            self.varying_ = np.flatnonzero(deviations(X)[0])
        else:
            self.landmarks_ = self._landmarks(X, constraints)
            self.window_ = self.window or mean_squared_distance(X)
            if self.window_ == 0:
                raise DataError("TraceRatio cannot use these samples: all coincide.")
        F = self._features(X)
        q = F.shape[1]
        if self.n_components not in (None, "nullity") and self.n_components >= max(q, 2):
            raise ParameterError(
                f"'n_components' of TraceRatio must be smaller than the {q} features of the "
                f"{self.map} map, got {self.n_components}."
            )
        S_b = link_scatter(F, constraints.cannot_links, constraints.cannot_weights)
        if not S_b.any():
            raise ConstraintError("TraceRatio cannot use these cannot-links: the samples they part coincide.")
        S_w = link_scatter(F, constraints.must_links, constraints.must_weights)
        self.offline_seconds_ = 0.0
        if self.alpha > 0:
            begin = clock()
            S = of_samples(X, ("LLE", self.n_neighbors), lambda: reconstruction_weights(X, self.n_neighbors))
            self.offline_seconds_ = clock() - begin
            S_w += self.alpha * reconstruction_scatter(F, S)
        if self.shrinkage is None and self.map == "linear":
            dimension = effective_dimension(F / deviations(F)[1])
            for S, count in ((S_b, len(constraints.cannot_links)), (S_w, len(constraints.must_links))):
                S += dimension * q / max(count, 1) * np.diag(2 * F.var(axis=0))
        r = self._dimensions(S_b, S_w, X.shape[1])
        solution = trace_ratio.newton(S_b, S_w, r, F, tol=self.tol, max_iter=self.max_iter)
        self.components_ = solution.W.T
        self.objective_ = solution.ratios
        self.n_iter_ = len(solution.ratios)
        self.converged_ = solution.converged
        return self

    def _dimensions(self, S_b: FloatArray, S_w: FloatArray, d: int) -> int:
        """Return d', for samples of d features."""
        q = len(S_b)
        if self.n_components == "nullity":
            wanted = trace_ratio.nullity(S_b, S_w) + 1
        else:
            wanted = self.n_components or (d if self.map == "linear" else q) // 2
        return max(1, min(wanted, q - 1))

    def transform(self, X: Samples) -> FloatArray:
        """Map samples, new ones among them, to the learned space."""
        return self._features(self._validate_new(X)) @ self.components_.T

    def _landmarks(self, X: FloatArray, constraints: Constraints) -> FloatArray:
        """Return the samples that neighbourhood functions sit on."""
        if self.map == "kernel":
            return X
        if not len(constraints.must_links):
            raise ConstraintError("TraceRatio with the nonlinear map needs must-links, got none.")
        return X[np.unique(constraints.must_links)]

    def _features(self, X: FloatArray) -> FloatArray:
        """Return F: the varying features of the samples, or their neighbourhood functions."""
        if self.map == "linear":
            return X[:, self.varying_]
        return exponential(X, self.landmarks_, self.window_)
