"""K-means: the baseline of every table."""

from __future__ import annotations

from typing import Self

import numpy as np
import sklearn.cluster

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples
from cscluster.algorithms.parameters import N_CLUSTERS, RANDOM_STATE, Choice, Integer, Parameter, Real
from cscluster.constraints import Constraints


class KMeans(Clusterer):
    """K-means of scikit-learn, without constraints.

    Minimises the sum over samples of ``||x_i - mu_{y_i}||^2``.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    init : {'k-means++', 'random'}
        How the first centres are chosen.
    n_init : int
        Number of starts; the lowest objective wins.
    max_iter : int
        Largest number of iterations of a start.
    tol : float
        Relative change of the centres below which a start has converged.
    random_state : int, optional
        Seed of the starts.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres mu.

    References
    ----------
    .. [1] S. Lloyd, "Least Squares Quantization in PCM", 1982. doi:10.1109/TIT.1982.1056489

    Examples
    --------
    >>> from cscluster import KMeans
    >>> KMeans(n_clusters=2, random_state=0).fit([[0.0], [0.1], [5.0]]).labels_.tolist()[:2]
    [0, 0]
    """

    parameters = {
        "n_clusters": N_CLUSTERS,
        "init": Parameter("choice of the first centres", Choice("k-means++", "random")),
        "n_init": Parameter("number of starts", Integer(1)),
        "max_iter": Parameter("iteration limit of a start", Integer(1)),
        "tol": Parameter("relative change of the centres that counts as none", Real(0)),
        "random_state": RANDOM_STATE,
    }
    accepts_sparse = True

    cluster_centers_: FloatArray

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Samples, constraints: Constraints | None = None) -> Self:
        """Cluster `X`; the links are not used."""
        X, _ = self._validate(X, constraints)
        self._model = sklearn.cluster.KMeans(**self.get_params()).fit(X)
        self.cluster_centers_ = self._model.cluster_centers_
        self.labels_ = self._model.labels_.astype(np.int64)
        self.n_iter_ = self._model.n_iter_
        self.converged_ = self.n_iter_ < self.max_iter
        self.objective_ = np.array([self._model.inertia_])
        return self

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest centre of each sample."""
        X = self._validate_new(X)
        return self._model.predict(X).astype(np.int64)
