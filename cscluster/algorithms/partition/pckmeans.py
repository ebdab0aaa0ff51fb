"""PCK-Means: k-means with a penalty for violated constraints."""

from __future__ import annotations

from typing import Any, Self

from cscluster.algorithms.base import FloatArray, Samples
from cscluster.algorithms.parameters import Choice, Real, parameter
from cscluster.algorithms.partition._constrained_kmeans import ConstrainedKMeans, assignment_parameter
from cscluster.algorithms.partition._metric import Euclidean
from cscluster.algorithms.partition.kmeans import quick_kmeans


class PCKMeans(ConstrainedKMeans):
    r"""K-means with a cost for each violated constraint, started from the neighbourhoods of must-links.

    Finds a local minimum over partitions l and centers mu of

    .. math:: \sum_i \|x_i - \mu_{l_i}\|^2
              + w \sum_{(i,j) \in M} w_{ij} [l_i \ne l_j] + w \sum_{(i,j) \in C} \bar w_{ij} [l_i = l_j]

    where M and C are the transitive closure of the must-links and the cannot-links they entail.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.
    n_reseeded_ : int
        How often an empty cluster was given a sample.

    Notes
    -----
    Given constraints keep their weights, entailed ones have weight one.  Constraints lighter than one
    entail nothing.  Contradictory constraints are named in a warning, and then only the given ones count.
    The objective never rises with 'keep' and 'block'.

    An iteration takes O(n K d) for the samples, and O(K c) for each constrained sample, where c is the
    number of components that its own component is separated from.

    References
    ----------
    .. [1] M. Bilenko, S. Basu, R. J. Mooney, "Integrating Constraints and Metric Learning in
       Semi-Supervised Clustering", 2004, equation (1), sections 3.1 and 3.2.
       doi:10.1145/1015330.1015360

    Examples
    --------
    >>> from cscluster import Constraints, PCKMeans
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.2]]
    >>> constraints = Constraints([(0, 1), (3, 4)], [(1, 2)], n_samples=5)
    >>> PCKMeans(n_clusters=2, random_state=0).fit(X, constraints=constraints).labels_.tolist()
    [0, 0, 1, 1, 1]
    """

    version = 4

    assignment: str = assignment_parameter("block")
    w: float | str = parameter(
        "auto",
        "cost of a violated constraint of weight one, which competes with squared distances. 'auto' is the "
        "mean squared distance of a sample from its center in k-means",
        Real(0),
        Choice("auto"),
        published=1.0,
        why="a fixed cost depends on the unit of the features",
    )

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  The parameters are those of `ConstrainedEstimator.fit`."""
        X, constraints = self._validate(X, y, constraints)
        w = mean_cost(X, self.n_clusters, self._seed) if self.w == "auto" else self.w
        model = Euclidean(float(w), self.n_clusters)
        self._alternate(X, constraints, model, seeds=constraints, assignment=self.assignment)
        return self


def mean_cost(X: FloatArray, n_clusters: int, seed: int | None) -> float:
    """Return the mean squared distance of a sample from its center in k-means; one where all are zero."""
    return float(quick_kmeans(X, n_clusters, seed).objective_[-1]) / len(X) or 1.0
