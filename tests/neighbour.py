"""A clusterer whose labels tell of all that another one may have changed in its process."""

import os
import random
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin


class Neighbour(ClusterMixin, BaseEstimator):
    """Labels that depend on the directory, the environment, NumPy, randomness, warnings and the path."""

    def fit(self, X, constraints=None):
        warnings.warn("still here", stacklevel=1)
        seen = [
            Path.cwd().name, sorted(os.environ), np.geterr(), random.random(), np.random.random(),  # noqa: NPY002
            len(sys.path), np.mean([1.0, 2.0]),
        ]  # fmt: skip
        rng = np.random.default_rng(list(repr(seen).encode()))
        self.labels_ = rng.integers(0, 3, len(X))
        return self
