"""MPCK-Means: k-means with a penalty for violated constraints, and metrics that are learned from them."""

from __future__ import annotations

from typing import Any, Self

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.parameters import Choice, Real, parameter
from cscluster.algorithms.partition._constrained_kmeans import ConstrainedKMeans, assignment_parameter
from cscluster.algorithms.partition._metric import Metrics
from cscluster.constraints import Constraints

METRIC = parameter("single", "one metric, or one for each cluster", Choice("single", "multiple"))
MATRIX = parameter("diagonal", "weights of the features, or full matrices", Choice("diagonal", "full"))
FLOOR = parameter(
    0.1,
    "least eigenvalue of A^-1, relative to the variances of the features",
    Real(0, 1, open_low=True),
    published=0.01,
    why="a metric that few constraints determine must not ignore features",
)
W = parameter(
    1.0, "cost of a violated constraint of weight one, which competes with squared distances", Real(0)
)


class MPCKMeans(ConstrainedKMeans):
    r"""K-means with a cost for each violated constraint under metrics that are learned along the way.

    Finds a partition l, centers mu and metrics A that make small

    .. math:: \sum_i \left( \|x_i - \mu_{l_i}\|^2_{A_{l_i}} - \log\det A_{l_i} \right)
              + w \sum_{(i,j) \in M} w_{ij} f_M(i, j) [l_i \ne l_j]
              + w \sum_{(i,j) \in C} \bar w_{ij} f_C(i, j) [l_i = l_j]

    where M and C are the transitive closure of the must-links and the cannot-links they entail,
    :math:`f_M` is the squared distance of the pair, averaged over the metrics of its two clusters,
    and :math:`f_C` is how much closer the pair is than the maximally separated pair of samples.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.
    metrics_ : ndarray of shape (n_metrics, n_features[, n_features])
        The metrics A, or their diagonals: one, or one for each cluster.
    n_floored_ : int
        Number of iterations in which an eigenvalue of A^-1 was lifted to the floor.
    n_reseeded_ : int
        How often an empty cluster was given samples.

    Notes
    -----
    **Assignment.**  With 'keep' a sample follows partners that are still in the wrong cluster.
    'reset' finds a partition that satisfies most constraints.

    **Metrics.**  A violated must-link counts half in the metrics of its two clusters, so fully in a
    single one.  For diagonal matrices the maximally separated pair are opposite corners of the
    bounding box, which keep the weights of equation (8) positive.  For full ones it is searched
    along a few farthest samples.  Equation (7) may still give a singular or indefinite A^-1.  Its
    small eigenvalues are lifted to the floor, since negative ones call for a large weight, not
    for none.  This is the optimum among metrics so bounded.

    **Objective.**  It never rises with 'keep' and 'block' while the maximally separated pair stays
    the same, which for diagonal matrices is always.  Where `max_iter` iterations reach no fixed point,
    the labels, centers and metrics are those of the lowest objective.

    **Constraints.**  Given constraints keep their weights, entailed ones have weight one.  Contradictory
    constraints are named in a warning, and then only the given ones count.

    **Cost.**  An iteration takes O(n K d), with full matrices O(n d^2) for each metric, and
    O(K c d) for each constrained sample, where c is the number of components that its own component
    is separated from.  The closure is never expanded.

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney, "Integrating Constraints and Metric Learning in
       Semi-Supervised Clustering", 2004, equations (4) to (8), Figure 1.
       doi:10.1145/1015330.1015360

    Examples
    --------
    >>> from cscluster import Constraints, MPCKMeans
    >>> X = [[0.0, 9.0], [0.1, -9.0], [0.3, 3.0], [2.0, 9.5], [2.1, -9.2], [2.2, 0.0]]
    >>> constraints = Constraints([(0, 1), (3, 4)], [(0, 3), (2, 5)], n_samples=6)
    >>> model = MPCKMeans(n_clusters=2, random_state=0).fit(X, constraints=constraints)
    >>> model.labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> bool(model.metrics_[0, 0] > 100 * model.metrics_[0, 1])  # the second feature says nothing
    True
    """

    version = 5

    assignment: str = assignment_parameter("reset")
    metric: str = METRIC
    matrix: str = MATRIX
    floor: float = FLOOR
    w: float = W

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X` and learn the metrics.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        return learn_metrics(self, X, constraints, constraints, self.assignment)


def learn_metrics(
    model: Any, X: FloatArray, constraints: Constraints, seeds: Constraints, assignment: str | None
) -> Any:
    """Alternate with metrics; set the fitted attributes of a model and return it."""
    options = {name: getattr(model, name) for name in ("metric", "matrix", "w", "floor")}
    start = Metrics.start(X, model.n_clusters, **options)
    learned = model._alternate(X, constraints, start, seeds=seeds, assignment=assignment)
    model.metrics_, model.n_floored_ = learned.matrices(), learned.n_floored
    return model
