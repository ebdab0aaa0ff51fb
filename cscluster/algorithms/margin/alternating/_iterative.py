"""The estimator behind iterSVM, iterSVR and iterLS-SVM."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples, dense
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.margin.alternating._alternating import AlternatingRun, Learner, alternate
from cscluster.algorithms.margin.alternating._recursive import Split, choose_cluster, follow, probabilities
from cscluster.algorithms.parameters import Array, Choice, Integer, Null, Real, parameter
from cscluster.algorithms.partition._seeding import far_pair
from cscluster.algorithms.spectral.normalized_cut import NormalizedCut
from cscluster.errors import ParameterError
from cscluster.linalg.kernels import Kernel

_SEEDS = {"kmeans": "k-means++", "random_kmeans": "random"}


class IterativeMarginClusterer(KernelEstimator, Clusterer):
    """Maximum margin clustering by alternating optimisation; subclasses supply the learner."""

    accepts_sparse = True

    n_clusters: int = parameter(
        2, "number of clusters. More than two are found by splitting recursively", Integer(1)
    )
    C: float = parameter(10.0, "weight of the loss", Real(0, open_low=True))
    sigma: float = 8.0
    balance: float = parameter(
        0.15, "largest deviation of the positive share from one half, in each split", Real(0, 0.5)
    )
    init: Any = parameter(
        "kmeans",
        "initial labels. 'kmeans' has seeds by k-means++, 'random_kmeans' random ones, and 'far_kmeans' two "
        "random ones that are far from each other",
        Choice("kmeans", "random_kmeans", "far_kmeans", "random", "normalized_cut"),
        Array("two labels for the samples"),
    )
    init_sigma: float | str = parameter(
        "sigma",
        "sigma of the initial normalized cut ('sigma': that of the kernel)",
        Real(0, open_low=True),
        Choice("sigma"),
    )
    n_starts: int = parameter(
        10,
        "k-means starts for each initial labelling. The lowest inertia is taken",
        Integer(1),
        published=1,
        why="a single start may end in a poor local minimum of k-means",
    )
    n_init: int = parameter(1, "restarts of the procedure. The lowest objective wins", Integer(1))
    max_iter: int = parameter(100, "iteration limit of a restart", Integer(1))

    @abstractmethod
    def _learner(self, kernel: Kernel, X: Samples, rng: np.random.Generator) -> Learner:
        """Return the learner for samples."""

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  Constraints are not used.

        The parameters are those of `ConstrainedEstimator.fit`.
        """
        X, _ = self._validate(X, y, constraints)
        rng = np.random.default_rng(self._seed)
        kernel = self._kernel_for(X)
        labels = np.zeros(X.shape[0], dtype=np.int64)
        runs: list[AlternatingRun] = []
        self._splits: list[Split] = []
        for new in range(1, self.n_clusters):
            cluster = choose_cluster(X, labels)
            members = np.flatnonzero(labels == cluster)
            learner = self._learner(kernel, X[members], rng)
            run = self._best_run(learner, X[members], rng)
            _, signs, (coefficients, bias) = run.result()
            labels[members[signs > 0]] = new
            self._splits.append(Split(cluster, learner.basis, coefficients, bias))
            runs.append(run)
        self.cycle_length_ = max((run.cycle_length for run in runs), default=1)
        objective = [value for run in runs for value in run.objective]
        converged = all(run.cycle_length > 0 for run in runs)
        return self._set_partition(labels, objective=objective, n_iter=len(objective), converged=converged)

    def predict(self, X: Samples) -> IntArray:
        """Return the clusters of new samples: the sign of ``w^T phi(x) + b``, split by split."""
        X = self._validate_new(X)
        return follow(self._splits, X)

    def predict_proba(self, X: Samples) -> FloatArray:
        """Return the probabilities of the clusters, shape (n_samples, n_clusters).  They are not calibrated.

        Each split sends a sample to its positive side with the probability that the logistic function gives
        to ``w^T phi(x) + b``.
        """
        X = self._validate_new(X)
        return probabilities(self._splits, X)

    def _best_run(self, learner: Learner, X: Samples, rng: np.random.Generator) -> AlternatingRun:
        """Run all restarts and return the one with the lowest objective."""
        starts = np.column_stack([self._start(X, rng) for _ in range(self.n_init)])
        starts = np.unique(starts * starts[0], axis=1)  # equal up to the sign is equal
        runs = alternate(learner, starts, self.balance, self.max_iter)
        return min(runs, key=lambda run: run.result()[0])

    def _start(self, X: Samples, rng: np.random.Generator) -> FloatArray:
        """Return initial labels; random ones where the rule leaves one cluster."""
        y = self._initial_labels(X, rng)
        if np.ptp(y) == 0:
            y = rng.permutation(np.where(np.arange(len(y)) % 2, 1.0, -1.0))
        return y

    def _initial_labels(self, X: Samples, rng: np.random.Generator) -> FloatArray:
        """Return labels 1 and -1 by the rule that `init` names."""
        n, seed = X.shape[0], int(rng.integers(2**31))
        if not isinstance(self.init, str):
            return self._given_labels(n)
        if self.init == "random":
            labels = rng.permutation(np.append([0, 1], rng.integers(2, size=n - 2)))
        elif self.init == "far_kmeans":
            centers = dense(X[far_pair(X, 2, rng)])
            labels = sklearn.cluster.KMeans(2, n_init=1, init=centers).fit(X).labels_
        elif self.init in _SEEDS:
            options = {"n_init": self.n_starts, "init": _SEEDS[self.init], "random_state": seed}
            labels = sklearn.cluster.KMeans(2, **options).fit(X).labels_
        else:
            cut = NormalizedCut(
                sigma=self.sigma if isinstance(self.init_sigma, str) else self.init_sigma,
                sigma_unit=self.sigma_unit,
                split="zero",
                n_landmarks=getattr(self, "n_landmarks", None),
                random_state=seed,
            )
            labels = cut.fit(X).labels_
        return np.where(labels == 1, 1.0, -1.0)

    def _given_labels(self, n: int) -> FloatArray:
        values, codes = np.unique(np.asarray(self.init), return_inverse=True)
        if self.n_clusters != 2 or len(values) != 2 or codes.shape != (n,):
            raise ParameterError(
                f"Labels as 'init' of {type(self).__name__} must be {n} values of two kinds, "
                f"got {codes.size} of {len(values)} kinds for {self.n_clusters} clusters."
            )
        return np.where(codes == 1, 1.0, -1.0)


def landmarks_parameter() -> Any:
    """Declare `n_landmarks`, for data too large for a kernel matrix."""
    return parameter(
        None,
        "random samples whose Nyström features stand in for the kernel, for data too large for a kernel "
        "matrix (null: the exact kernel)",
        Integer(1),
        Null(),
    )
