"""The estimator behind iterSVM, iterSVR and iterLS-SVM."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import FloatArray, IntArray, Samples, SeededClusterer
from cscluster.algorithms.cost import Cost, kernel_matrix
from cscluster.algorithms.kernel_parameters import KernelEstimator
from cscluster.algorithms.margin.alternating._alternating import Learner, Run, alternate
from cscluster.algorithms.margin.alternating._recursive import Split, choose_cluster, follow
from cscluster.algorithms.margin.alternating._signed_groups import SignedGroups
from cscluster.algorithms.parameters import Array, Choice, Integer, Null, Real, parameter
from cscluster.algorithms.spectral.normalized_cut import NormalizedCut
from cscluster.constraints import Constraints
from cscluster.errors import ParameterError, warn
from cscluster.linalg.kernels import Kernel


class IterativeMarginClusterer(KernelEstimator, SeededClusterer):
    """Maximum margin clustering by alternating optimisation; subclasses supply the learner."""

    accepts_sparse = True
    weighs_links = False

    n_clusters: int = parameter(
        2, "number of clusters; more than two are found by splitting recursively", Integer(1)
    )
    C: float = parameter(10.0, "weight of the loss", Real(0, open_low=True))
    sigma: float = 8.0
    balance: float = parameter(
        0.15, "largest deviation of the positive share from one half, in each split", Real(0, 0.5)
    )
    init: Any = parameter(
        "kmeans",
        "initial labels",
        Choice("kmeans", "random", "normalized_cut"),
        Array("two labels for the samples"),
    )
    init_sigma: float | None = parameter(
        None, "sigma of the initial normalized cut; null: as sigma", Real(0, open_low=True), Null()
    )
    n_starts: int = parameter(
        10, "k-means starts for each initial labelling; the lowest inertia is taken", Integer(1)
    )
    n_init: int = parameter(1, "restarts of the whole procedure; the lowest objective wins", Integer(1))
    max_iter: int = parameter(100, "iteration limit of a restart", Integer(1))

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        return kernel_matrix(n, n, "use iter_svr or iter_lssvm with n_landmarks")

    @abstractmethod
    def _learner(self, kernel: Kernel, X: Samples, rng: np.random.Generator) -> Learner:
        """Return the learner for samples."""

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`; the links hold, but for cannot-links between more than two clusters."""
        X, links = self._validate(X, constraints)
        rng = np.random.default_rng(self.random_state)
        kernel = self._kernel_for(X)
        enforced = links if self.n_clusters <= 2 else Constraints(links.must_links, n_samples=X.shape[0])
        groups = SignedGroups.from_links(enforced)
        labels = np.zeros(X.shape[0], dtype=np.int64)
        runs: list[Run] = []
        self._splits: list[Split] = []
        for new in range(1, self.n_clusters):
            cluster = choose_cluster(X, labels, links, groups)
            members = np.flatnonzero(labels == cluster)
            learner = self._learner(kernel, X[members], rng)
            run = self._best_run(learner, X[members], groups.restrict(members), rng)
            _, y, (coefficients, bias) = run.result()
            labels[members[y > 0]] = new
            self._splits.append(Split(cluster, learner.basis, coefficients, bias))
            runs.append(run)
        _warn_of_broken(links, labels)
        self.labels_ = labels
        self.n_iter_ = sum(len(run.objective) for run in runs)
        self.cycle_length_ = max((run.cycle_length for run in runs), default=1)
        self.converged_ = all(run.cycle_length > 0 for run in runs)
        self.objective_ = np.array([value for run in runs for value in run.objective])
        return self

    def predict(self, X: Samples) -> IntArray:
        """Return the clusters of new samples: the sign of ``w^T phi(x) + b``, split by split."""
        X = self._validate_new(X)
        return follow(self._splits, X)

    def _best_run(self, learner: Learner, X: Samples, groups: SignedGroups, rng: np.random.Generator) -> Run:
        """Run all restarts and return the one with the lowest objective."""
        starts = np.column_stack([self._start(X, groups, rng) for _ in range(self.n_init)])
        starts = np.unique(starts * starts[0], axis=1)  # equal up to the sign is equal
        runs = alternate(learner, starts, groups, self.balance, self.max_iter)
        return min(runs, key=lambda run: run.result()[0])

    def _start(self, X: Samples, groups: SignedGroups, rng: np.random.Generator) -> FloatArray:
        """Return initial labels that keep the links; random ones where the links leave one cluster."""
        y = groups.project(self._initial_labels(X, rng))
        if np.ptp(y) == 0:
            y = groups.labels(rng.permutation(np.where(np.arange(groups.n_groups) % 2, 1.0, -1.0)))
        return y

    def _initial_labels(self, X: Samples, rng: np.random.Generator) -> FloatArray:
        """Return labels 1 and -1 by the rule that `init` names."""
        n, seed = X.shape[0], int(rng.integers(2**31))
        if not isinstance(self.init, str):
            return self._given_labels(n)
        if self.init == "random":
            labels = rng.permutation(np.append([0, 1], rng.integers(2, size=n - 2)))
        elif self.init == "kmeans":
            labels = sklearn.cluster.KMeans(2, n_init=self.n_starts, random_state=seed).fit(X).labels_
        else:
            cut = NormalizedCut(
                sigma=self.init_sigma or self.sigma,
                sigma_unit=self.sigma_unit,
                split="zero",
                n_landmarks=getattr(self, "n_landmarks", None),
                random_state=seed,
            )
            labels = cut.fit(X).labels_
        return np.where(labels == 1, 1.0, -1.0)

    def _given_labels(self, n: int) -> FloatArray:
        values, codes = np.unique(np.asarray(self.init), return_inverse=True)
        name = type(self).__name__
        if self.n_clusters != 2:
            raise ParameterError(f"Labels as 'init' of {name} need n_clusters=2, got {self.n_clusters}.")
        if len(values) != 2 or codes.shape != (n,):
            raise ParameterError(
                f"Labels as 'init' of {name} must be {n} values of two kinds, "
                f"got {codes.size} of {len(values)} kinds."
            )
        return np.where(codes == 1, 1.0, -1.0)


class LandmarkMarginClusterer(IterativeMarginClusterer):
    """The same with Nyström features for data too large for a kernel matrix."""

    n_landmarks: int | None = parameter(
        None,
        "random samples whose Nyström features stand in for the kernel, for data too large for a kernel "
        "matrix; null: the exact kernel",
        Integer(1),
        Null(),
    )

    def _cost(self, n: int, d: int, links: Constraints) -> Cost | None:
        if self.n_landmarks is None:
            return kernel_matrix(n, n, "set n_landmarks for Nyström features")
        return kernel_matrix(n, min(self.n_landmarks, n), "set fewer landmarks")


def _warn_of_broken(links: Constraints, labels: IntArray) -> None:
    broken = len(links.violated(labels))
    if broken:
        warn(
            f"{broken} of {len(links.cannot_links)} cannot-links are broken: with more than two clusters "
            "they only choose which cluster is split next."
        )
