"""What the linear margin clusterers share: coordinates, the model, prediction."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.decomposition import KernelPCA

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples, feature_range
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.margin.cccp.cccp import Run, Solve
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.dual_ascent import dual_ascent
from cscluster.algorithms.margin.cccp.starts import candidate_starts
from cscluster.algorithms.margin.cccp.subgradient import subgradient
from cscluster.algorithms.parameters import Boolean, Choice, Integer, Null, Real, parameter
from cscluster.algorithms.shared import of_samples, once
from cscluster.arrays import require_memory
from cscluster.constraints import Constraints
from cscluster.errors import DataError

_LAM_OF_SCALE = 1e-3
"""The weight of the norm over the mean squared distance of a sample from the mean."""
GAIN_TOL = 0.1
"""CCCP moves on once the duality gap is this share of what the convex problem has gained."""


class MarginClusterer(KernelEstimator, Clusterer):
    """A clusterer whose labels are the highest of linear scores.

    Attributes
    ----------
    coef_ : ndarray of shape (n_clusters, n_features)
        The weights W; in kernel PCA coordinates if the kernel is not linear.
    intercept_ : ndarray of shape (n_clusters,)
        Constant terms: minus the scores of the mean, plus the bias if there is one.
    n_steps_ : ndarray of int
        Steps of the convex solver in each CCCP iteration.
    gap_ : float
        Certified bound on the distance of the last convex problem from its optimum; infinite for
        a solver that certifies nothing.
    """

    accepts_sparse = True

    n_clusters: int = parameter(2, "number of clusters", Integer(2))
    lam: float | str = parameter(
        1.0,
        "lambda, the weight of the norm of W against the losses. A large value asks for a wide margin, a "
        "small one for few losses (violated constraints, samples between clusters). It scales with the "
        "square of the features. 'auto' is 0.001 times the mean squared distance of a sample from the mean",
        Real(0, open_low=True),
        Choice("auto"),
    )
    solver: str = parameter(
        "dual",
        "solver of the convex problems: 'dual' certifies the gap of each, 'subgradient' is Algorithm 2 of "
        "zeng2012",
        Choice("dual", "subgradient"),
    )
    bias: bool = parameter(
        False, "whether scores have a constant term, which costs like the other weights", Boolean()
    )
    kernel: str = "linear"
    n_components: int | None = parameter(
        None, "leading kernel PCA coordinates to keep (null: all)", Integer(1), Null()
    )
    tol: float = parameter(
        0.01, "relative fall of the objective that ends CCCP (the eps1 of zeng2012)", Real(0)
    )
    gap_tol: float = parameter(1e-3, "relative duality gap at which 'dual' ends", Real(0, open_low=True))
    step_tol: float = parameter(
        0.01, "relative change of W at which 'subgradient' ends (the eps2 of zeng2012)", Real(0)
    )
    max_iter: int = parameter(50, "limit of CCCP iterations", Integer(1))
    max_steps: int = parameter(10_000, "limit of the solver's steps in a convex problem", Integer(1))

    def _coordinates(self, X: Samples) -> Samples:
        """Return the samples, in kernel PCA coordinates if there is a kernel, and set their mean."""
        if np.array_equal(*feature_range(X)):
            raise DataError("All samples are the same. There is nothing to cluster.")
        self._kernel_pca: Any = None
        if self.kernel != "linear":
            require_memory(type(self).__name__, (X.shape[0], X.shape[0]), "use the linear kernel")
            self._kernel_pca = KernelPCA(
                self.n_components,
                kernel="rbf",
                gamma=self._kernel_for(X).sigma ** -2,
                remove_zero_eig=True,
                random_state=self._seed,
            )
            X = self._kernel_pca.fit_transform(X)
        self._mean = of_samples(X, ("mean",), lambda: np.asarray(X.mean(axis=0)).ravel())
        return X

    def _design(self, Z: Samples) -> Design:
        """Return the design of the samples, which fits that differ in anything but the bias share."""

        def compute() -> Design:
            design = Design.of(Z, self._mean, self.bias)
            return design.compact() if self.solver == "dual" else design

        return once(Z, ("margin design", self.bias, self.solver), 0, compute)

    def _candidate_starts(self, Z: Samples, constraints: Constraints) -> list[FloatArray]:
        """Return the starts of `candidate_starts`, which fits with other parameters share."""

        def compute() -> list[FloatArray]:
            rng = np.random.default_rng(self._seed)
            return candidate_starts(Z, self._mean, constraints, self.n_clusters, rng)

        given = (constraints.pairs, constraints.is_must, constraints.weights)
        key = ("margin starts", self.n_clusters, *(array.tobytes() for array in given))
        return once(Z, key, self._seed, compute)

    def _lam(self, design: Design) -> float:
        """Return the weight of the norm."""
        if self.lam != "auto":
            return float(self.lam)
        scale = float(design.squared_norms.mean()) - self.bias
        if scale < np.finfo(float).eps:
            raise DataError(
                f"{type(self).__name__} cannot tell these samples apart, so close are they to their mean. "
                "Standardise the features."
            )
        return _LAM_OF_SCALE * scale

    def _solver(self) -> Solve:
        """Return the solver of convex problems that the parameters name; its random choices are its own."""
        if self.solver == "subgradient":
            return partial(subgradient, tol=self.step_tol, max_steps=self.max_steps)
        rng = np.random.default_rng(self._seed).spawn(1)[0]
        return partial(dual_ascent, rng=rng, tol=self.gap_tol, max_steps=self.max_steps, gain_tol=GAIN_TOL)

    def _set_run(self, design: Design, run: Run) -> Self:
        """Set the fitted attributes to where CCCP ended."""
        W = design.original(run.solution.W)
        d = len(self._mean)
        self.coef_ = W[:, :d]
        self.intercept_ = (W[:, d] if self.bias else 0.0) - self.coef_ @ self._mean
        self.n_steps_ = np.array(run.n_steps, dtype=np.int64)
        self.gap_ = run.solution.gap
        return self._set_partition(
            run.solution.S.argmax(axis=1),
            objective=run.history,
            n_iter=len(run.history),
            converged=run.converged,
        )

    def decision_function(self, X: Samples) -> FloatArray:
        """Return the scores of samples, shape (n_samples, n_clusters)."""
        X = self._validate_new(X)
        if self._kernel_pca is not None:
            X = self._kernel_pca.transform(X)
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def predict(self, X: Samples) -> IntArray:
        """Return the cluster with the highest score for each sample."""
        return self.decision_function(X).argmax(axis=1).astype(np.int64)

    def predict_proba(self, X: Samples) -> FloatArray:
        """Return the softmax of the scores, shape (n_samples, n_clusters).  It is not calibrated."""
        return softmax(self.decision_function(X), axis=1)

    def costs(self, X: Samples) -> FloatArray:
        """Return by how much each cluster's score of a sample is below the highest, shape (n_samples, K)."""
        S = self.decision_function(X)
        return S.max(axis=1, keepdims=True) - S
