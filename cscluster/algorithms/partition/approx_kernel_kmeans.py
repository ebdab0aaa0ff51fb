"""Approximate kernel k-means: centers in the span of a few samples."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.kernel_parameters import GaussianEstimator
from cscluster.algorithms.parameters import Integer, Real, parameter
from cscluster.linalg.kernels import Nystroem


class ApproxKernelKMeans(GaussianEstimator, Clusterer):
    r"""Kernel k-means whose centers lie in the span of randomly chosen landmarks, without constraints.

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
    between samples and landmarks and K_hat that among landmarks.  The two have the same iterates.
    O(n s d + n s^2) once and O(n s K) for an iteration.  The kernel matrix is never formed.

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

    n_landmarks: int = parameter(200, "number of landmarks s, at most all samples", Integer(1))
    n_init: int = parameter(3, "number of starts. The lowest objective wins", Integer(1))
    max_iter: int = parameter(100, "iteration limit of a start", Integer(1))
    tol: float = parameter(1e-4, "relative change of the centers that counts as none", Real(0))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  Partial labels and constraints are checked, but not used."""
        X, _ = self._validate(X, y, constraints)
        rng = np.random.default_rng(self._seed)
        self._features = Nystroem.fit(self._kernel_for(X), X, self.n_landmarks, rng)
        self._model = sklearn.cluster.KMeans(
            self.n_clusters,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=int(rng.integers(2**31)),
        ).fit(self._features(X))
        return self._set_kmeans_partition(self._model)

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest center of each sample."""
        X = self._validate_new(X)
        return self._model.predict(self._features(X)).astype(np.int64)

    def costs(self, X: Samples) -> FloatArray:
        """Return the squared distance of each sample from each center."""
        X = self._validate_new(X)
        return np.asarray(self._model.transform(self._features(X)) ** 2)
