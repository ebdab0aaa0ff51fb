"""What the linear margin clusterers share: coordinates, the model, prediction."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import KernelPCA

from cscluster.algorithms.base import FloatArray, IntArray, Samples, SeededClusterer, dense
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.margin.cccp.cccp import Run, Solve
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.dual_ascent import dual_ascent
from cscluster.algorithms.margin.cccp.subgradient import subgradient
from cscluster.algorithms.parameters import Boolean, Choice, Integer, Null, Real, parameter
from cscluster.constraints import Constraints
from cscluster.errors import DataError, warn

GAIN_TOL = 0.1
"""CCCP moves on once the duality gap is this share of what the convex problem has gained."""


class MarginClusterer(KernelEstimator, SeededClusterer):
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
    lam: float = parameter(
        1.0,
        "weight of the norm; its scale goes with the square of the features' scale",
        Real(0, open_low=True),
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
        None, "leading kernel PCA coordinates to keep; all if null", Integer(1), Null()
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

    def _design(self, X: Samples) -> Design:
        """Return the centred samples, in kernel PCA coordinates if there is a kernel."""
        if np.array_equal(dense(X.max(axis=0)), dense(X.min(axis=0))):
            raise DataError("All samples are the same; there is nothing to cluster.")
        self._kernel_pca: Any = None
        if self.kernel != "linear":
            gamma = self._kernel_for(X).sigma ** -2
            self._kernel_pca = KernelPCA(self.n_components, kernel="rbf", gamma=gamma, remove_zero_eig=True)
            X = self._kernel_pca.fit_transform(X)
        self._mean = np.asarray(X.mean(axis=0)).ravel()
        return Design.of(X, self._mean, self.bias)

    def _solver(self, rng: np.random.Generator) -> Solve:
        """Return the solver of convex problems that the parameters name."""
        if self.solver == "subgradient":
            return partial(subgradient, tol=self.step_tol, max_steps=self.max_steps)
        return partial(dual_ascent, rng=rng, tol=self.gap_tol, max_steps=self.max_steps, gain_tol=GAIN_TOL)

    def _store(self, design: Design, run: Run) -> None:
        """Set the fitted attributes."""
        W = design.original(run.solution.W)
        d = len(self._mean)
        self.coef_ = W[:, :d]
        self.intercept_ = (W[:, d] if self.bias else 0.0) - self.coef_ @ self._mean
        self.labels_ = run.solution.S.argmax(axis=1).astype(np.int64)
        self.objective_ = np.array(run.history)
        self.n_steps_ = np.array(run.n_steps, dtype=np.int64)
        self.n_iter_ = len(run.history)
        self.gap_ = run.solution.gap
        self.converged_ = run.converged

    def decision_function(self, X: Samples) -> FloatArray:
        """Return the scores of samples, shape (n_samples, n_clusters)."""
        X = self._validate_new(X)
        if self._kernel_pca is not None:
            X = self._kernel_pca.transform(X)
        return np.asarray(X @ self.coef_.T) + self.intercept_

    def predict(self, X: Samples) -> IntArray:
        """Return the cluster with the highest score for each sample."""
        return self.decision_function(X).argmax(axis=1).astype(np.int64)


def warn_of_contradictions(owner: str, links: Constraints) -> None:
    """Say how many cannot-links the must-links contradict; soft methods weigh them."""
    count = len(links.contradictions)
    if count:
        warn(f"{count} cannot-links contradict the must-links; {owner} treats links as soft and breaks some.")
