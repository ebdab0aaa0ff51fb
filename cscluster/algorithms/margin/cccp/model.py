"""What the linear margin clusterers share: coordinates, the model, prediction."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.decomposition import KernelPCA

from cscluster.algorithms.base import FloatArray, IntArray, Samples, SeededClusterer, dense
from cscluster.algorithms.cost import Cost, kernel_matrix
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.joint import joint_labels
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.margin.cccp.cccp import Run, Solve
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.dual_ascent import dual_ascent
from cscluster.algorithms.margin.cccp.starts import kmeans_scores, projected_starts
from cscluster.algorithms.margin.cccp.subgradient import subgradient
from cscluster.algorithms.parameters import Boolean, Choice, Integer, Null, Real, parameter
from cscluster.algorithms.shared import once
from cscluster.constraints import Constraints
from cscluster.errors import DataError, warn
from cscluster.words import plural

_MARGINS_PER_LINK = 2.0
_LAM_OF_SCALE = 1e-3
"""The weight of the norm over the mean squared distance of a sample from the mean."""
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
    lam: float | None = parameter(
        1.0,
        "lambda, the weight of the norm of W against the losses: a large one asks for a wide margin, a small "
        "one for few losses (broken links, samples between clusters); its scale goes with the square of the "
        "features' scale; 0.001 times the mean squared distance of a sample from the mean if null",
        Real(0, open_low=True),
        Null(),
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

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        return None if self.kernel == "linear" else kernel_matrix(3 * n, n, "use the linear kernel")

    def _coordinates(self, X: Samples) -> Samples:
        """Return the samples, in kernel PCA coordinates if there is a kernel, and keep their mean."""
        if np.array_equal(dense(X.max(axis=0)), dense(X.min(axis=0))):
            raise DataError("All samples are the same; there is nothing to cluster.")
        self._kernel_pca: Any = None
        if self.kernel != "linear":
            gamma = self._kernel_for(X).sigma ** -2
            self._kernel_pca = KernelPCA(
                self.n_components,
                kernel="rbf",
                gamma=gamma,
                remove_zero_eig=True,
                random_state=self.random_state,
            )
            X = self._kernel_pca.fit_transform(X)
        self._mean = np.asarray(X.mean(axis=0)).ravel()
        return X

    def _lam(self, design: Design) -> float:
        """Return the weight of the norm."""
        scale = float(design.squared_norms.mean()) - self.bias
        return _LAM_OF_SCALE * scale if self.lam is None else float(self.lam)

    def _solver(self) -> Solve:
        """Return the solver of convex problems that the parameters name; its random choices are its own."""
        if self.solver == "subgradient":
            return partial(subgradient, tol=self.step_tol, max_steps=self.max_steps)
        rng = np.random.default_rng(self.random_state).spawn(1)[0]
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
        return self._scores(X)

    def _scores(self, Z: Samples) -> FloatArray:
        """Return the scores of samples in the coordinates of the weights."""
        return np.asarray(Z @ self.coef_.T) + self.intercept_

    def predict(self, X: Samples) -> IntArray:
        """Return the cluster with the highest score for each sample."""
        return self.decision_function(X).argmax(axis=1).astype(np.int64)


class LinkedMarginClusterer(MarginClusterer):
    """A margin clusterer that learns from links.

    Attributes
    ----------
    uses_kmeans_ : bool
        Whether the scores are those of k-means.
    """

    n_finalists: int = parameter(3, "number of starts run to the end", Integer(1))
    joint: bool = parameter(
        True,
        "label linked samples together: a broken link costs two margins, and the scores, hence predict, "
        "stay as they are; else each sample has the cluster of its highest score (the papers)",
        Boolean(),
    )
    fallback: bool = parameter(
        True,
        "score by the nearest centre of k-means where the clusters of the highest score do not keep more "
        "links than those of k-means by more than there are clusters and effective features (the papers: "
        "false)",
        Boolean(),
    )

    def _design(self, Z: Samples) -> Design:
        """Return the design of the samples, which fits that differ in anything but the bias share."""

        def compute() -> Design:
            design = Design.of(Z, self._mean, self.bias)
            return design.compact() if self.solver == "dual" else design

        return once(Z, ("margin design", self.bias, self.solver), 0, compute)

    def _starts(self, Z: Samples, links: Constraints) -> list[FloatArray]:
        """Return label-free starts: those of the projections (18), and plain k-means.

        They depend on the samples, the links and the seed alone, and so are shared by fits that differ in
        anything else.
        """

        def compute() -> list[FloatArray]:
            rng = np.random.default_rng(self.random_state)
            plain = kmeans_scores(Z, self.n_clusters, rng)
            design = Design.of(Z, self._mean, bias=False)
            return [*projected_starts(design, links, self.n_clusters, rng), plain]

        arrays = (links.must_links, links.cannot_links, links.must_weights, links.cannot_weights)
        key = ("margin starts", self.n_clusters, *(array.tobytes() for array in arrays))
        return once(Z, key, self.random_state, compute)

    def _falls_back_at_once(self, Z: Samples, links: Constraints, kmeans: Reference) -> bool:
        """Tell whether k-means cannot be beaten, whatever the links teach; its scores are then taken."""
        self.uses_kmeans_ = self.fallback and kmeans.is_unbeatable(type(self).__name__, links)
        if self.uses_kmeans_:
            self._use_kmeans(Z, links, kmeans)
        return self.uses_kmeans_

    def _settle(self, Z: Samples, links: Constraints, kmeans: Reference) -> None:
        """Fall back to k-means where the links give no reason not to; label linked samples together."""
        S = self._scores(Z)
        labels = S.argmax(axis=1).astype(np.int64)
        self.uses_kmeans_ = self.fallback and not kmeans.is_beaten_by(type(self).__name__, links, labels)
        if self.uses_kmeans_:
            self._use_kmeans(Z, links, kmeans)
        elif self.joint:
            self.labels_ = joint_labels(S.max(axis=1, keepdims=True) - S, links, _MARGINS_PER_LINK)

    def _without_links(self, Z: Samples, links: Constraints, kmeans: Reference) -> Self:
        """Be k-means: nothing else keeps the samples out of one cluster."""
        warn(f"{type(self).__name__} has too few links to go by; k-means is used instead.")
        self.uses_kmeans_ = True
        self._use_kmeans(Z, links, kmeans)
        return self

    def _use_kmeans(self, Z: Samples, links: Constraints, reference: Reference) -> None:
        """Score ``c @ z - ||c||^2 / 2`` with the centres c of k-means."""
        kmeans = reference.kmeans
        centers = kmeans.cluster_centers_
        self.coef_, self.intercept_ = centers, -0.5 * (centers**2).sum(axis=1)
        self.labels_ = kmeans.labels_
        self.n_iter_, self.converged_, self.objective_ = kmeans.n_iter_, kmeans.converged_, kmeans.objective_
        self.n_steps_, self.gap_ = np.zeros(1, dtype=np.int64), np.inf
        if self.joint:
            self.labels_ = reference.linked_labels(links)


def warn_of_contradictions(owner: str, links: Constraints) -> None:
    """Say how many cannot-links the must-links contradict; soft methods weigh them."""
    count = len(links.contradictions)
    if count:
        contradicted = plural(count, "cannot-link")
        warn(f"Must-links contradict {contradicted}; {owner} treats links as soft and breaks some.")
