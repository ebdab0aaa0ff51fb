"""Pairwise constrained maximum margin clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from cscluster.algorithms.base import FloatArray, Samples, warn_of_contradictions
from cscluster.algorithms.margin.cccp.cccp import CCCP, Run, Solution, objective_of
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.losses import ConstraintLoss, PointLoss
from cscluster.algorithms.margin.cccp.model import MarginClusterer
from cscluster.algorithms.margin.cccp.starts import paper_start
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.algorithms.shared import clock
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError


def constraint_loss(constraints: Constraints) -> ConstraintLoss:
    """Return (1/L) sum of eta_j over the constraints, eq. (4) and (5), weighted where they are."""
    cost = constraints.weights / (constraints.must_weights.sum() + constraints.cannot_weights.sum())
    pairs = constraints.pairs
    return ConstraintLoss(pairs, len(constraints.must_links), cost, np.zeros_like(pairs))


def point_loss(constraints: Constraints, delta: float, n_clusters: int) -> PointLoss | None:
    """Return delta/(U C) sum of xi_iz over the samples without a constraint, if there are any."""
    U = np.setdiff1d(np.arange(constraints.n_samples), constraints.touched)
    if not len(U) or delta == 0:
        return None
    return PointLoss(U, delta / (len(U) * n_clusters), np.zeros_like(U))


def successive_halving(
    whole: CCCP, constraints: Constraints, starts: Sequence[FloatArray], annealing: int, n_finalists: int
) -> list[Run]:
    """Run the iterations of Algorithm 1 that have delta = 0 from several starts.

    They take place in the design of the constrained samples.  After each, the half of the candidates with
    the lower objective (6), that of `whole`, goes on, but at least `n_finalists`.

    Returns
    -------
    list of Run
        The best `n_finalists`, ready to be resumed with all losses.
    """
    touched = constraints.touched
    near = whole.design.rows_at(touched)
    alone = CCCP(near, [constraint_loss(constraints.renumbered(touched))], whole.lam, whole.solve, tol=0.0)

    def in_all_samples(run: Run) -> Run:
        W = near.original(run.solution.W)
        S = whole.design.scores(W)
        solution = Solution(W, S, whole.value(W, S), memory=run.solution.memory)
        return replace(run, solution=solution, converged=False)

    runs = [alone.from_scores(S[touched], 1) for S in starts]
    for _ in range(annealing - 1):
        n_left = max(n_finalists, (len(runs) + 1) // 2)
        better = sorted(runs, key=lambda run: objective_of(in_all_samples(run)))[:n_left]
        runs = [alone.resume(run, 1) for run in better]
    return sorted(map(in_all_samples, runs), key=objective_of)[:n_finalists]


class PMMC(MarginClusterer):
    r"""Pairwise constrained maximum margin clustering (PMMC).

    Sample x scores :math:`w_y^T x` for cluster y.  The winner is its label.  W minimises

    .. math:: \frac{\lambda}{2} \|W\|^2 + \frac{1}{L} \sum_j \eta_j
              + \frac{\delta}{|U| C} \sum_{i \in U} \sum_z \xi_{iz} \qquad (6)

    The first term asks for a wide margin.  Lambda (`lam`) is its weight against the losses.  A constraint j
    between :math:`x_{j1}` and :math:`x_{j2}` has a loss if the scores do not satisfy it by a margin of one.
    With :math:`s(y_1, y_2) = w_{y_1}^T x_{j1} + w_{y_2}^T x_{j2}` it is, for a must-link,

    .. math:: \eta_j = \max(0, 1 - \max_{y_1 = y_2} s(y_1, y_2) + \max_{y_1 \ne y_2} s(y_1, y_2)) \qquad (4)

    and for a cannot-link

    .. math:: \eta_j = \max(0, 1 - \max_{y_1 \ne y_2} s(y_1, y_2) + \max_{y_1 = y_2} s(y_1, y_2)) \qquad (5)

    A sample without a constraint (the set U) should have a clear winner:

    .. math:: \xi_{iz} = \max(0, 1 - \max_y w_y^T x_i + w_z^T x_i)

    CCCP replaces the maxima with a minus sign by their tangents and solves the convex problem (21)
    that remains, repeatedly.  For the first iterations delta is zero: constraints alone.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shapes (n_clusters, n_features) and (n_clusters,)
        The linear scores.
    objective_ : ndarray
        Objective (6) after each CCCP iteration, with the delta of that iteration.
    delta_ : ndarray
        That delta.  The objective never rises while it stays the same.
    n_steps_ : ndarray of int
        Steps of the solver in each CCCP iteration.
    gap_ : float
        Certified gap of the last convex problem, infinite for 'subgradient'.
    offline_seconds_ : float
        Time that the starts took.

    Notes
    -----
    Readings.  Samples are centred here, sparse ones implicitly, so that (18) applies and no cluster
    can win everywhere.  U is the set of samples without a constraint.  The terms z = y of (6), a
    constant delta / C, are included.  (18) fixes a trace only and would have rank one: A.T S_m A = I is
    meant.  A weighted constraint counts eta_j with its share of all weights.  Algorithm 2 starts from the
    current W instead of a random one: its first step forgets the start anyway.  The stop rule of
    CCCP is tested once delta has its final value.

    Starts decide most: the signs of the eigenvectors in (18) are arbitrary.  'auto' takes the scores of
    the projection with S_m shrunk by 0.001, 0.01, 0.1 and 1, k-means in each of them, and plain k-means.

    Complexity.  A sweep of the dual ascent or a subgradient costs O(n C d), or O(C nnz) for sparse
    samples.  A pair costs O(C), not O(C^2), and the projections O(min(d, L)^3).  Dense samples with
    d >= 2n are rotated into their span first.  For dense samples with n <= 2d the dual ascent keeps all
    scores by inner products: a sample that changes nothing costs O(C), one that does O(n C).  A kernel
    costs O(n^3) for kernel PCA.

    References
    ----------
    .. [1] H. Zeng, Y.-M. Cheung, "Semi-Supervised Maximum Margin Clustering with Pairwise
       Constraints", IEEE TKDE 24(5), 2012. doi:10.1109/TKDE.2011.68

    Examples
    --------
    Four corners of a square can be halved in two ways.  The constraints say which is meant.

    >>> from cscluster import PMMC, Constraints
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> constraints = Constraints([(0, 1)], [(1, 3)], n_samples=4)
    >>> labels = PMMC(n_clusters=2, lam=0.1, random_state=0).fit(X, constraints=constraints).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    version = 4

    lam: float | str = parameter(
        "auto", published=1.0, why="a useful weight goes with the square of the features' scale"
    )
    solver: str = parameter(
        "dual",
        published="subgradient",
        why="'dual' certifies how far each convex problem is from its optimum",
    )
    bias: bool = parameter(
        True, published=False, why="without a constant term no cluster can lie between others"
    )
    delta: float = parameter(1.0, "weight of the samples without a constraint", Real(0))
    init: str = parameter(
        "auto",
        "'auto' compares several label-free starts by successive halving: after each of the first, cheap "
        "iterations the half with the higher objective (6) is dropped, down to n_finalists. The lowest final "
        "objective wins. 'paper' is the projection (18) alone, with arbitrary signs of its eigenvectors",
        Choice("auto", "paper"),
        published="paper",
        why="the signs of the eigenvectors in (18) are arbitrary, and the start decides most",
    )
    annealing: int = parameter(
        3,
        "number of first iterations with delta = 0, constraints only. With 0 every start is run to the end",
        Integer(0),
    )
    n_finalists: int = parameter(3, "number of candidates that are run to the end", Integer(1))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X` so that constraints are satisfied by a margin.  See `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        if not len(constraints):
            raise ConstraintError("PMMC needs constraints. Use cpmmc, which clusters without any.")
        warn_of_contradictions(constraints, "PMMC treats them as soft and violates some.")
        Z = self._coordinates(X)
        design = self._design(Z)
        begin = clock()
        starts = self._starts(Z, constraints)
        self.offline_seconds_ = clock() - begin
        n_first, run = self._best_run(design, constraints, starts)
        self.delta_ = np.repeat([0.0, float(self.delta)], [n_first, len(run.history) - n_first])
        return self._set_run(design, run)

    def _starts(self, Z: Samples, constraints: Constraints) -> list[FloatArray]:
        """Return the scores of the starts that `init` names."""
        if self.init == "auto":
            return self._candidate_starts(Z, constraints)
        design = Design.of(Z, self._mean, self.bias)
        return [paper_start(design, constraints, self.n_clusters, np.random.default_rng(self._seed))]

    def _best_run(
        self, design: Design, constraints: Constraints, starts: Sequence[FloatArray]
    ) -> tuple[int, Run]:
        """Run Algorithm 1; return the number of iterations with delta = 0 and the run of lowest objective."""
        points = point_loss(constraints, self.delta, self.n_clusters)
        losses = [*([points] if points else []), constraint_loss(constraints)]
        whole = CCCP(design, losses, self._lam(design), self._solver(), self.tol)
        if not self.annealing:
            every = [whole.from_scores(S, self.max_iter) for S in starts]
            return 0, min(every, key=objective_of)
        candidates = successive_halving(whole, constraints, starts, self.annealing, self.n_finalists)
        runs = [(len(run.history), whole.resume(run, self.max_iter)) for run in candidates]
        return min(runs, key=lambda pair: objective_of(pair[1]))
