"""K-means of scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.cluster
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from cscluster.algorithms.base import Clusterer, FloatArray, IntArray, Samples, dense
from cscluster.algorithms.parameters import Choice, Real, parameter
from cscluster.algorithms.partition._centers import MAX_ITER, N_INIT
from cscluster.algorithms.partition._seeding import far_pair, perturbed_centroids
from cscluster.algorithms.shared import once

_BLOCK_ROWS = 4096
SINGLE = (1e-15, 1e15)
"""Bounds of the largest range of a feature for which sums of squares fit into single precision."""


class KMeans(Clusterer):
    """K-means of scikit-learn, without constraints.

    Minimises the sum over samples of ``||x_i - mu_{y_i}||^2``.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers mu.

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

    n_init: int = N_INIT
    max_iter: int = MAX_ITER
    init: str = parameter(
        "k-means++",
        "choice of the first centers. 'perturbed', as in the program of bilenko2004's authors, multiplies "
        "each feature of the centroid by a number between 0.65 and 1.35, and has one start. 'far' draws two "
        "samples until they are far from each other, and has one start too",
        Choice("k-means++", "random", "perturbed", "far"),
    )
    tol: float = parameter(1e-4, "relative change of the centers that counts as none", Real(0))

    def fit(self, X: Samples, y: Any = None, constraints: Any = None) -> Self:
        """Cluster `X`.  Partial labels and constraints are checked, but not used."""
        X, _ = self._validate(X, y, constraints)
        options = {**self.get_params(), "random_state": self._seed}
        n_first = self._n_first(X.shape[0])
        setting = (n_first, *sorted(options.items()))
        if self.init in ("perturbed", "far"):
            options |= {"init": self._first_centers(X), "n_init": 1}
        self._model = once(X, ("k-means", setting), self._seed, lambda: _fitted(X, options, n_first))
        self.cluster_centers_ = self._model.cluster_centers_
        return self._set_kmeans_partition(self._model)

    def _first_centers(self, X: Samples) -> FloatArray:
        """Return the centers of the one start of 'perturbed' or 'far'."""
        rng = np.random.default_rng(self._seed)
        if self.init == "far":
            return dense(X[far_pair(X, self.n_clusters, rng)])
        centroid = np.asarray(X.mean(axis=0)).ravel()
        return perturbed_centroids(centroid, self.n_clusters, rng)

    def predict(self, X: Samples) -> IntArray:
        """Return the nearest center of each sample."""
        X = self._validate_new(X)
        return self._model.predict(X).astype(np.int64)

    def costs(self, X: Samples) -> FloatArray:
        """Return the squared distance of each sample from each center."""
        return np.asarray(self._model.transform(self._validate_new(X)) ** 2)

    def _n_first(self, n_samples: int) -> int:
        """Return the number of samples that the starts run on."""
        return n_samples


class QuickKMeans(KMeans):
    """K-means as a start of other methods: of many samples, a random part chooses the start."""

    part: ClassVar[int] = 10_000

    def _n_first(self, n_samples: int) -> int:
        n_first = max(self.part, self.n_clusters)
        return n_first if n_samples > 2 * n_first else n_samples


def quick_kmeans(X: Samples, n_clusters: int, seed: int | None) -> QuickKMeans:
    """Return k-means with its default parameters, fitted; it need not converge."""
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return QuickKMeans(n_clusters=n_clusters, random_state=seed).fit(X)


def _fitted(X: Samples, options: dict[str, Any], n_first: int) -> sklearn.cluster.KMeans:
    """Fit k-means; only the best start goes on where the starts run on a part of the samples.

    Dense samples are then centered and of single precision, if their squares fit into it, which takes half of
    the time and of the memory.
    """
    if n_first == X.shape[0]:
        return sklearn.cluster.KMeans(**options).fit(X)
    origin = np.zeros(1)
    if not sparse.issparse(X) and SINGLE[0] < (X.max(axis=0) - X.min(axis=0)).max() < SINGLE[1]:
        origin = X.mean(axis=0)
        X = _centered(X, origin)
    rng = np.random.default_rng(options["random_state"])
    rows = np.sort(rng.choice(X.shape[0], n_first, replace=False))
    best = sklearn.cluster.KMeans(**options).fit(X[rows])
    options = {**options, "init": best.cluster_centers_, "n_init": 1, "copy_x": False}
    model = sklearn.cluster.KMeans(**options).fit(X)
    model.cluster_centers_ = model.cluster_centers_ + origin
    return model


def _centered(X: FloatArray, origin: FloatArray) -> NDArray[np.float32]:
    """Return ``X - origin`` without a copy in double precision."""
    Z = np.empty(X.shape, dtype=np.float32)
    for start in range(0, len(X), _BLOCK_ROWS):
        np.subtract(
            X[start : start + _BLOCK_ROWS], origin, out=Z[start : start + _BLOCK_ROWS], casting="same_kind"
        )
    return Z
