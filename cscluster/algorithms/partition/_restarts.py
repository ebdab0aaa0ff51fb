"""What methods that start several times share; nothing here is compiled."""

from __future__ import annotations

from dataclasses import dataclass

from cscluster.algorithms.base import FloatArray, IntArray, SeededClusterer
from cscluster.algorithms.parameters import Integer, parameter


@dataclass(frozen=True)
class LocalMinimum:
    """What one start ends with: labels, centres mu, the objective after each iteration, whether it rests."""

    labels: IntArray
    mu: FloatArray
    objective: FloatArray
    converged: bool


class RestartedClusterer(SeededClusterer):
    """A clusterer that starts several times and keeps the best result."""

    n_init: int = parameter(10, "number of starts; the lowest objective wins", Integer(1))
    max_iter: int = parameter(300, "iteration limit of a start", Integer(1))
