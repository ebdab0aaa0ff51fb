"""Approximate kernel k-means: centres in the span of a few samples."""

from __future__ import annotations

from typing import Self

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.kernel_parameters import GaussianEstimator
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.algorithms.partition._restarts import RestartedClusterer
from cscluster.constraints import Constraints
from cscluster.linalg.kernels import Nystroem

_BLOCK = 4096


class ApproxKernelKMeans(GaussianEstimator, RestartedClusterer):
    r"""Kernel k-means whose centres lie in the span of randomly chosen landmarks, without constraints.

    Minimises over partitions l and coefficients :math:`\alpha`

    .. math:: \sum_i \Big\| \varphi(x_i) - \sum_j \alpha_{l_i j} \varphi(z_j) \Big\|^2

    where z_1, ..., z_s are the landmarks and :math:`\varphi` belongs to the Gaussian kernel
    :math:`k(x, z) = \exp(-\|x - z\|^2 / \sigma^2)`.

    Attributes
    ----------
    objective_ : ndarray of shape (1,)
        The objective, without the part of the samples that is orthogonal to all landmarks.

    Notes
    -----
    The best coefficients of a cluster are those of the projected mean of its samples, so the
    problem is k-means in the Nyström features ``K_B K_hat^(-1/2)``, where K_B holds the kernel
    between samples and landmarks and K_hat that among landmarks; the two have the same iterates.
    O(n s d + n s^2) once and O(n s K) for an iteration; the kernel matrix is never formed.

    References
    ----------
    .. [1] R. Chitta, R. Jin, T. C. Havens, A. K. Jain, "Approximate Kernel k-means: Solution to Large
       Scale Kernel Clustering", 2011. doi:10.1145/2020408.2020558

    Examples
    --------
    >>> from cscluster import ApproxKernelKMeans
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1]]
    >>> labels = ApproxKernelKMeans(n_clusters=2, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[2] != labels[3] == labels[4])
    True
    """

    n_landmarks: int = parameter(200, "number of landmarks s; all samples if there are fewer", Integer(1))
    n_init: int = 3
    max_iter: int = 100
    tol: float = parameter(1e-4, "relative change of the centres that counts as none", Real(0))

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`; the links are not used."""
        X, _ = self._validate(X, constraints)
        rng = np.random.default_rng(self.random_state)
        self._features = Nystroem.fit(self._kernel_for(X), X, self.n_landmarks, rng)
        self._model = sklearn.cluster.KMeans(
            self.n_clusters,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=int(rng.integers(2**31)),
        ).fit(_in_blocks(self._features, X))
        self._end_with(self._model)
        return self

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest centre of each sample."""
        X = self._validate_new(X)
        return self._model.predict(_in_blocks(self._features, X)).astype(np.int64)


def _in_blocks(features: Nystroem, X: FloatArray) -> FloatArray:
    """Return the features of many samples, computed in blocks of rows that stay in the cache."""
    Phi = np.empty((len(X), features.whitening.shape[1]))
    for start in range(0, len(X), _BLOCK):
        Phi[start : start + _BLOCK] = features(X[start : start + _BLOCK])
    return Phi
