"""iterSVR: maximum margin clustering by alternating SVR training and labelling."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVR

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.margin.alternating._alternating import (
    KernelBasis,
    Learner,
    kernel_matrix,
    one_by_one,
)
from cscluster.algorithms.margin.alternating._iterative import IterativeMarginClusterer, landmarks_parameter
from cscluster.algorithms.margin.alternating._primal_svr import primal_svr
from cscluster.algorithms.margin.alternating.iter_svm import cache_megabytes, expansion
from cscluster.algorithms.parameters import Real, parameter
from cscluster.linalg.kernels import Kernel, Nystroem


def svr_learner(kernel: Kernel, X: Samples, C: float, epsilon: float) -> Learner:
    """Return the SVR of scikit-learn.

    Minimises ``||w||^2 + 2 C sum_i max(0, |y_i - w^T phi(x_i) - b| - epsilon)``.
    """
    K = kernel_matrix(kernel, X)

    def train(y: FloatArray, start: FloatArray | None) -> tuple[FloatArray, FloatArray, float]:
        svr = SVR(C=C, epsilon=epsilon, kernel="precomputed", cache_size=cache_megabytes(len(y))).fit(K, y)
        a, scores = expansion(svr, K)
        return a, scores, _objective(float(a @ scores), scores + svr.intercept_[0] - y, C, epsilon)

    return Learner("absolute", KernelBasis(kernel, X), one_by_one(train))


def feature_svr_learner(features: Nystroem, X: Samples, C: float, epsilon: float) -> Learner:
    """Return the same on Nyström features, each training warm-started by the one before."""
    F = features(X)

    def train(y: FloatArray, start: FloatArray | None) -> tuple[FloatArray, FloatArray, float]:
        w, b = primal_svr(F, y, C, epsilon, start)
        scores = F @ w
        return w, scores, _objective(float(w @ w), scores + b - y, C, epsilon)

    return Learner("absolute", features, one_by_one(train))


def _objective(squared_norm: float, residuals: FloatArray, C: float, epsilon: float) -> float:
    return float(squared_norm + 2 * C * np.maximum(np.abs(residuals) - epsilon, 0).sum())


class IterSVR(IterativeMarginClusterer):
    r"""Iterative SVR: alternates support vector regression on the labels and labelling.

    Looks for a local minimum of

    .. math:: \min_{y, w, b} \; \|w\|^2 + 2 C \sum_i |w^T \phi(x_i) + b - y_i|_\epsilon

    .. math:: \text{subject to } y_i \in \{-1, 1\}, \;
              | \text{share of positive labels} - 1/2 | \le \text{balance}

    where :math:`|r|_\epsilon = \max(0, |r| - \epsilon)`.  Unlike the hinge loss of `IterSVM`, the
    Laplacian loss (``epsilon = 0``) also punishes overconfident predictions, so that labels can
    still flip.

    Attributes
    ----------
    cycle_length_ : int
        As in `IterSVM`.

    Notes
    -----
    Balance, more than two clusters and `objective_`: see `IterSVM`.  As in the paper's
    (9), the bias search uses the Laplacian loss whatever epsilon is.

    The width sigma decides: with ``C = 500`` a small one interpolates the labels, and none moves.

    An iteration is one libsvm training on a kernel matrix that is computed once.  With m landmarks
    it is a few Newton steps in m dimensions, O(n m) memory, and the loss's corners are rounded
    over a width of 0.01.

    Where single k-means starts end in two solutions, the lower inertia may be the wrong one.  Restarts
    (``n_starts=1, n_init=10``) then choose by the lowest objective.

    References
    ----------
    .. [1] K. Zhang, I. Tsang, J. Kwok, "Maximum Margin Clustering Made Practical", IEEE
       Transactions on Neural Networks 20 (4), 2009,
       Algorithm 2, sections III-B and III-D, (9) with p = 1.

    Examples
    --------
    >>> from cscluster import IterSVR, load_dataset
    >>> from cscluster.metrics.scores import score
    >>> data = load_dataset("optdigits_2_7")
    >>> model = IterSVR(sigma=11.3, balance=0.03, random_state=0).fit(data.X)
    >>> score("error", data.y, model.labels_) < 0.01
    True
    """

    C: float = 500.0
    epsilon: float = parameter(
        0.05,
        "insensitive width of the loss. Keep it small: a wide one moves as few labels as the hinge loss",
        Real(0),
    )
    n_landmarks: int | None = landmarks_parameter()

    def _learner(self, kernel: Kernel, X: Samples, rng: np.random.Generator) -> Learner:
        if self.n_landmarks is None:
            return svr_learner(kernel, X, self.C, self.epsilon)
        features = Nystroem.fit(kernel, X, self.n_landmarks, rng)
        return feature_svr_learner(features, X, self.C, self.epsilon)
