"""Maximum margin clustering without links."""

from __future__ import annotations

from typing import Self

import numpy as np
from numba import njit

from cscluster.algorithms.base import FloatArray, IntArray, Samples
from cscluster.algorithms.margin.cccp._cccp import cccp, tangent_at_scores
from cscluster.algorithms.margin.cccp._design import Design, Rows, add_row, row_scores
from cscluster.algorithms.margin.cccp._model import MarginClusterer
from cscluster.algorithms.margin.cccp._starts import kmeans_scores
from cscluster.algorithms.margin.cccp._terms import Term, visiting_order
from cscluster.algorithms.parameters import Real, parameter
from cscluster.constraints import Constraints


class WinnerMargins(Term):
    """The winner should lead by a margin, the first constraint of (1).

    R(S) = cost * sum over i of  {1 - S[i, y_i] + max over z != y_i of S[i, z]}_+

    The tangent is y.  The dual variables of sample i are nonnegative and sum to `cost`; that of
    y_i is the slack, which stands for "no loss".
    """

    def __init__(self, n_samples: int, cost: float, n_clusters: int) -> None:
        self.cost = cost
        self.y = np.zeros(n_samples, dtype=np.int64)
        self.alpha = np.zeros((n_samples, n_clusters))
        self.alpha[:, 0] = cost

    def relinearise(self, S: FloatArray) -> None:
        """Let y be the winners; the duals of the old and the new winner swap places."""
        rows = np.arange(len(self.y))
        y = S.argmax(axis=1)
        old, new = self.alpha[rows, self.y], self.alpha[rows, y]
        self.alpha[rows, self.y], self.alpha[rows, y] = new, old
        self.y = y

    def _runner_up(self, S: FloatArray) -> tuple[IntArray, FloatArray]:
        """Return the best cluster other than y, and by how much it misses the margin."""
        rows = np.arange(len(S))
        others = S.copy()
        others[rows, self.y] = -np.inf
        z = others.argmax(axis=1)
        return z, 1.0 - S[rows, self.y] + S[rows, z]

    def value(self, S: FloatArray) -> float:
        """Return R(S)."""
        return self.cost * float(np.maximum(self._runner_up(S)[1], 0.0).sum())

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add a subgradient of R at S to G."""
        rows = np.arange(len(S))
        z, shortfall = self._runner_up(S)
        violated = self.cost * (shortfall > 0)
        G[rows, z] += violated
        G[rows, self.y] -= violated

    def dual_sum(self) -> float:
        """Return the sum of the dual variables, the slack excluded."""
        return float((self.cost - self.alpha[np.arange(len(self.y)), self.y]).sum())

    def add_dual(self, B: FloatArray) -> None:
        """Add B(alpha)."""
        B -= self.alpha
        B[np.arange(len(self.y)), self.y] += self.cost

    def sweep(self, design: Design, V: FloatArray, lam: float, rng: np.random.Generator) -> None:
        """Maximise the dual over the variables of each sample once."""
        order = visiting_order(len(self.y), rng)
        _sweep_winners(design.rows, design.squared_norms, V, lam, order, self.y, self.alpha)


@njit(cache=True)
def _sweep_winners(
    rows: Rows, norms: FloatArray, V: FloatArray, lam: float, order: IntArray, y: IntArray, alpha: FloatArray
) -> None:
    """Exchange dual weight between the best and the worst variable of each sample."""
    C = V.shape[0]
    s, a = np.empty(C), np.empty(C)
    for i in order:
        own = y[i]
        h = norms[i] / lam
        row_scores(rows, i, V, s)
        a[:] = 0.0
        changed = False
        for _ in range(2 * C):
            up, down = own, own
            rise, fall = 0.0, 0.0 if alpha[i, own] > 0.0 else np.inf
            for z in range(C):
                if z != own:
                    loss = 1.0 - s[own] + s[z]
                    if loss > rise:
                        up, rise = z, loss
                    if alpha[i, z] > 0.0 and loss < fall:
                        down, fall = z, loss
            if rise - fall <= 1e-9:
                break
            b = alpha[i, down]
            if 2.0 * h * b > rise - fall:
                b = (rise - fall) / (2.0 * h)
            alpha[i, up] += b
            alpha[i, down] -= b
            s[down] += b * h
            s[up] -= b * h
            a[down] += b / lam
            a[up] -= b / lam
            changed = True
        if changed:
            add_row(rows, i, V, a)


class Balance(Term):
    """No cluster may score much higher than another in sum, the second constraint of (1).

    R(S) = 0 if  |sum_i S[i, s] - sum_i S[i, z]| <= q  for all s and z, infinite otherwise.

    There is one dual variable, mu[s, z] >= 0, for each ordered pair.
    """

    def __init__(self, q: float, n_clusters: int) -> None:
        self.q = q
        self.mu = np.zeros((n_clusters, n_clusters))

    def value(self, S: FloatArray) -> float:
        """Return 0, or infinity if the constraint is broken beyond rounding."""
        return 0.0 if np.ptp(S.sum(axis=0)) <= self.q * (1 + 1e-9) + 1e-9 else np.inf

    def add_subgradient(self, S: FloatArray, G: FloatArray) -> None:
        """Add nothing: R is zero wherever it is finite."""

    def repair(self, design: Design, W: FloatArray) -> FloatArray:
        """Move the sums of scores of W into the allowed range, each by as little as possible."""
        m = self._sum(design)
        sums = W @ m
        middle = 0.5 * (sums.max() + sums.min())
        excess = sums - np.clip(sums, middle - 0.5 * self.q, middle + 0.5 * self.q)
        return W - np.outer(excess / max(float(m @ m), 1e-300), m)

    def dual_sum(self) -> float:
        """Return the linear part, -q times the sum of mu."""
        return -self.q * float(self.mu.sum())

    def add_dual(self, B: FloatArray) -> None:
        """Add B(mu): the same for each sample."""
        B += self.mu.sum(axis=0) - self.mu.sum(axis=1)

    def sweep(self, design: Design, V: FloatArray, lam: float, rng: np.random.Generator) -> None:
        """Maximise the dual over one mu after the other."""
        m = self._sum(design)
        h = float(m @ m) / lam
        if h == 0.0:
            return
        a = np.zeros(len(V))
        _sweep_balance(design.weights(V) @ m, self.mu, self.q, h, a)
        V += np.outer(a / lam, design.extend(m[None])[0])

    @staticmethod
    def _sum(design: Design) -> FloatArray:
        return design.combine(np.ones((design.X.shape[0], 1)))[0]


@njit(cache=True)
def _sweep_balance(sums: FloatArray, mu: FloatArray, q: float, h: float, a: FloatArray) -> None:
    for s in range(len(sums)):
        for z in range(len(sums)):
            if s == z:
                continue
            new = max(0.0, mu[s, z] + (sums[s] - sums[z] - q) / (2.0 * h))
            step = new - mu[s, z]
            mu[s, z] = new
            sums[s] -= h * step
            sums[z] += h * step
            a[s] -= step
            a[z] += step


class CPMMC(MarginClusterer):
    """Multiclass maximum margin clustering by cutting planes (CPMMC), which uses no links.

    Sample x scores w_y @ x for cluster y; the winner is its label.  W minimises

        lam/2 ||W||^2 + 1/n sum_i {1 - max_y w_y @ x_i + max_{z != y_i} w_z @ x_i}_+             (1)
        subject to  -q <= sum_i w_s @ x_i - sum_i w_z @ x_i <= q   for all clusters s and z,

    where y_i is the winner.  CCCP freezes the winners; what remains is a multiclass support vector
    machine with the balance constraint, solved with a certified duality gap.  The start is plain
    k-means, the best of ten runs.

    Attributes
    ----------
    coef_, intercept_ : ndarrays of shapes (n_clusters, n_features) and (n_clusters,)
        The linear scores.
    objective_ : ndarray
        Objective (1) after each CCCP iteration; it never rises.
    n_steps_, gap_ : ndarray of int, float
        Steps of the solver in each iteration; certified gap of the last convex problem.

    Notes
    -----
    Samples are centred, so sum_i w_s @ x_i is zero without a bias and n b_s with one: the balance
    constraint bounds the differences of the biases, and is vacuous without them.  The name keeps
    the cutting planes of [1]_; the convex problems are the same, their solver is that of `PMMC`.

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

    bias: bool = True
    balance: float = parameter(0.1, "q / n: largest difference of the mean scores of two clusters", Real(0))

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`; the links are not used."""
        X, _ = self._validate(X, constraints)
        rng = np.random.default_rng(self.random_state)
        design = self._design(X)
        n, C = X.shape[0], self.n_clusters
        terms: list[Term] = [WinnerMargins(n, 1.0 / n, C)]
        if self.bias:
            terms.append(Balance(n * self.balance, C))
        start = tangent_at_scores(terms, kmeans_scores(design.X, C, 10, rng), design.X.shape[1])
        run = cccp(design, terms, self.lam, start, self._solver(rng), tol=self.tol, max_iter=self.max_iter)
        self._store(design, run)
        return self
