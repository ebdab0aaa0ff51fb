"""What Zhang et al. (2009) look at besides errors: random labels, margins and the objective of the SVM."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.margin.alternating.iter_svm import svm_learner


class RandomLabels(Clusterer):
    """Labels drawn at random with equal probabilities: the first row of Table II."""

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Draw a cluster for each sample."""
        X, _ = self._validate(X, y, constraints)
        labels = np.random.default_rng(self._seed).integers(self.n_clusters, size=X.shape[0])
        return self._set_partition(labels, n_iter=1, converged=True)


def beyond_margin(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return the share of samples with y f > 1 (Fig. 2 (b))."""
    return float((_margins(model) > 1).mean()) if model else np.nan


def near_one(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return the share of samples with |y f - 1| <= 0.5 (Fig. 4 (b))."""
    return float((np.abs(_margins(model) - 1) <= 0.5).mean()) if model else np.nan


def in_valley(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return the share of samples within epsilon of one, where the loss is zero (Fig. 6)."""
    return float((np.abs(_margins(model) - 1) <= getattr(model, "epsilon", 0)).mean()) if model else np.nan


def svm_loss(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return the objective (3) of the SVM for the labels of a method (Fig. 5 (a))."""
    if not model:
        return np.nan
    kernel_basis = model._splits[0].basis
    learner = svm_learner(kernel_basis.kernel, kernel_basis.X, model.C)
    return float(learner.train(np.where(labels == 1, 1.0, -1.0)[:, None], None).objective[0])


def objective_change(y: IntArray, labels: IntArray, model: Any = None) -> float:
    """Return how far the last objective is from the first, relative to it (Fig. 1)."""
    return float(abs(model.objective_[-1] / model.objective_[0] - 1)) if model else np.nan


def _margins(model: Any) -> FloatArray:
    """Return y f of each sample: labels are the signs of ``f = w^T phi(x) + b``."""
    split = model._splits[0]
    return np.abs(split.decide(split.basis.X))
