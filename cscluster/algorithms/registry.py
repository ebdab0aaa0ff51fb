"""The one list of algorithms: names, where they live, what they are.

Nothing here imports an algorithm, or any numeric library, until `Algorithm.load` is called.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cscluster.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from cscluster.algorithms.base import ConstrainedEstimator
    from cscluster.algorithms.parameters import Parameter

PAPERS: Mapping[str, str] = {
    "zeng2012": "Zeng, Cheung: Semi-Supervised Maximum Margin Clustering with Pairwise Constraints, 2012",
    "zhang2009": "Zhang, Tsang, Kwok: Maximum Margin Clustering Made Practical, 2009",
    "bilenko2004": "Bilenko, Basu, Mooney: Integrating Constraints and Metric Learning in "
    "Semi-Supervised Clustering, 2004",
    "baghshah2010": "Baghshah, Shouraki: Non-linear Metric Learning Using Pairwise Similarity and "
    "Dissimilarity Constraints and the Geometrical Structure of Data, 2010",
    "yi2015": "Yi, Zhang, Yang, Liu, Wang: An Efficient Semi-Supervised Clustering Algorithm with "
    "Sequential Constraints, 2015",
}


@dataclass(frozen=True)
class Algorithm:
    """A registered algorithm.

    Attributes
    ----------
    name : str
        Name in configurations.
    target : str
        ``"module:Class"``.
    title : str
        Name in tables and figures.
    family : str
        Package below ``cscluster.algorithms``; ``metric`` are metric learners, joined with a
        clusterer when they run.
    paper : str
        Publication that proposes it.
    tags : tuple of str
        Of ``constraints``, ``inductive``, ``sequential``, ``kernel``, ``sparse``, ``binary``.
    preprocess : tuple of str
        Preprocessing where the configuration names none.
    preset : mapping
        Parameters that make this name a special case of its class.
    """

    name: str
    target: str
    title: str
    family: str
    paper: str = ""
    tags: tuple[str, ...] = ()
    preprocess: tuple[str, ...] = ()
    preset: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_metric(self) -> bool:
        """Whether this is a metric learner rather than a clusterer."""
        return self.family == "metric"

    def load(self) -> type[ConstrainedEstimator]:
        """Import and return the class."""
        return load_class(self.target)

    def parameters(self) -> Mapping[str, Parameter]:
        """Return the table of legal parameter values."""
        return self.load().parameters

    def defaults(self) -> dict[str, Any]:
        """Return the default of each parameter, the preset included."""
        return {**_constructor_defaults(self.target), **self.preset}


_METRIC = "cscluster.algorithms.metric"
_FAMILIES = "cscluster.algorithms"

PARTITION = (
    Algorithm(
        name="kmeans",
        target=f"{_FAMILIES}.partition.kmeans:KMeans",
        title="k-means",
        family="partition",
        paper="Lloyd 1982; k-means++ of Arthur and Vassilvitskii 2007",
        tags=("inductive", "sparse"),
    ),
    Algorithm(
        name="pckmeans",
        target=f"{_FAMILIES}.partition.pckmeans:PCKMeans",
        title="PCK-Means",
        family="partition",
        paper="bilenko2004",
        tags=("constraints", "inductive"),
    ),
    Algorithm(
        name="approx_kernel_kmeans",
        target=f"{_FAMILIES}.partition.approx_kernel_kmeans:ApproxKernelKMeans",
        title="Approximate kernel k-means",
        family="partition",
        paper="Chitta, Jin, Havens, Jain 2011",
        tags=("inductive", "kernel"),
    ),
)

SPECTRAL = (
    Algorithm(
        name="ccskl",
        target=f"{_FAMILIES}.spectral.ccskl:CCSKL",
        title="CCSKL",
        family="spectral",
        paper="Li, Liu 2009",
        tags=("constraints",),
    ),
)

ENSEMBLE = (
    Algorithm(
        name="scsc",
        target=f"{_FAMILIES}.ensemble.scsc:SCSC",
        title="SCSC",
        family="ensemble",
        paper="yi2015",
        tags=("constraints", "sequential"),
    ),
)

METRIC = (
    Algorithm(
        name="rca",
        target=f"{_FAMILIES}.metric.rca:RCA",
        title="RCA",
        family="metric",
        paper="Bar-Hillel, Hertz, Shental, Weinshall 2005",
        tags=("constraints", "inductive", "sparse"),
    ),
    Algorithm(
        name="dca",
        target=f"{_FAMILIES}.metric.dca:DCA",
        title="DCA",
        family="metric",
        paper="Hoi, Liu, Lyu, Ma 2006",
        tags=("constraints", "inductive", "sparse"),
    ),
)

BUILT_IN: tuple[Algorithm, ...] = (*PARTITION, *SPECTRAL, *ENSEMBLE, *METRIC)


def load_class(target: str) -> type[Any]:
    """Import ``module:Class`` or ``path/to/file.py:Class``.

    Raises
    ------
    ParameterError
        If there is no such module or class.
    """
    module_name, _, class_name = target.rpartition(":")
    try:
        module = _load_file(module_name) if module_name.endswith(".py") else _load_module(module_name)
    except (ImportError, OSError, SyntaxError) as error:
        raise ParameterError(f"Cannot import '{module_name}' for '{target}': {error}.") from error
    try:
        return getattr(module, class_name)
    except AttributeError:
        hint = did_you_mean(class_name, vars(module))
        raise ParameterError(f"'{module_name}' has no class '{class_name}'{hint}.") from None


@cache
def _constructor_defaults(target: str) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(load_class(target)).parameters.items()}


def _load_module(name: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    return importlib.import_module(name)


@cache
def _load_file(path: str) -> Any:
    """Import a source file under a name of its own, so that its classes can be pickled."""
    name = "cscluster_user_" + Path(path).stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@cache
def algorithms() -> dict[str, Algorithm]:
    """Return all registered algorithms by name, those of installed plug-ins included.

    A plug-in declares an entry point in the group ``cscluster.algorithms`` whose name is the
    algorithm's and whose value is ``module:Class``.
    """
    known = {entry.name: entry for entry in BUILT_IN}
    for point in entry_points(group="cscluster.algorithms"):
        known.setdefault(
            point.name,
            Algorithm(point.name, point.value, title=point.name, family="plug-in", tags=("constraints",)),
        )
    return known


def find(name: str) -> Algorithm:
    """Return the algorithm called `name`, which may also be the user's own ``module:Class``.

    Raises
    ------
    ParameterError
        If there is none; the message names the closest known one.
    """
    known = algorithms()
    if name in known:
        return known[name]
    if ":" in name:
        load_class(name)
        title = name.rpartition(":")[2]
        return Algorithm(name, name, title=title, family="own", tags=("constraints",))
    raise ParameterError(f"There is no algorithm '{name}'{did_you_mean(name, known)}")
