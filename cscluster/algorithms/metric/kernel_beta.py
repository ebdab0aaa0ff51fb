"""Kernel-beta: reweigh the eigenvectors of a kernel so that must-linked samples come close."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import FloatArray, MetricLearner, Samples
from cscluster.algorithms.metric._linear import require_at_most
from cscluster.algorithms.parameters import Boolean, Choice, Integer, Real, parameter
from cscluster.algorithms.shared import of_samples
from cscluster.arrays import require_memory
from cscluster.constraints import Constraints
from cscluster.errors import DataError
from cscluster.linalg.kernels import Kernel, mean_squared_distance

_SMALLEST = 1e-10
"""Eigenvalues below this share of the largest count as zero."""
_EIGENVECTORS = 10
"""So many eigenvectors take part by default."""


def optimal_weights(V: FloatArray, constraints: Constraints) -> FloatArray:
    """Return the weights beta that minimise the must-linked distances; they sum to one.

    The squared distances of must-linked samples add up to ``sum_r s_r beta_r^2`` with
    ``s_r = sum_{(i,j)} w_ij (v_ir - v_jr)^2``, so that beta_r is proportional to ``1 / s_r``.
    """
    i, j = constraints.must_links.T
    s = constraints.must_weights @ (V[i] - V[j]) ** 2
    inverse = 1 / np.maximum(s, np.finfo(np.float64).eps * s.max(initial=0.0) + np.finfo(np.float64).tiny)
    return inverse / inverse.sum()


class KernelBeta(MetricLearner):
    r"""The kernel-beta method.

    With :math:`v_r` the leading eigenvectors of a centred Gaussian kernel matrix and P the must-links, learns
    the kernel

    .. math:: K = \sum_r \beta_r^2 v_r v_r^T

    .. math:: \beta = \arg\min \sum_{(i,j) \in P} (K_{ii} + K_{jj} - 2 K_{ij})
              \text{ subject to } \sum_r \beta_r = 1

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        The weights beta.
    eigenvalues_, eigenvectors_ : ndarrays of shape (n_components,) and (n_samples, n_components)
        Of the Gaussian kernel matrix, largest first.
    samples_ : ndarray of shape (n_samples, n_features)
        The samples of `fit`, on which the kernel rests.
    variance_ : float
        The Gaussian's variance.
    offset_ : ndarray of shape (n_samples,)
        Column means of the kernel matrix, zero where it is not centred.

    Notes
    -----
    `transform` gives coordinates ``beta_r v_r(x)`` whose inner products are the learned kernel, so that
    k-means on them is kernel k-means with K.  New samples get ``v_r(x) = (k(x, X) - offset) v_r / lambda_r``,
    which is v_r on the samples of `fit`.

    Readings taken, since [1]_ was not at hand and baghshah2010 gives only the Gaussian's variance and says
    that must-links alone are used: K is a sum of rank-one kernels of eigenvectors with squared weights,
    and the weights sum to one (any other sum scales K).  The closed form drops the eigenvalues of the
    first kernel, hence few eigenvectors: later ones are noise.  The first kernel is centred, since the
    leading eigenvector of a Gaussian matrix is nearly constant, must-linked samples hardly differ in it,
    and so it would take nearly all the weight.

    Cannot-links are not used.  Without must-links the kernel is the prior, the Gaussian one: beta_r is
    proportional to the root of its eigenvalue.  Cost O(n^3), memory O(n^2).

    References
    ----------
    .. [1] D.-Y. Yeung, H. Chang, "A Kernel Approach for Semisupervised Metric Learning", IEEE
       Transactions on Neural Networks 18, 2007. doi:10.1109/TNN.2006.883723

    Examples
    --------
    >>> from cscluster import KernelBeta
    >>> X = [[0.0], [1.0], [5.0], [6.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must")]
    >>> KernelBeta(n_components=2).fit(X, constraints=constraints).transform(X).shape
    (4, 2)
    """

    version = 2

    n_components: int | str = parameter(
        "auto",
        "number of eigenvectors, never more than have a positive eigenvalue ('auto': at most ten)",
        Integer(1),
        Choice("auto"),
    )
    theta: float = parameter(
        6.0,
        "the Gaussian's variance is theta / 2 times the mean squared distance between samples",
        Real(0, open_low=True),
    )
    center: bool = parameter(
        True,
        "centre the kernel matrix in feature space before its eigenvectors are taken",
        Boolean(),
        published=False,
        why="without centring, a nearly constant eigenvector takes nearly all the weight",
    )

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Learn the kernel from the must-links.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        require_at_most(self, self.n_components, len(X), "samples")
        self.samples_ = X
        self.variance_ = self.theta / 2 * mean_squared_distance(X)
        if self.variance_ == 0:
            raise DataError("KernelBeta cannot use these samples: all coincide.")
        setting = ("kernel-beta", self.theta, self.center, self.n_components)
        self.offset_, self.eigenvalues_, self.eigenvectors_ = of_samples(
            X, setting, lambda: self._decomposed(X)
        )
        if len(constraints.must_links):
            self.weights_ = optimal_weights(self.eigenvectors_, constraints)
        else:
            self._warn_prior("must-links")
            self.weights_ = np.sqrt(self.eigenvalues_) / np.sqrt(self.eigenvalues_).sum()
        return self

    def _decomposed(self, X: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the offset, the leading eigenvalues and the eigenvectors of the kernel matrix."""
        require_memory("KernelBeta", (3, len(X), len(X)), "use RCA or fewer samples")
        K = self._kernel()(X)
        offset = K.mean(axis=0) if self.center else np.zeros(len(X))
        values, vectors = np.linalg.eigh(K - offset - offset[:, None] + offset.mean())
        most = _EIGENVECTORS if self.n_components == "auto" else int(self.n_components)
        p = min(most, int((values > _SMALLEST * values[-1]).sum()))
        return offset, values[::-1][:p].copy(), vectors[:, ::-1][:, :p].copy(order="K")

    def _kernel(self) -> Kernel:
        return Kernel("gaussian", np.sqrt(2 * self.variance_))

    @property
    def _n_features_out(self) -> int:
        return len(self.weights_)

    def transform(self, X: Samples) -> FloatArray:
        """Return coordinates whose inner products are the learned kernel."""
        X = self._validate_new(X)
        k = self._kernel()(X, self.samples_) - self.offset_
        return k @ (self.eigenvectors_ * (self.weights_ / self.eigenvalues_))
