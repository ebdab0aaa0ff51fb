"""Maximum margin clustering with pairwise constraints by cutting planes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import Samples, warn_of_contradictions
from cscluster.algorithms.margin.cccp.cccp import CCCP, objective_of
from cscluster.algorithms.margin.cccp.losses import CannotLinkLoss, Loss, MustLinkLoss, PointLoss
from cscluster.algorithms.margin.cccp.model import MarginClusterer
from cscluster.algorithms.margin.cccp.starts import kmeans_start
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError


class CPCMMC(MarginClusterer):
    r"""Maximum margin clustering with pairwise constraints of Hu et al. (CPCMMC).

    Sample x scores :math:`w_y^T x` for cluster y.  The winner is its label.  With :math:`L_m` must-links P,
    :math:`L_c` cannot-links D, and :math:`v_j = x_{j1} + x_{j2}` for a constraint j between
    :math:`x_{j1}` and :math:`x_{j2}`, W minimises

    .. math:: \frac{\lambda}{2} \|W\|^2
              + \frac{\gamma_1}{n C} \sum_{i, z} \max(0, 1 - \max_y w_y^T x_i + w_z^T x_i)

    .. math:: + \frac{\gamma_2}{L_m C} \sum_{j \in P} \sum_z |w_z^T (x_{j1} - x_{j2})|
              + \frac{\gamma_3}{L_c} \sum_{j \in D} ( \max_z w_z^T v_j - \frac{1}{C} \sum_z w_z^T v_j )
              \qquad (2)

    CCCP freezes the winners of the samples.  The convex problem that remains is solved with a
    certified duality gap.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shapes (n_clusters, n_features) and (n_clusters,)
        The linear scores.
    objective_ : ndarray
        Objective (2) after each CCCP iteration.  It never rises.
    n_steps_, gap_ : ndarray of int, float
        Steps of the solver in each iteration.  Certified gap of the last convex problem.

    Notes
    -----
    The name keeps the cutting planes of [1]_.  The convex problems are the same, their solver is
    that of `PMMC`.  A step of the solver costs O(n C d).

    The losses of the constraints have no margin: they pull all scores together, and with gamma2 and gamma3
    as large as gamma1 the optimum is W = 0, one cluster.

    References
    ----------
    .. [1] Y. Hu, J. Wang, N. Yu, X.-S. Hua, "Maximum Margin Clustering with Pairwise Constraints",
       ICDM 2008. doi:10.1109/ICDM.2008.110
    .. [2] H. Zeng, Y.-M. Cheung, "Semi-Supervised Maximum Margin Clustering with Pairwise
       Constraints", IEEE TKDE 24(5), 2012, eq. (2) and (3). doi:10.1109/TKDE.2011.68

    Examples
    --------
    >>> from cscluster import CPCMMC, Constraints
    >>> X = [[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]]
    >>> constraints = Constraints([(0, 1)], [(1, 2)], n_samples=4)
    >>> labels = CPCMMC(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    version = 4

    gamma1: float = parameter(1.0, "weight of the samples", Real(0, open_low=True))
    gamma2: float = parameter(0.1, "weight of the must-links", Real(0))
    gamma3: float = parameter(0.3, "weight of the cannot-links", Real(0))
    init: str = parameter(
        "auto",
        "'auto' runs one iteration from each label-free start of PMMC and continues the n_finalists with the "
        "lowest objective (2). The lowest final objective wins. 'kmeans' starts from plain k-means, the best "
        "of ten runs",
        Choice("auto", "kmeans"),
        published="kmeans",
        why="k-means ignores the constraints",
    )
    n_finalists: int = parameter(3, "number of candidates that are run to the end", Integer(1))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X` so that must-linked samples score alike and cannot-linked ones do not.

        The parameters are those of `ConstrainedEstimator.fit`.
        """
        X, constraints = self._validate(X, y, constraints)
        if self.bias and not (len(constraints.cannot_links) and self.gamma3):
            raise ConstraintError(
                "CPCMMC with bias=True needs cannot-links of positive weight. Use cpmmc, which needs none."
            )
        warn_of_contradictions(constraints, "CPCMMC treats them as soft and violates some.")
        Z = self._coordinates(X)
        design = self._design(Z)
        if self.init == "auto":
            starts = self._candidate_starts(Z, constraints)
        else:
            starts = [kmeans_start(Z, self.n_clusters, self._seed)]
        procedure = CCCP(design, self._losses(constraints), self._lam(design), self._solver(), self.tol)
        runs = sorted((procedure.from_scores(S, 1) for S in starts), key=objective_of)
        runs = [procedure.resume(run, self.max_iter - 1) for run in runs[: self.n_finalists]]
        return self._set_run(design, min(runs, key=objective_of))

    def _losses(self, constraints: Constraints) -> list[Loss]:
        """Return the three sums of (2), weighted where the constraints are."""
        n, C = constraints.n_samples, self.n_clusters
        index = np.arange(n)
        losses: list[Loss] = [PointLoss(index, self.gamma1 / (n * C), np.zeros_like(index))]
        if len(constraints.must_links) and self.gamma2:
            w = constraints.must_weights
            losses.append(MustLinkLoss(constraints.must_links, self.gamma2 * w / (w.sum() * C)))
        if len(constraints.cannot_links) and self.gamma3:
            w = constraints.cannot_weights
            losses.append(CannotLinkLoss(constraints.cannot_links, self.gamma3 * w / w.sum()))
        return losses
