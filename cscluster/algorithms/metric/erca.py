"""Extended relevant component analysis: RCA that also stretches along cannot-links."""

from __future__ import annotations

from cscluster.algorithms.base import BoolArray, FloatArray
from cscluster.algorithms.metric._linear import ShrunkMetric
from cscluster.algorithms.parameters import Choice, parameter
from cscluster.constraints import Constraints
from cscluster.linalg.psd import inverse_sqrt, sqrt
from cscluster.linalg.scatter import deviations, pair_scatter


class ERCA(ShrunkMetric):
    r"""Extended relevant component analysis (ERCA).

    On d features divided by their standard deviations, with P the must-links, D the cannot-links and
    :math:`\tau` the `shrinkage`, the map is :math:`y = S_b^{1/2} S_w^{-1/2} x` with

    .. math:: S_b = \frac{1}{2 |D|} \sum_{(i,j) \in D} (x_i - x_j)(x_i - x_j)^T

    .. math:: S_w = \frac{1}{|P| + \tau d}
              ( \frac{1}{2} \sum_{(i,j) \in P} (x_i - x_j)(x_i - x_j)^T + \tau d I )

    With ``shrinkage="auto"`` :math:`S_b` is pulled towards the identity like :math:`S_w`.

    Must-linked variation is whitened first, then directions along which cannot-linked samples lie
    apart are stretched.

    Attributes
    ----------
    components_ : ndarray of shape (n_features, n_features)
        The map.  Constant features get no weight.

    Notes
    -----
    The factors do not commute, and their order is a matter of reading: baghshah2010 writes
    ``W = S_b^{1/2} S_w^{-1/2}`` and ``y = W^T x``, so that the whitening comes last
    (``whitening='last'``).  With ``shrinkage=0`` the pseudo-inverse of a singular S_w is used.

    Without must-links only the stretching is left.  Without cannot-links between samples that differ, or
    without must-links with ``shrinkage=0``, the metric is the prior: the Euclidean distance of features
    divided by their standard deviations.  Weights of constraints multiply their terms.

    Cost O(n d + (|P| + |D|) d^2 + d^3).

    References
    ----------
    .. [1] D.-Y. Yeung, H. Chang, "Extending the Relevant Component Analysis Algorithm for Metric
       Learning Using Both Positive and Negative Equivalence Constraints", Pattern Recognition 39,
       2006. doi:10.1016/j.patcog.2005.12.004

    Examples
    --------
    >>> from cscluster import ERCA
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (0, 2, "cannot")]
    >>> ERCA(shrinkage=0.2).fit(X, constraints=constraints).transform(X).round(6)[:, 1].tolist()
    [0.0, 0.0, 0.0, 0.0]
    """

    version = 4

    whitening: str = parameter(
        "first",
        "whiten along must-links before stretching along cannot-links, or after it",
        Choice("first", "last"),
        published="last",
        why="whitening first extends RCA, baghshah2010 writes it last",
    )

    def _scales(self, X: FloatArray) -> tuple[BoolArray, FloatArray]:
        return deviations(X)

    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Whiten along must-links and stretch along cannot-links."""
        n_must, n_cannot = len(constraints.must_links), len(constraints.cannot_links)
        S_b = pair_scatter(Z, constraints.cannot_links, constraints.cannot_weights) / 2
        if not S_b.any():
            return self._prior(Z, "cannot-links between samples that differ")
        if self._lacks_must_links(n_must):
            return self._prior(Z, "must-links, which 'shrinkage' 0 needs")
        S_w = pair_scatter(Z, constraints.must_links, constraints.must_weights) / 2
        whitening, _ = inverse_sqrt(self._shrunk(S_w, n_must, Z))
        C_b = self._shrunk(S_b, n_cannot, Z) if self.shrinkage == "auto" else S_b / n_cannot
        stretching = sqrt(C_b)
        return stretching @ whitening if self.whitening == "first" else whitening @ stretching
