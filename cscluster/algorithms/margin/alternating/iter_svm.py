"""iterSVM: maximum margin clustering by alternating SVM training and labelling."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVC

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.margin.alternating._alternating import (
    KernelBasis,
    Learner,
    kernel_matrix,
    one_by_one,
)
from cscluster.algorithms.margin.alternating._iterative import IterativeMarginClusterer
from cscluster.linalg.kernels import Kernel


def cache_megabytes(n_samples: int) -> float:
    """Return the size of libsvm's cache that holds all kernel rows, in single precision."""
    return 1 + 4.4 * n_samples**2 / 2**20


def expansion(machine: Any, K: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of a fitted machine of libsvm for all samples, and the scores without bias."""
    a = np.zeros(len(K))
    a[machine.support_] = machine.dual_coef_[0]
    return a, K @ a


def svm_learner(kernel: Kernel, X: Samples, C: float) -> Learner:
    """Return the SVM of scikit-learn.

    Minimises ``||w||^2 + 2 C sum_i max(0, 1 - y_i (w^T phi(x_i) + b))``.
    """
    K = kernel_matrix(kernel, X)

    def train(y: FloatArray, start: FloatArray | None) -> tuple[FloatArray, FloatArray, float]:
        svm = SVC(C=C, kernel="precomputed", cache_size=cache_megabytes(len(y))).fit(K, y)
        a, scores = expansion(svm, K)
        loss = np.maximum(0, 1 - y * (scores + svm.intercept_[0])).sum()
        return a, scores, float(a @ scores + 2 * C * loss)

    return Learner("hinge", KernelBasis(kernel, X), one_by_one(train))


class IterSVM(IterativeMarginClusterer):
    r"""Iterative SVM: alternates SVM training and labelling.

    Looks for a local minimum of the maximum margin clustering problem

    .. math:: \min_{y, w, b} \; \|w\|^2 + 2 C \sum_i \max(0, 1 - y_i (w^T \phi(x_i) + b))

    .. math:: \text{subject to } y_i \in \{-1, 1\}, \;
              | \text{share of positive labels} - 1/2 | \le \text{balance}

    The hinge loss does not penalise confidence, so that most samples lie far from the margin and
    labels hardly move: it stays near its initial labels, which is what `IterSVR` and `IterLSSVM`
    mend [1]_.

    Attributes
    ----------
    cycle_length_ : int
        1 if the labels reached a fixed point, more if they ended in a cycle, whose best labels
        are taken, 0 if the iteration limit came first.  The largest of all splits.

    Notes
    -----
    The paper's balance l is read as ``| #positive - n/2 | <= l``: with the printed
    ``|sum of y| <= l = 0.15 n`` its own error on satellite, 3.6 %, would be out of reach.

    `objective_` is the least value of the problem for the labels of each iteration.  It need not
    fall in every step, since the bias search is confined to midpoints of scores.  Hence the check
    for cycles.

    More than two clusters come from splitting the cluster with the largest scatter again and again
    (section IV-C).  Constraints are not used: the paper leaves them to future work.

    The kernel matrix is computed once, O(n^2) memory.  An iteration is one libsvm training.

    References
    ----------
    .. [1] K. Zhang, I. Tsang, J. Kwok, "Maximum Margin Clustering Made Practical", IEEE
       Transactions on Neural Networks 20 (4), 2009, problem
       (2), Algorithm 1, section III-A.

    Examples
    --------
    >>> from cscluster import IterSVM, load_dataset
    >>> model = IterSVM(sigma=8, random_state=0).fit(load_dataset("optdigits_1_7").X)
    >>> model.converged_, model.n_iter_ < 10
    (True, True)
    """

    def _learner(self, kernel: Kernel, X: Samples, rng: np.random.Generator) -> Learner:
        return svm_learner(kernel, X, self.C)
