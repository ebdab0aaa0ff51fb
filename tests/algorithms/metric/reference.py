"""Metrics that metric-learn 0.7.0 finds on iris with 59 random pairs.

Made with Python 3.11, scikit-learn 1.4.2, numpy 1.26.4 and scipy 1.11.4, the newest with which that
release works::

    X, y = load_iris(return_X_y=True)
    P = np.random.RandomState(0).randint(0, 150, size=(60, 2))
    P = np.unique(np.sort(P[P[:, 0] != P[:, 1]], axis=1), axis=0)
    labels = np.where(y[P[:, 0]] == y[P[:, 1]], 1, -1)
    ITML(preprocessor=X, gamma=1.0, max_iter=100000, tol=1e-12).fit(P, labels, bounds=[0.5, 4.0])
    RCA().fit(X, chunks)  # chunks: the connected components of the pairs labelled 1
    MMC(preprocessor=X, diagonal=True, diagonal_c=1.0, max_iter=10000, tol=1e-9).fit(P, labels)
    MMC(preprocessor=X, max_iter=10000, max_proj=100000, tol=1e-6).fit(P, labels)

and `get_mahalanobis_matrix()` of each.
"""

import numpy as np
from sklearn.datasets import load_iris

from cscluster import Constraints

X, Y = load_iris(return_X_y=True)
_PAIRS = np.random.RandomState(0).randint(0, 150, size=(60, 2))
LINKS = Constraints.from_labels(_PAIRS[_PAIRS[:, 0] != _PAIRS[:, 1]], Y)

ITML_BOUNDS = (0.5, 4.0)
ITML = np.array(
    [
        [0.369459621228, -0.174196250588, -0.3943273548, -0.195951464344],
        [-0.174196250588, 0.317821343954, 0.087806826858, 0.038183569712],
        [-0.3943273548, 0.087806826858, 0.799173644185, 0.301814310664],
        [-0.195951464344, 0.038183569712, 0.301814310664, 1.40700824447],
    ]
)
RCA = np.array(
    [
        [18.976337829007, -7.615599737737, -20.382815415797, 13.007476900944],
        [-7.615599737737, 16.603176978456, 4.73735003972, -13.878123985224],
        [-20.382815415797, 4.73735003972, 33.629690198317, -26.294576294044],
        [13.007476900944, -13.878123985224, -26.294576294044, 84.444199041817],
    ]
)
MMC_DIAGONAL = np.array([0.0, 0.0, 1.279259740438, 0.817708610421])
MMC_FULL = np.array(
    [
        [0.020849723469, 0.009046301042, -0.032703436704, -0.051969689352],
        [0.009046301042, 0.003925019085, -0.014189403229, -0.022548666202],
        [-0.032703436704, -0.014189403229, 0.051296352867, 0.081516066569],
        [-0.051969689352, -0.022548666202, 0.081516066569, 0.129538821718],
    ]
)
