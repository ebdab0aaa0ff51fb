"""iterLS-SVM: maximum margin clustering by alternating LS-SVM training and labelling."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.margin.alternating._alternating import (
    FeatureLearner,
    KernelLearner,
    Learner,
    Trained,
)
from cscluster.algorithms.margin.alternating._iterative import IterativeMarginClusterer, landmarks_parameter
from cscluster.errors import ParameterError
from cscluster.linalg.kernels import Kernel, Nystroem


class LSSVMLearner(KernelLearner):
    """Least squares SVM on a kernel matrix, with one factorisation for all labels.

    Minimises ``||w||^2 + C sum_i (y_i - w^T phi(x_i) - b)^2``, that is, solves

        (K + I / C) a + b e = y,   e^T a = 0.

    With ``M = K + I / C``, ``eta = M^-1 e`` and ``nu = M^-1 y``: ``b = e^T nu / e^T eta`` and
    ``a = nu - b eta``.  The scores follow without K: ``K a = y - b e - a / C``; so M is factorised
    in K's place.
    """

    loss = "squared"

    def __init__(self, kernel: Kernel, X: Samples, C: float) -> None:
        super().__init__(kernel, X, C)
        M = self.K
        del self.K
        M[np.diag_indices(len(M))] += 1 / C
        self._factor = _factorise(M, C)
        self._eta = cho_solve(self._factor, np.ones(len(M)), check_finite=False)

    def train(self, Y: FloatArray, start: FloatArray | None) -> Trained:
        """Solve for all columns at once."""
        nu = cho_solve(self._factor, Y, check_finite=False)
        b = nu.sum(axis=0) / self._eta.sum()
        a = nu - np.outer(self._eta, b)
        return Trained(a, Y - b - a / self.C, np.einsum("ij,ij->j", a, Y))


class FeatureLSSVMLearner(FeatureLearner):
    """The same problem on Nyström features F: one factorisation of ``F^T F + I / C``, centred."""

    loss = "squared"

    def __init__(self, features: Nystroem, X: Samples, C: float) -> None:
        super().__init__(features, X, C)
        self._mean = self.F.mean(axis=0)
        M = self.F.T @ self.F - len(self.F) * np.outer(self._mean, self._mean)
        M[np.diag_indices(len(M))] += 1 / C
        self._factor = _factorise(M, C)

    def train(self, Y: FloatArray, start: FloatArray | None) -> Trained:
        """Solve for all columns at once."""
        y_mean = Y.mean(axis=0)
        W = cho_solve(self._factor, self.F.T @ Y - len(Y) * np.outer(self._mean, y_mean), check_finite=False)
        scores = self.F @ W
        residuals = Y - y_mean - (scores - self._mean @ W)
        return Trained(W, scores, (W**2).sum(axis=0) + self.C * (residuals**2).sum(axis=0))


def _factorise(M: FloatArray, C: float) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor of a symmetric matrix, in its place."""
    try:
        factor: tuple[FloatArray, bool] = cho_factor(M.T, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise ParameterError(
            f"'C' of IterLSSVM is too large for this kernel: K + I / C is singular at C = {C:g}."
        ) from None
    return factor


class IterLSSVM(IterativeMarginClusterer):
    r"""Iterative least squares SVM: alternates ridge regression on the labels and labelling.

    Looks for a local minimum of

    .. math:: \min_{y, w, b} \; \|w\|^2 + C \sum_i (w^T \phi(x_i) + b - y_i)^2

    .. math:: \text{subject to } y_i \in \{-1, 1\}, \;
              | \text{share of positive labels} - 1/2 | \le \text{balance}

    Like the Laplacian loss of `IterSVR`, the squared loss punishes overconfident predictions.

    Attributes
    ----------
    cycle_length_ : int
        As in `IterSVM`.

    Notes
    -----
    Balance, more than two clusters and `objective_`: see `IterSVM`.

    The linear system does not depend on the labels: one Cholesky factorisation, O(n^3), serves
    all iterations and all restarts, which then cost O(n^2) each and run side by side.  With m
    landmarks the factorisation costs O(n m^2) and an iteration O(n m).

    References
    ----------
    .. [1] K. Zhang, I. Tsang, J. Kwok, "Maximum Margin Clustering Made Practical", IEEE
       Transactions on Neural Networks 20 (4), 2009,
       Algorithm 2, sections III-C and III-D, (9) with p = 2.

    Examples
    --------
    >>> from cscluster import IterLSSVM, load_dataset
    >>> from cscluster.metrics.scores import score
    >>> data = load_dataset("optdigits_2_7")
    >>> model = IterLSSVM(sigma=32, balance=0.03, random_state=0).fit(data.X)
    >>> score("error", data.y, model.labels_) < 0.01
    True
    """

    C: float = 100.0
    n_landmarks: int | None = landmarks_parameter()

    def _learner(self, kernel: Kernel, X: Samples, rng: np.random.Generator) -> Learner:
        if self.n_landmarks is None:
            return LSSVMLearner(kernel, X, self.C)
        return FeatureLSSVMLearner(Nystroem.fit(kernel, X, self.n_landmarks, rng), X, self.C)
