"""Discriminative component analysis: few directions that separate cannot-linked components."""

from __future__ import annotations

import numpy as np

from cscluster.algorithms.base import FloatArray
from cscluster.algorithms.metric._linear import ShrunkMetric, require_at_most
from cscluster.algorithms.parameters import Choice, Integer, parameter
from cscluster.constraints import Constraints
from cscluster.linalg.psd import rank_tolerance
from cscluster.linalg.scatter import chunklet_scatter, separation_scatter


def simultaneous_diagonalisation(C_b: FloatArray, C_w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return W, one direction a row, with ``W C_w W^T = I``, and the diagonal of ``W C_b W^T``.

    The null space of C_b is left out, and then that of C_w; directions come in falling order of that
    diagonal.
    """
    D_b, U = np.linalg.eigh(C_b)
    keep = D_b > rank_tolerance(D_b)
    Z = U[:, keep] / np.sqrt(D_b[keep])
    D_w, V = np.linalg.eigh(Z.T @ C_w @ Z)
    keep = D_w > rank_tolerance(D_w)
    return ((Z @ V[:, keep]) / np.sqrt(D_w[keep])).T, 1 / D_w[keep]


class DCA(ShrunkMetric):
    r"""Discriminative component analysis (DCA).

    Maximises over maps W with `n_components` rows

    .. math:: \frac{|W C_b W^T|}{|W C_w W^T|}

    where :math:`C_w` is the shrunk covariance inside must-link components (see `RCA`) and :math:`C_b` the
    mean of :math:`(m_a - m_b)(m_a - m_b)^T` over the pairs of components, with means m, that some
    cannot-link separates.  With ``shrinkage="auto"`` half of that mean is shrunk as well.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The map W, with fewer rows than asked for where C_b has a smaller rank.
    eigenvalues_ : ndarray of shape (n_components,)
        Spread between cannot-linked components along each direction, in units of C_w.

    Notes
    -----
    A sample without must-links is a component of its own, so that every cannot-link counts.  C_b and
    C_w are diagonalised one after the other and the null space of C_b is dropped, as in [1]_.  C_w is
    not singular thanks to the shrinkage (with ``shrinkage=0`` its null space is dropped as well, about
    which [1]_ says nothing).  The map is scaled to
    ``W C_w W^T = I``.  In all d directions the distance is that of `RCA`, whatever the
    cannot-links: the gain lies in the directions left out.

    Without must-links C_w is the prior.  Without cannot-links between components of different means, or
    without must-links with ``shrinkage=0``, the metric is the prior of `RCA`.  Weights are not used.

    Cost O(n d + p d^2 + d^3) for p constrained samples.

    References
    ----------
    .. [1] S. Hoi, W. Liu, M. Lyu, W.-Y. Ma, "Learning Distance Metrics with Contextual Constraints for
       Image Retrieval", CVPR 2006, algorithm 1. doi:10.1109/CVPR.2006.167

    Examples
    --------
    >>> from cscluster import DCA
    >>> X = [[0.0, 0.0], [0.0, 4.0], [3.0, 0.0], [3.0, 4.0]]
    >>> constraints = [(0, 1, "must"), (2, 3, "must"), (0, 3, "cannot")]
    >>> DCA(n_components=1).fit(X, constraints=constraints).transform(X).shape
    (4, 1)
    """

    version = 5
    weighs_constraints = False

    n_components: int | str = parameter(
        "auto", "dimensions of the learned space ('auto': half of the features)", Integer(1), Choice("auto")
    )

    def _most_directions(self) -> int | None:
        most = super()._most_directions()
        return most if most is None or self.n_components == "auto" else max(most, int(self.n_components))

    def _learn(self, Z: FloatArray, constraints: Constraints) -> FloatArray:
        """Diagonalise both scatters and keep the leading directions."""
        require_at_most(self, self.n_components, self.n_features_in_, "features")
        S_w, nu = chunklet_scatter(Z, constraints)
        S_b, n_pairs = separation_scatter(Z, constraints)
        self.eigenvalues_ = np.ones(Z.shape[1])
        if not S_b.any():
            return self._prior(Z, "cannot-links between must-link components that differ")
        if self._lacks_must_links(nu):
            return self._prior(Z, "must-links, which 'shrinkage' 0 needs")
        C_b = self._shrunk(S_b / 2, n_pairs, Z) if self.shrinkage == "auto" else S_b / n_pairs
        W, eigenvalues = simultaneous_diagonalisation(C_b, self._shrunk(S_w, nu, Z))
        half = max(1, (self.n_directions_ or self.n_features_in_) // 2)
        r = half if self.n_components == "auto" else int(self.n_components)
        self.eigenvalues_ = eigenvalues[:r]
        return W[:r]
