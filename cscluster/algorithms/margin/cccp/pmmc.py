"""Pairwise constrained maximum margin clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.fallback import Reference
from cscluster.algorithms.margin.cccp.cccp import Run, Solution, Solve, cccp, from_scores, resume, tangents
from cscluster.algorithms.margin.cccp.design import Design
from cscluster.algorithms.margin.cccp.losses import LinkLoss, Loss, PointLoss, objective
from cscluster.algorithms.margin.cccp.model import LinkedMarginClusterer, warn_of_contradictions
from cscluster.algorithms.margin.cccp.starts import paper_start
from cscluster.algorithms.parameters import Choice, Integer, Real, parameter
from cscluster.algorithms.shared import clock
from cscluster.constraints import Constraints
from cscluster.errors import ConstraintError, warn


def link_loss(links: Constraints) -> LinkLoss:
    """Return (1/L) sum of eta_j over the links, eq. (4) and (5); weighted links weigh in."""
    total = links.must_weights.sum() + links.cannot_weights.sum()
    cost = links.weights / total
    return LinkLoss(links.pairs, len(links.must_links), cost, np.zeros_like(links.pairs))


def point_loss(links: Constraints, delta: float, n_clusters: int) -> PointLoss | None:
    """Return delta/(U C) sum of xi_iz over the samples that no link touches, if there are any."""
    U = np.setdiff1d(np.arange(links.n_samples), links.touched)
    if not len(U) or delta == 0:
        return None
    return PointLoss(U, delta / (len(U) * n_clusters), np.zeros_like(U))


@dataclass(frozen=True)
class Lead:
    """A start, or where the iterations of Algorithm 1 that have delta = 0 have led from it.

    Attributes
    ----------
    losses : list of Loss
        The losses of (6), their winners frozen at `start`.
    start : Solution
        The weights so far and their value of (6).
    links_only : Run, optional
        The iterations with delta = 0, in the design of the linked samples.
    """

    losses: list[Loss]
    start: Solution
    links_only: Run | None = None


def lead_from_scores(design: Design, losses: Sequence[Loss], S: FloatArray) -> Lead:
    """Return the start with the winners of the scores S."""
    frozen = tangents(losses, S)
    return Lead(frozen, from_scores(design, frozen, S))


def lead_from_run(design: Design, near: Design, losses: Sequence[Loss], lam: float, run: Run) -> Lead:
    """Return where a run for the links alone, in the design `near` of the linked samples, has led."""
    W = near.original(run.solution.W)
    S = design.scores(W)
    frozen = tangents(losses, S)
    start = Solution(W, S, objective(design, frozen, lam, W, S), memory=run.solution.memory)
    return Lead(frozen, start, run)


def race_leads(
    design: Design,
    links: Constraints,
    losses: Sequence[Loss],
    starts: Sequence[FloatArray],
    *,
    lam: float,
    annealing: int,
    n_finalists: int,
    solve: Solve,
) -> list[Lead]:
    """Run the iterations with delta = 0 from scores; after each the worse half ends, by the objective (6).

    At least `n_finalists` go on, and as many are returned.
    """
    near = design.rows_at(links.touched)
    every = link_loss(links)
    near_loss = replace(every, pairs=np.searchsorted(links.touched, every.pairs))
    runs = []
    for S in starts:
        first = tangents([near_loss], S[links.touched])
        start = from_scores(near, first, S[links.touched])
        runs.append(cccp(near, first, lam, start, solve, tol=0.0, max_iter=1))

    def ranked() -> list[Lead]:
        leads = (lead_from_run(design, near, losses, lam, run) for run in runs)
        return sorted(leads, key=lambda lead: lead.start.value)

    for _ in range(annealing - 1):
        better = ranked()[: max(n_finalists, (len(runs) + 1) // 2)]
        going_on = [lead.links_only for lead in better if lead.links_only]
        runs = [resume(run, near, [near_loss], lam, solve, tol=0.0, max_iter=1) for run in going_on]
    return ranked()[:n_finalists]


class PMMC(LinkedMarginClusterer):
    r"""Pairwise constrained maximum margin clustering (PMMC).

    Sample x scores :math:`w_y^T x` for cluster y; the winner is its label.  W minimises

    .. math:: \frac{\lambda}{2} \|W\|^2 + \frac{1}{L} \sum_j \eta_j
              + \frac{\delta}{|U| C} \sum_{i \in U} \sum_z \xi_{iz} \qquad (6)

    The first term asks for a wide margin; lambda (`lam`) is its weight against the losses.  A link j
    between :math:`x_{j1}` and :math:`x_{j2}` has a loss if the scores do not keep it by a margin of one.
    With :math:`s(y_1, y_2) = w_{y_1}^T x_{j1} + w_{y_2}^T x_{j2}` it is, for a must-link,

    .. math:: \eta_j = \max(0, 1 - \max_{y_1 = y_2} s(y_1, y_2) + \max_{y_1 \ne y_2} s(y_1, y_2)) \qquad (4)

    and for a cannot-link

    .. math:: \eta_j = \max(0, 1 - \max_{y_1 \ne y_2} s(y_1, y_2) + \max_{y_1 = y_2} s(y_1, y_2)) \qquad (5)

    A sample without a link (the set U) should have a clear winner:

    .. math:: \xi_{iz} = \max(0, 1 - \max_y w_y^T x_i + w_z^T x_i)

    CCCP replaces the maxima with a minus sign by their tangents and solves the convex problem (21)
    that remains, repeatedly.  For the first iterations delta is zero: links alone.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shapes (n_clusters, n_features) and (n_clusters,)
        The linear scores.
    objective_ : ndarray
        Objective (6) after each CCCP iteration, with the delta of that iteration.
    delta_ : ndarray
        That delta; the objective never rises while it stays the same.
    n_steps_ : ndarray of int
        Steps of the solver in each CCCP iteration.
    gap_ : float
        Certified gap of the last convex problem; infinite for 'subgradient'.
    offline_seconds_ : float
        Time that the starts took.

    Notes
    -----
    Readings.  Samples are centred here, sparse ones implicitly, so that (18) applies and no cluster
    can win everywhere.  U is the set of samples that no link touches; the terms z = y of (6), a
    constant delta / C, are kept.  (18) fixes a trace only and would have rank one: A.T S_m A = I is
    meant.  Weighted links count eta_j with their share of all weights.  Algorithm 2 starts from the
    current W instead of a random one: its first step forgets the start anyway.  The stop rule of
    CCCP is tested once delta has its final value.

    Starts decide most: the signs of the eigenvectors in (18) are arbitrary.  'auto' takes the scores of
    the projection with S_m shrunk by 0.001, 0.01, 0.1 and 1, k-means in each of them, and plain k-means;
    it was never behind 'paper' (docs/measurements.md).

    Complexity.  A sweep of the dual ascent or a subgradient costs O(n C d), or O(C nnz) for sparse
    samples; a pair costs O(C), not O(C^2); the projections O(min(d, L)^3).  Dense samples with
    d >= 2n are rotated into their span first.  For dense samples with n <= 2d the dual ascent keeps all
    scores by inner products: a sample that changes nothing costs O(C), one that does O(n C).  A kernel
    costs O(n^3) for kernel PCA.

    References
    ----------
    .. [1] H. Zeng, Y.-M. Cheung, "Semi-Supervised Maximum Margin Clustering with Pairwise
       Constraints", IEEE TKDE 24(5), 2012. doi:10.1109/TKDE.2011.68

    Examples
    --------
    Four corners of a square can be halved in two ways; the links say which is meant.

    >>> from cscluster import PMMC, Constraints
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> links = Constraints([(0, 1)], [(1, 3)], n_samples=4)
    >>> labels = PMMC(n_clusters=2, lam=0.1, random_state=0).fit(X, links).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    version = 4

    lam: float | None = None
    bias: bool = True
    delta: float = parameter(1.0, "weight of the samples without a link", Real(0))
    init: str = parameter(
        "auto",
        "'auto' races several label-free starts: half of them, by the objective (6), end after each of the "
        "first, cheap iterations; n_finalists go on; the lowest final objective wins. 'paper' is the "
        "projection (18) alone, with whatever signs its eigenvectors have",
        Choice("auto", "paper"),
    )
    annealing: int = parameter(
        3,
        "number of first iterations with delta = 0: links only; with 0 every start is run to the end",
        Integer(0),
    )

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X` so that links are kept by a margin."""
        X, links = self._validate(X, constraints)
        self.offline_seconds_ = 0.0
        Z = self._coordinates(X)
        kmeans = Reference(Z, self.n_clusters, self.random_state)
        if not len(links) and self.fallback:
            self.delta_ = np.zeros(1)
            return self._without_links(Z, links, kmeans)
        self._report(links)
        if self._falls_back_at_once(Z, links, kmeans):
            self.delta_ = np.zeros(1)
            return self
        design = self._design(Z)
        lam, solve = self._lam(design), self._solver()
        begin = clock()
        if self.init == "paper" and len(links):
            rng = np.random.default_rng(self.random_state)
            starts = [paper_start(Design.of(Z, self._mean, self.bias), links, self.n_clusters, rng)]
        else:
            starts = self._starts(Z, links)
        self.offline_seconds_ = clock() - begin
        points = point_loss(links, self.delta, self.n_clusters)
        losses: list[Loss] = [] if points is None else [points]
        if len(links):
            losses.append(link_loss(links))
        if len(links) and self.annealing:
            leads = race_leads(
                design,
                links,
                losses,
                starts,
                lam=lam,
                annealing=self.annealing,
                n_finalists=self.n_finalists,
                solve=solve,
            )
        else:
            leads = [lead_from_scores(design, losses, S) for S in starts]
        runs = [self._finish(design, lead, lam, solve) for lead in leads]
        best = min(range(len(runs)), key=lambda k: runs[k].solution.value)
        self._store(design, runs[best])
        links_only = leads[best].links_only
        n_first = len(links_only.history) if links_only else 0
        self.delta_ = np.repeat([0.0, float(self.delta)], [n_first, self.n_iter_ - n_first])
        self._settle(Z, links, kmeans)
        if self.uses_kmeans_:
            self.delta_ = np.zeros(1)
        return self

    def _finish(self, design: Design, lead: Lead, lam: float, solve: Solve) -> Run:
        run = cccp(design, lead.losses, lam, lead.start, solve, tol=self.tol, max_iter=self.max_iter)
        if lead.links_only is None:
            return run
        first = lead.links_only
        return replace(run, history=first.history + run.history, n_steps=first.n_steps + run.n_steps)

    def _report(self, links: Constraints) -> None:
        warn_of_contradictions("PMMC", links)
        if len(links):
            return
        if self.bias or self.delta == 0:
            raise ConstraintError(
                "PMMC has no link to go by, and nothing else keeps the samples out of one cluster "
                "(bias=True or delta=0); give links, or use cpmmc."
            )
        warn("PMMC has no link to go by; it minimises the margin losses of the samples alone.")
