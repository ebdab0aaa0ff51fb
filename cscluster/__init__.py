"""Clustering with pairwise constraints: must-links and cannot-links.

Public names are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_MODULES = {
    "Constraints": "cscluster.constraints",
    "MetricClusterer": "cscluster.algorithms.metric_clusterer",
    "load_dataset": "cscluster.data.load",
    "run": "cscluster.experiment.run",
}

__all__ = [*_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    from cscluster.algorithms.registry import BUILT_IN

    for algorithm in BUILT_IN:
        if algorithm.target.endswith(":" + name):
            return algorithm.load()
    raise AttributeError(f"module 'cscluster' has no attribute '{name}'")


def __dir__() -> list[str]:
    from cscluster.algorithms.registry import BUILT_IN

    return sorted({*__all__, *(algorithm.target.partition(":")[2] for algorithm in BUILT_IN)})
