"""iterLS-SVM: maximum margin clustering by alternating LS-SVM training and labelling."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.margin.alternating._alternating import KernelBasis, Learner, Trained, kernel_matrix
from cscluster.algorithms.margin.alternating._iterative import IterativeMarginClusterer, landmarks_parameter
from cscluster.errors import ParameterError
from cscluster.linalg.kernels import Kernel, Nystroem


def lssvm_learner(kernel: Kernel, X: Samples, C: float) -> Learner:
    """Return the least squares SVM on a kernel matrix, with one factorisation for all labels.

    Minimises ``||w||^2 + C sum_i (y_i - w^T phi(x_i) - b)^2``, that is, solves

        (K + I / C) a + b e = y,   e^T a = 0.

    With ``M = K + I / C``, ``eta = M^-1 e`` and ``nu = M^-1 y``: ``b = e^T nu / e^T eta`` and
    ``a = nu - b eta``.  The scores follow without K: ``K a = y - b e - a / C``; so M is factorised
    in K's place.
    """
    factor = _factorise(kernel_matrix(kernel, X), C)
    eta = cho_solve(factor, np.ones(X.shape[0]), check_finite=False)

    def train(Y: FloatArray, start: FloatArray | None) -> Trained:
        nu = cho_solve(factor, Y, check_finite=False)
        b = nu.sum(axis=0) / eta.sum()
        a = nu - np.outer(eta, b)
        return Trained(a, Y - b - a / C, np.einsum("ij,ij->j", a, Y))

    return Learner("squared", KernelBasis(kernel, X), train)


def feature_lssvm_learner(features: Nystroem, X: Samples, C: float) -> Learner:
    """Return the same on Nyström features F: one factorisation of ``F^T F + I / C``, centred."""
    F = features(X)
    mean = F.mean(axis=0)
    factor = _factorise(F.T @ F - len(F) * np.outer(mean, mean), C)

    def train(Y: FloatArray, start: FloatArray | None) -> Trained:
        y_mean = Y.mean(axis=0)
        W = cho_solve(factor, F.T @ Y - len(Y) * np.outer(mean, y_mean), check_finite=False)
        scores = F @ W
        residuals = Y - y_mean - (scores - mean @ W)
        return Trained(W, scores, (W**2).sum(axis=0) + C * (residuals**2).sum(axis=0))

    return Learner("squared", features, train)


def _factorise(M: FloatArray, C: float) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor of ``M + I / C`` in the place of M."""
    M[np.diag_indices(len(M))] += 1 / C
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
            return lssvm_learner(kernel, X, self.C)
        return feature_lssvm_learner(Nystroem.fit(kernel, X, self.n_landmarks, rng), X, self.C)
