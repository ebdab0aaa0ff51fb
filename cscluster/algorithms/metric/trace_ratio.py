"""Trace-ratio metric learning from both kinds of constraints and the geometry of all samples."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import FloatArray, MetricLearner, Samples
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.algorithms.shared import clock, of_samples
from cscluster.arrays import require_memory
from cscluster.errors import DataError, ParameterError
from cscluster.linalg import trace_ratio
from cscluster.linalg.kernels import exponential, mean_squared_distance
from cscluster.linalg.lle import reconstruction_scatter, reconstruction_weights
from cscluster.linalg.scatter import deviations, effective_dimension, pair_scatter


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
    map_ : str
        The map in use, linear where constraints are missing.
    varying_ : ndarray of int
        The features that are not constant.
    landmarks_ : ndarray of shape (m or n, n_features_in_)
        The samples that neighbourhood functions sit on (not for a linear map).
    window_ : float
        The window in use (not for a linear map).
    objective_ : ndarray
        The ratio after each iteration, infinite where W lies in the null space of the denominator.
    n_iter_, converged_ : int, bool
        Iterations of the trace-ratio solver and whether it came to rest.
    offline_seconds_ : float
        Time of the weights S, which do not depend on the constraints.

    Notes
    -----
    Readings taken.  The regulariser of (18) and of Table 3 is printed without E, and step 4 of Table 3
    with S_b for S_w.  Here it is (8) with ``Y = V^T Pi``.  The window 'auto' is built from squared
    distances and divides a distance, as published.  `trace_ratio_nonlinear` takes 'standardised' by default.
    Weights of constraints multiply their terms.

    A linear map leaves constant features out.  They do count in the default ``d' = d / 2``, as in the
    paper.  Where d' does not exceed the dimension of the denominator's null space (alpha = 0 and few
    must-links), the ratio is infinite and W maximises the numerator there.  Directions in which no
    constrained pair differs are then undetermined and those of largest variance are taken, so that results
    do not hang on the linear algebra library.

    Without cannot-links between samples that differ, and for ``nonlinear`` without must-links, the samples
    stay as they are.

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
    >>> from cscluster import TraceRatio
    >>> X = [[0.0, 0.0], [0.1, 4.0], [3.0, 0.0], [3.1, 4.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (0, 3, "cannot")]
    >>> model = TraceRatio(n_neighbors=2).fit(X, constraints=constraints)
    >>> float(abs(model.components_[0, 0]).round(1))
    1.0
    """

    version = 3

    map: str = parameter(
        "linear",
        "the features. 'linear': the sample itself. 'nonlinear': exponential neighbourhood functions "
        "exp(-||x - x_r|| / w) around the m must-linked samples. 'kernel': the same around all n "
        "samples, an n x n problem that fits more freely",
        Choice("linear", "nonlinear", "kernel"),
    )
    alpha: float = parameter(
        0.2,
        "weight of the locally linear regulariser. With 0 and a linear map this is the method of Xiang et "
        "al.",
        Real(0),
    )
    n_components: Any = parameter(
        "auto",
        "dimensions d' of the learned space, below the number q of features (with d' = q a linear map would "
        "change no distance). 'auto': half of the features. 'nullity': one more than the null space of the "
        "denominator has, which is what the code of Xiang et al. takes by default",
        Integer(1),
        Choice("auto", "nullity"),
    )
    n_neighbors: int = parameter(10, "neighbours k that rebuild a sample", Integer(1))
    shrinkage: float | str = parameter(
        "auto",
        "tau: in a linear map the features' own variances count as tau q further constraints of each kind. "
        "'auto': tau is the effective number of features over the number of constraints of the kind",
        Real(0),
        Choice("auto"),
        published=0.0,
        why="few constraints do not determine a map. The variances count less with more constraints",
    )
    window: float | str = parameter(
        "auto",
        "the window w. 'auto': the mean squared distance between samples, as published. It depends on the "
        "features' unit. 'standardised': the root of 2 q times that mean, q the number of features that "
        "vary. It does not depend on the unit, and is the same for standardised features",
        Real(0, open_low=True),
        Choice("auto", "standardised"),
    )
    tol: float = parameter(
        1e-5,
        "relative change of the ratio that counts as none. The ratio is then exact to about its square",
        Real(0),
    )
    max_iter: int = parameter(100, "iteration limit of the trace-ratio solver", Integer(1))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Learn the map.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        must, cannot = constraints.must_links, constraints.cannot_links
        self.map_, self.offline_seconds_ = self.map, 0.0
        self.varying_ = np.flatnonzero(deviations(X)[0])
        if not len(self.varying_):
            raise DataError("TraceRatio cannot use these samples: all coincide.")
        if self.map != "linear":
            self.landmarks_ = X if self.map == "kernel" else X[np.unique(must)]
            self.window_ = self._window(X)
            require_memory("TraceRatio", (3, len(X), len(self.landmarks_)), "use the linear map")
            if not len(self.landmarks_):
                return self._set_prior("must-links, which the nonlinear map needs")
        F = self._features(X)
        S_b = pair_scatter(F, cannot, constraints.cannot_weights)
        if not S_b.any():
            return self._set_prior("cannot-links between samples that differ")
        S_w = pair_scatter(F, must, constraints.must_weights)
        if self.alpha > 0:
            begin = clock()
            S = of_samples(X, ("LLE", self.n_neighbors), lambda: reconstruction_weights(X, self.n_neighbors))
            self.offline_seconds_ = clock() - begin
            S_w += self.alpha * reconstruction_scatter(F, S)
        if self.map == "linear" and self.shrinkage != 0:
            variances, e = np.diag(2 * F.var(axis=0)), effective_dimension(F / F.std(axis=0))
            for S, count in ((S_b, len(cannot)), (S_w, len(must))):
                tau = e / max(count, 1) if self.shrinkage == "auto" else float(self.shrinkage)
                S += tau * F.shape[1] * variances
        r = self._dimensions(S_w, X.shape[1])
        solution = trace_ratio.newton(S_b, S_w, r, F, tol=self.tol, max_iter=self.max_iter)
        self.components_ = solution.W.T
        self.objective_ = solution.ratios
        self.n_iter_ = len(solution.ratios)
        self.converged_ = solution.converged
        return self

    def _window(self, X: FloatArray) -> float:
        """Return the window w."""
        if not isinstance(self.window, str):
            return float(self.window)
        squared = mean_squared_distance(X)
        return squared if self.window == "auto" else float(np.sqrt(2 * len(self.varying_) * squared))

    def _set_prior(self, missing: str) -> Self:
        """Leave the samples as they are."""
        self._warn_prior(missing)
        self.map_, self.components_ = "linear", np.eye(len(self.varying_))
        return self

    def _dimensions(self, S_w: FloatArray, d: int) -> int:
        """Return d', for samples of d features."""
        q = len(S_w)
        if self.n_components == "nullity":
            r = trace_ratio.nullity(S_w) + 1
        elif self.n_components == "auto":
            r = (d if self.map == "linear" else q) // 2
        elif self.n_components < max(q, 2):
            r = self.n_components
        else:
            raise ParameterError(
                f"'n_components' of TraceRatio must be smaller than the {q} features of the "
                f"{self.map} map, got {self.n_components}."
            )
        return max(1, min(r, q - 1))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def transform(self, X: Samples) -> FloatArray:
        """Map samples, new ones among them, to the learned space."""
        return self._features(self._validate_new(X)) @ self.components_.T

    def _features(self, X: FloatArray) -> FloatArray:
        """Return F: the varying features of the samples, or their neighbourhood functions."""
        if self.map_ == "linear":
            return X[:, self.varying_]
        return exponential(X, self.landmarks_, self.window_)
