"""Clustering with pairwise constraints: must-links and cannot-links.

`cluster` clusters a table with constraints, `Constraints` holds them, `load_dataset` loads data, `run` runs
an experiment, and every algorithm of ``cscluster list`` is a scikit-learn estimator of this module.
Names are loaded on first use, so that importing the package costs nothing.

Examples
--------
>>> from cscluster import Constraints, PCKMeans, load_dataset
>>> data = load_dataset("iris")
>>> constraints = Constraints([(0, 1)], [(0, 50), (50, 100)], n_samples=data.n_samples)
>>> clusterer = PCKMeans(n_clusters=3, random_state=0).fit(data.X, constraints=constraints)
>>> len(constraints.violated(clusterer.labels_))
0
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cscluster.algorithms.density.hdbscan import HDBSCAN as HDBSCAN
    from cscluster.algorithms.ensemble.landmark_ensemble import LandmarkEnsemble as LandmarkEnsemble
    from cscluster.algorithms.ensemble.scsc import SCSC as SCSC
    from cscluster.algorithms.hierarchy.agglomerative import Agglomerative as Agglomerative
    from cscluster.algorithms.margin.alternating.iter_lssvm import IterLSSVM as IterLSSVM
    from cscluster.algorithms.margin.alternating.iter_svm import IterSVM as IterSVM
    from cscluster.algorithms.margin.alternating.iter_svr import IterSVR as IterSVR
    from cscluster.algorithms.margin.cccp.cpcmmc import CPCMMC as CPCMMC
    from cscluster.algorithms.margin.cccp.cpmmc import CPMMC as CPMMC
    from cscluster.algorithms.margin.cccp.pmmc import PMMC as PMMC
    from cscluster.algorithms.margin.sdp.gmmc_sdp import GMMC as GMMC
    from cscluster.algorithms.margin.sdp.mmc_sdp import MMC as MMC
    from cscluster.algorithms.metric.dca import DCA as DCA
    from cscluster.algorithms.metric.erca import ERCA as ERCA
    from cscluster.algorithms.metric.itml import ITML as ITML
    from cscluster.algorithms.metric.kernel_beta import KernelBeta as KernelBeta
    from cscluster.algorithms.metric.llma import LLMA as LLMA
    from cscluster.algorithms.metric.lmnn import LMNN as LMNN
    from cscluster.algorithms.metric.rca import RCA as RCA
    from cscluster.algorithms.metric.sdml import SDML as SDML
    from cscluster.algorithms.metric.trace_ratio import TraceRatio as TraceRatio
    from cscluster.algorithms.metric.xing import Xing as Xing
    from cscluster.algorithms.metric_clusterer import MetricClusterer as MetricClusterer
    from cscluster.algorithms.mixture.constrained_gmm import ConstrainedGMM as ConstrainedGMM
    from cscluster.algorithms.partition.approx_kernel_kmeans import ApproxKernelKMeans as ApproxKernelKMeans
    from cscluster.algorithms.partition.cop_kmeans import COPKMeans as COPKMeans
    from cscluster.algorithms.partition.hmrf_kmeans import HMRFKMeans as HMRFKMeans
    from cscluster.algorithms.partition.kernel_kmeans import KernelKMeans as KernelKMeans
    from cscluster.algorithms.partition.kmeans import KMeans as KMeans
    from cscluster.algorithms.partition.lcvqe import LCVQE as LCVQE
    from cscluster.algorithms.partition.mkmeans import MKMeans as MKMeans
    from cscluster.algorithms.partition.mpckmeans import MPCKMeans as MPCKMeans
    from cscluster.algorithms.partition.pccc import PCCC as PCCC
    from cscluster.algorithms.partition.pckmeans import PCKMeans as PCKMeans
    from cscluster.algorithms.partition.seeded_kmeans import SeededKMeans as SeededKMeans
    from cscluster.algorithms.partition.supervised_means import SupervisedMeans as SupervisedMeans
    from cscluster.algorithms.spectral.ccskl import CCSKL as CCSKL
    from cscluster.algorithms.spectral.csp import CSP as CSP
    from cscluster.algorithms.spectral.normalized_cut import NormalizedCut as NormalizedCut
    from cscluster.constraints import Constraints as Constraints
    from cscluster.constraints.files import read_constraints as read_constraints
    from cscluster.data.load import load_dataset as load_dataset
    from cscluster.experiment.engine.run import run as run
    from cscluster.models.files import load_model as load_model
    from cscluster.models.files import save_model as save_model
    from cscluster.selection.auto import Auto as Auto
    from cscluster.selection.guarded import Guarded as Guarded
    from cscluster.selection.search import HeldOutSearch as HeldOutSearch
    from cscluster.tables.cluster import cluster as cluster

__version__ = "0.3.0"

_MODULES = {
    "Constraints": "cscluster.constraints",
    "Guarded": "cscluster.selection.guarded",
    "HeldOutSearch": "cscluster.selection.search",
    "MetricClusterer": "cscluster.algorithms.metric_clusterer",
    "cluster": "cscluster.tables.cluster",
    "load_dataset": "cscluster.data.load",
    "load_model": "cscluster.models.files",
    "read_constraints": "cscluster.constraints.files",
    "save_model": "cscluster.models.files",
    "run": "cscluster.experiment.engine.run",
}

__all__ = [*_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    from cscluster.algorithms.registry import BUILT_IN

    for algorithm in BUILT_IN:
        if algorithm.target.endswith(":" + name):
            return algorithm.load()
    if name == "read_links":
        from cscluster.errors import warn

        warn("'read_links' is now 'read_constraints'. The old name ends with 0.4.", FutureWarning)
        return __getattr__("read_constraints")
    raise AttributeError(f"module 'cscluster' has no attribute '{name}'")


def __dir__() -> list[str]:
    from cscluster.algorithms.registry import BUILT_IN

    return sorted({*__all__, *(algorithm.target.partition(":")[2] for algorithm in BUILT_IN)})
