"""K-means: the baseline of every table."""

from __future__ import annotations

from typing import Self

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import IntArray, Samples
from cscluster.algorithms.parameters import Choice, Real, parameter
from cscluster.algorithms.partition._restarts import RestartedClusterer
from cscluster.algorithms.partition._seeding import perturbed_centroids
from cscluster.algorithms.shared import once
from cscluster.constraints import Constraints


class KMeans(RestartedClusterer):
    """K-means of scikit-learn, without constraints.

    Minimises the sum over samples of ``||x_i - mu_{y_i}||^2``.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres mu.

    Notes
    -----
    An iteration takes O(n K d).

    References
    ----------
    .. [1] S. Lloyd, "Least Squares Quantization in PCM", 1982. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> from cscluster import KMeans
    >>> KMeans(n_clusters=2, random_state=0).fit([[0.0], [0.1], [5.0]]).labels_.tolist()[:2]
    [0, 0]
    """

    accepts_sparse = True

    init: str = parameter(
        "k-means++",
        "choice of the first centres; 'perturbed', as in the program of bilenko2004's authors, multiplies "
        "each feature of the centroid by a number between 0.65 and 1.35, and has one start",
        Choice("k-means++", "random", "perturbed"),
    )
    tol: float = parameter(1e-4, "relative change of the centres that counts as none", Real(0))

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`; the links are not used."""
        X, _ = self._validate(X, constraints)
        options = self.get_params()
        setting = tuple(sorted(options.items()))
        if self.init == "perturbed":
            centroid = np.asarray(X.mean(axis=0)).ravel()
            rng = np.random.default_rng(self.random_state)
            options |= {"init": perturbed_centroids(centroid, self.n_clusters, rng), "n_init": 1}
        self._model = once(
            X, ("k-means", setting), self.random_state, lambda: sklearn.cluster.KMeans(**options).fit(X)
        )
        self.cluster_centers_ = self._model.cluster_centers_
        self._end_with(self._model)
        return self

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest centre of each sample."""
        X = self._validate_new(X)
        return self._model.predict(X).astype(np.int64)
