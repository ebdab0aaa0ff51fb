"""Classifiers of scikit-learn as baselines of the labelled track: trained on the labelled samples alone."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn import discriminant_analysis, linear_model, semi_supervised

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples


class _Classifier(Clusterer):
    """A classifier whose classes are the must-link components of the samples that constraints touch.

    Those of `Constraints.from_partial_labels` are the labelled classes.
    """

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Classify `X`; the parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        labels = np.full(len(X), -1)
        labels[constraints.touched] = constraints.components[constraints.touched]
        _, clusters = np.unique(self._classes(X, labels), return_inverse=True)
        return self._set_partition(clusters, n_iter=1, converged=True)

    @abstractmethod
    def _classes(self, X: FloatArray, labels: IntArray) -> IntArray:
        """Return the class of each sample; `labels` is -1 where it is not known."""


class LogisticRegression(_Classifier):
    """Logistic regression with scikit-learn's L2 penalty, C = 1."""

    def _classes(self, X: FloatArray, labels: IntArray) -> IntArray:
        model = linear_model.LogisticRegression(max_iter=1000)
        return model.fit(X[labels >= 0], labels[labels >= 0]).predict(X)


class LDA(_Classifier):
    """Linear discriminant analysis with the shrinkage of Ledoit and Wolf, which few labels need."""

    def _classes(self, X: FloatArray, labels: IntArray) -> IntArray:
        model = discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
        return model.fit(X[labels >= 0], labels[labels >= 0]).predict(X)


class LabelSpreading(_Classifier):
    """Label spreading over the graph of seven nearest neighbours (Zhou et al. 2004)."""

    def _classes(self, X: FloatArray, labels: IntArray) -> IntArray:
        model = semi_supervised.LabelSpreading(kernel="knn", n_neighbors=7, max_iter=1000)
        return model.fit(X, labels).transduction_
