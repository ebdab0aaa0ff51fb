"""Maximum margin clustering without constraints."""

from __future__ import annotations

from typing import Any, Self

from cscluster.algorithms.base import Samples
from cscluster.algorithms.margin.cccp.cccp import CCCP
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.losses import Balance, Loss, WinnerLoss
from cscluster.algorithms.margin.cccp.model import MarginClusterer
from cscluster.algorithms.margin.cccp.starts import kmeans_start
from cscluster.algorithms.parameters import Real, parameter


class CPMMC(MarginClusterer):
    r"""Multiclass maximum margin clustering by cutting planes (CPMMC), without constraints.

    Sample x scores :math:`w_y^T x` for cluster y.  The winner is its label.  W minimises

    .. math:: \frac{\lambda}{2} \|W\|^2
              + \frac{1}{n} \sum_i \max(0, 1 - \max_y w_y^T x_i + \max_{z \ne y_i} w_z^T x_i) \qquad (1)

    .. math:: \text{subject to } -q \le \sum_i w_s^T x_i - \sum_i w_z^T x_i \le q
              \text{ for all clusters } s, z

    where :math:`y_i` is the winner.  CCCP freezes the winners.  What remains is a multiclass support vector
    machine with the balance constraint, solved with a certified duality gap.  The start is plain
    k-means, the best of ten runs.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shapes (n_clusters, n_features) and (n_clusters,)
        The linear scores.
    objective_ : ndarray
        Objective (1) after each CCCP iteration.  It never rises.
    n_steps_, gap_ : ndarray of int, float
        Steps of the solver in each iteration.  Certified gap of the last convex problem.

    Notes
    -----
    Samples are centred, so sum_i w_s @ x_i is zero without a bias and n b_s with one: the balance
    constraint bounds the differences of the biases, and is vacuous without them.  The name keeps
    the cutting planes of [1]_.  The convex problems are the same, their solver is that of `PMMC`.

    A step of the solver costs O(n C d).

    References
    ----------
    .. [1] B. Zhao, F. Wang, C. Zhang, "Efficient Multiclass Maximum Margin Clustering", ICML 2008.
       doi:10.1145/1390156.1390313
    .. [2] H. Zeng, Y.-M. Cheung, "Semi-Supervised Maximum Margin Clustering with Pairwise
       Constraints", IEEE TKDE 24(5), 2012, eq. (1). doi:10.1109/TKDE.2011.68

    Examples
    --------
    >>> from cscluster import CPMMC
    >>> X = [[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]]
    >>> labels = CPMMC(n_clusters=2, lam=0.1, random_state=0).fit(X).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    version = 2

    bias: bool = parameter(
        True, published=False, why="without a constant term no cluster can lie between others"
    )
    balance: float = parameter(0.1, "q / n: largest difference of the mean scores of two clusters", Real(0))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  Partial labels and constraints are checked, but not used."""
        X, _ = self._validate(X, y, constraints)
        Z = self._coordinates(X)
        design = Design.of(Z, self._mean, self.bias)
        n = X.shape[0]
        S = kmeans_start(Z, self.n_clusters, self._seed)
        losses: list[Loss] = [WinnerLoss(1.0 / n, S.argmax(axis=1))]
        if self.bias:
            losses.append(Balance(n * self.balance))
        procedure = CCCP(design, losses, self._lam(design), self._solver(), self.tol)
        return self._set_run(design, procedure.from_scores(S, self.max_iter))
