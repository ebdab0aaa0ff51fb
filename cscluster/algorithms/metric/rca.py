"""Relevant component analysis: whiten the variation inside must-link components."""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.metric._linear import ShrunkMetric
from cscluster.constraints import Constraints
from cscluster.errors import warn
from cscluster.linalg.psd import inverse_sqrt
from cscluster.linalg.scatter import chunklet_scatter

_ENOUGH = 20
"""Observations inside chunklets for each direction that tell directions with clusters from those without."""


def discriminating_directions(Y: FloatArray, nu: int) -> FloatArray:
    """Return the directions, as rows, in which whitened samples Y vary more than chunklets do.

    Chunklets have unit variance in every direction of Y.  Were all samples one large chunklet, the
    largest variance in d directions would stay below the edge of the spectrum of an F-matrix, whose two
    covariances have the ratios d / n and d / nu.  All directions are returned where none exceeds it,
    or where the chunklets are too few to tell.
    """
    n, d = Y.shape
    if nu < _ENOUGH * d:
        return np.eye(d)
    of_all, of_chunklets = d / n, d / nu
    edge = ((1 + np.sqrt(of_all + of_chunklets - of_all * of_chunklets)) / (1 - of_chunklets)) ** 2
    values, V = np.linalg.eigh(np.cov(Y, rowvar=False))
    exceed = values > edge
    return V[:, exceed if exceed.any() else slice(None)].T


class RCA(ShrunkMetric):
    r"""Relevant component analysis (RCA).

    Chunklets are the must-link components of at least two samples.  With :math:`m_c` the mean of chunklet
    c, :math:`\nu` the number of samples in chunklets less the number of chunklets, d the number of features,
    :math:`\tau` the `shrinkage`, and D the diagonal matrix of the features' ranges, times a factor by which
    :math:`D^{-1} x` has a mean variance of one, the map is :math:`y = C^{-1/2} x` with

    .. math:: C = \frac{1}{\nu + \tau d} ( \sum_c \sum_{i \in c} (x_i - m_c)(x_i - m_c)^T + \tau d D^2 )

    Among the maps that keep the chunklets' scatter bounded this one keeps most information about x.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map, square unless principal components are used.  Constant features get no weight.
    n_directions_ : int
        Number of principal components that the metric was learned on, zero if on the features themselves.

    Notes
    -----
    Cannot-links and weights are not used: chunklets are the transitive closure of the must-links.  Without
    must-links between samples that differ, the metric is the prior: the Euclidean distance of features
    divided by their ranges, or as they are with ``shrinkage=0``.

    With ``shrinkage=0`` directions in the null space of C are dropped.

    The plain C is singular unless the chunklets have more than d samples, and its inverse then blows
    up directions in which the must-links happen not to vary.  The ridge grows with each feature's range, so
    the result does not depend on the features' units.  It fades as must-links become more.  Standard
    deviations instead of ranges would blow up features that hardly vary.

    By default, where there are more than 100 features, the metric is learned on as many of their leading
    principal components.  Of the learned space only those directions remain in which the samples vary more
    than the chunklets do, beyond what chance explains [2]_: clusters differ there, and the rest is noise.

    Cost O(n d + p d^2 + d^3) for p samples in chunklets.

    References
    ----------
    .. [1] A. Bar-Hillel, T. Hertz, N. Shental, D. Weinshall, "Learning a Mahalanobis Metric from
       Equivalence Constraints", JMLR 6, 2005, section 2.
    .. [2] J. W. Silverstein, "The Limiting Eigenvalue Distribution of a Multivariate F Matrix", 1985.
       doi:10.1137/0516047

    Examples
    --------
    >>> from cscluster import RCA
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> Z = RCA().fit(X, constraints=[(0, 1, "must"), (2, 3, "must")]).transform(X)
    >>> bool(abs(Z[0, 0] - Z[2, 0]) > abs(Z[0, 1] - Z[1, 1]))
    True
    """

    version = 5
    weighs_constraints = False

    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Whiten the shrunk covariance inside chunklets."""
        S, nu = chunklet_scatter(Z, constraints)
        if not S.any():
            return self._prior(Z, "must-links between samples that differ")
        W, rank = inverse_sqrt(self._shrunk(S, nu, Z))
        if rank < len(W):
            warn(
                f"The chunklets span only {rank} of {len(W)} dimensions and 'shrinkage' is 0: "
                "the other directions are dropped."
            )
        return discriminating_directions(Z @ W, nu) @ W if self.n_directions_ else W
