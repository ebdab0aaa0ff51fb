"""The parameters of methods that start several times."""

from __future__ import annotations

from cscluster.algorithms.base import SeededClusterer
from cscluster.algorithms.parameters import Integer, parameter


class RestartedClusterer(SeededClusterer):
    """A clusterer that starts several times and keeps the best result."""

    n_init: int = parameter(10, "number of starts; the lowest objective wins", Integer(1))
    max_iter: int = parameter(300, "iteration limit of a start", Integer(1))
