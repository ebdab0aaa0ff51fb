"""The one list of algorithms: names, where they live, what they are.

Nothing here imports an algorithm, or any numeric library, until `Algorithm.load` is called.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.abc import SourceLoader
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cscluster.errors import ParameterError, did_you_mean, message, warn

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

_GROUP = "cscluster.algorithms"
"""Group of the entry points of plug-ins."""

JOINED = "kmeans"
"""What clusters in the space of a metric learner where nothing else is asked for."""


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
        clusterer when they run; ``selection`` chooses one of the others.
    paper : str
        Publication that proposes it.
    tags : tuple of str
        Of ``constraints``, ``inductive``, ``sequential``, ``kernel``, ``sparse``, ``binary``,
        ``compiled`` (holds numba functions), ``noise`` (finds the number of clusters, and
        leaves samples out: label -1), ``distances`` (takes ``metric="precomputed"``).
    preprocess : tuple of str
        Preprocessing where the configuration names none.
    params : mapping
        Parameters that make this name a special case of its class.
    published_params : mapping
        Those of them that the publication has otherwise.
    """

    name: str
    target: str
    title: str
    family: str
    paper: str = ""
    tags: tuple[str, ...] = ()
    preprocess: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    published_params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_metric(self) -> bool:
        """Whether this is a metric learner rather than a clusterer."""
        if self.family in ("own", "plug-in"):
            return hasattr(self.load(), "transform") and not hasattr(self.load(), "fit_predict")
        return self.family == "metric"

    def load(self) -> type[ConstrainedEstimator]:
        """Import and return the class.

        Raises
        ------
        ParameterError
            If there is no such class, or it has no method ``fit``.
        """
        loaded = load_class(self.target)
        if not callable(getattr(loaded, "fit", None)):
            raise ParameterError(f"'{self.target}' is not an algorithm: it has no method 'fit'.")
        return loaded

    def parameters(self) -> Mapping[str, Parameter]:
        """Return the table of legal parameter values."""
        return self.load().parameters

    def published(self) -> dict[str, Any]:
        """Return the published values of the parameters whose default is another one."""
        from cscluster.algorithms.parameters import published_values

        table = getattr(self.load(), "parameters", {})
        return {**published_values(table), **self.params, **self.published_params}

    def source(self) -> tuple[tuple[str, str], ...]:
        """Return what identifies code that is not part of this package.

        For a user's own class, name and hash of its file and of the user's modules that it imports
        (`own_files`); for a plug-in, name and version of its distribution.  Nothing for the other
        algorithms: what they compute is told by their ``version``.
        """
        if self.family == "plug-in":
            points = entry_points(group=_GROUP, name=self.name)
            return tuple((point.dist.name, point.dist.version) for point in points if point.dist)
        if self.family != "own" or self.target.startswith("cscluster."):
            return ()
        from cscluster.algorithms.sources import own_files

        return own_files(self.load().__module__)

    def defaults(self) -> dict[str, Any]:
        """Return the default of each parameter."""
        return {**_constructor_defaults(self.load()), **self.params}


def _entry(name: str, place: str, title: str, tags: str, paper: str, **more: Any) -> Algorithm:
    """Return an entry of this package; its place is ``family.module:Class``."""
    family = place.partition(".")[0]
    home = "cscluster" if family == "selection" else "cscluster.algorithms"
    return Algorithm(name, f"{home}.{place}", title, family, paper, tuple(tags.split()), **more)


BUILT_IN: tuple[Algorithm, ...] = (
    _entry("kmeans", "partition.kmeans:KMeans", "k-means", "inductive sparse",
           "Lloyd 1982, k-means++ of Arthur and Vassilvitskii 2007"),
    _entry("kernel_kmeans", "partition.kernel_kmeans:KernelKMeans", "kernel k-means",
           "inductive kernel sparse distances", "Schölkopf, Smola, Müller 1998"),
    _entry("approx_kernel_kmeans", "partition.approx_kernel_kmeans:ApproxKernelKMeans",
           "approximate kernel k-means", "inductive kernel", "Chitta, Jin, Havens, Jain 2011"),
    _entry("pckmeans", "partition.pckmeans:PCKMeans", "PCK-Means", "constraints inductive compiled",
           "bilenko2004"),
    _entry("mpckmeans", "partition.mpckmeans:MPCKMeans", "MPCK-Means", "constraints inductive compiled",
           "bilenko2004"),
    _entry("mpckmeans_full", "partition.mpckmeans:MPCKMeans", "MPCK-Means, multiple full",
           "constraints inductive compiled", "bilenko2004", params={"metric": "multiple", "matrix": "full"}),
    _entry("mkmeans", "partition.mkmeans:MKMeans", "MK-Means", "constraints inductive compiled",
           "bilenko2004"),
    _entry("supervised_means", "partition.supervised_means:SupervisedMeans", "Supervised-Means",
           "constraints inductive", "bilenko2004"),
    _entry("cop_kmeans", "partition.cop_kmeans:COPKMeans", "COP-KMeans", "constraints inductive compiled",
           "Wagstaff, Cardie, Rogers, Schroedl 2001"),
    _entry("pccc", "partition.pccc:PCCC", "PCCC", "constraints inductive compiled", "Baumann, Hochbaum 2024"),
    _entry("lcvqe", "partition.lcvqe:LCVQE", "LCVQE", "constraints inductive compiled", "Pelleg, Baras 2007"),
    _entry("seeded_kmeans", "partition.seeded_kmeans:SeededKMeans", "Seeded-KMeans",
           "constraints inductive", "Basu, Banerjee, Mooney 2002"),
    _entry("constrained_kmeans", "partition.seeded_kmeans:SeededKMeans", "Constrained-KMeans",
           "constraints inductive", "Basu, Banerjee, Mooney 2002", params={"keep_seeds": True}),
    _entry("hmrf_kmeans", "partition.hmrf_kmeans:HMRFKMeans", "HMRF-KMeans", "constraints inductive compiled",
           "Basu, Bilenko, Mooney 2004"),
    _entry("pmmc", "margin.cccp.pmmc:PMMC", "PMMC", "constraints inductive kernel sparse compiled",
           "zeng2012"),
    _entry("cpcmmc", "margin.cccp.cpcmmc:CPCMMC", "CPCMMC", "constraints inductive kernel sparse compiled",
           "Hu, Wang, Yu, Hua 2008, as in zeng2012, eq. (2)"),
    _entry("cpmmc", "margin.cccp.cpmmc:CPMMC", "CPMMC", "inductive kernel sparse compiled",
           "Zhao, Wang, Zhang 2008, as in zeng2012, eq. (1)"),
    _entry("iter_svm", "margin.alternating.iter_svm:IterSVM", "iterSVM",
           "inductive kernel sparse", "zhang2009"),
    _entry("iter_svr", "margin.alternating.iter_svr:IterSVR", "iterSVR",
           "inductive kernel sparse", "zhang2009"),
    _entry("iter_lssvm", "margin.alternating.iter_lssvm:IterLSSVM", "iterLS-SVM",
           "inductive kernel sparse", "zhang2009"),
    _entry("mmc_sdp", "margin.sdp.mmc_sdp:MMC", "MMC", "kernel sparse binary",
           "Xu, Neufeld, Larson, Schuurmans 2005"),
    _entry("gmmc_sdp", "margin.sdp.gmmc_sdp:GMMC", "GMMC", "kernel sparse binary", "Valizadegan, Jin 2007"),
    _entry("constrained_gmm", "mixture.constrained_gmm:ConstrainedGMM", "constrained GMM",
           "constraints inductive compiled", "Shental, Bar-Hillel, Hertz, Weinshall 2004; Lu, Leen 2005"),
    _entry("rca", "metric.rca:RCA", "RCA", "constraints inductive sparse",
           "Bar-Hillel, Hertz, Shental, Weinshall 2005"),
    _entry("dca", "metric.dca:DCA", "DCA", "constraints inductive sparse", "Hoi, Liu, Lyu, Ma 2006"),
    _entry("erca", "metric.erca:ERCA", "ERCA", "constraints inductive sparse", "Yeung, Chang 2006"),
    _entry("xing", "metric.xing:Xing", "Xing", "constraints inductive sparse",
           "Xing, Ng, Jordan, Russell 2002"),
    _entry("itml", "metric.itml:ITML", "ITML", "constraints inductive sparse compiled",
           "Davis, Kulis, Jain, Sra, Dhillon 2007"),
    _entry("lmnn", "metric.lmnn:LMNN", "LMNN", "constraints inductive sparse", "Weinberger, Saul 2009"),
    _entry("llma", "metric.llma:LLMA", "LLMA", "constraints inductive compiled", "Chang, Yeung 2006",
           preprocess=("standardize",)),
    _entry("kernel_beta", "metric.kernel_beta:KernelBeta", "kernel-β", "constraints inductive kernel",
           "Yeung, Chang 2007", preprocess=("standardize",)),
    _entry("trace_ratio", "metric.trace_ratio:TraceRatio", "trace ratio", "constraints inductive",
           "baghshah2010", preprocess=("standardize",)),
    _entry("trace_ratio_nonlinear", "metric.trace_ratio:TraceRatio", "trace ratio, non-linear",
           "constraints inductive kernel", "baghshah2010", preprocess=("standardize",),
           params={"map": "nonlinear", "window": "standardised"}, published_params={"window": "auto"}),
    _entry("xiang", "metric.trace_ratio:TraceRatio", "Xiang", "constraints inductive",
           "Xiang, Nie, Zhang 2008", preprocess=("standardize",), params={"alpha": 0.0}),
    _entry("sdml", "metric.sdml:SDML", "SDML", "constraints inductive sparse",
           "Qi, Tang, Zha, Chua, Zhang 2009"),
    _entry("normalized_cut", "spectral.normalized_cut:NormalizedCut", "normalized cut", "kernel sparse",
           "Shi, Malik 2000"),
    _entry("ccskl", "spectral.ccskl:CCSKL", "CCSKL", "constraints", "Li, Liu 2009"),
    _entry("csp", "spectral.csp:CSP", "CSP", "constraints distances", "Wang, Davidson 2010",
           preprocess=("standardize",)),
    _entry("agglomerative", "hierarchy.agglomerative:Agglomerative", "constrained agglomerative",
           "constraints distances", "Klein, Kamvar, Manning 2002; Davidson, Ravi 2005"),
    _entry("hdbscan", "density.hdbscan:HDBSCAN", "HDBSCAN", "constraints noise distances",
           "Campello, Moulavi, Zimek, Sander 2013"),
    _entry("scsc", "ensemble.scsc:SCSC", "SCSC", "constraints sequential compiled", "yi2015"),
    _entry("landmark_ensemble", "ensemble.landmark_ensemble:LandmarkEnsemble", "landmark ensemble",
           "constraints sequential compiled", ""),
    _entry("auto", "selection.auto:Auto", "auto", "constraints inductive sparse compiled", ""),
)  # fmt: skip
"""The methods of this package, by family."""


def load_class(target: str) -> type[Any]:
    """Import the class ``module:Class`` or ``path/to/file.py:Class``.

    Raises
    ------
    ParameterError
        If there is no such module or class.
    """
    cls = load_object(target, "class")
    if not isinstance(cls, type):
        module_name, _, class_name = target.rpartition(":")
        raise ParameterError(f"'{class_name}' of '{module_name}' is not a class.")
    return cls


def load_object(target: str, kind: str) -> Any:
    """Import ``module:name`` or ``path/to/file.py:name``; `kind` says in errors what it should be.

    Raises
    ------
    ParameterError
        If there is no such module or name.
    """
    module_name, _, name = target.rpartition(":")
    if module_name.endswith(".py") and not os.path.isfile(module_name):
        names = sorted(path.name for path in Path().glob("*.py"))
        raise ParameterError(f"There is no file '{module_name}'{did_you_mean(module_name, names)}")
    try:
        path = Path(module_name).resolve()
        is_file = module_name.endswith(".py")
        module = _load_file(path, path.read_bytes()) if is_file else _load_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # code that is imported may raise anything, and may exit
        kind = "" if isinstance(error, (ImportError, OSError, SyntaxError)) else f"{type(error).__name__}: "
        raise ParameterError(
            f"Cannot import '{module_name}' for '{target}': {kind}{message(error)}."
        ) from error
    if not hasattr(module, name):
        names = [each for each, value in vars(module).items() if callable(value)]
        raise ParameterError(f"'{module_name}' has no {kind} '{name}'{did_you_mean(name, names)}")
    return getattr(module, name)


@cache
def _constructor_defaults(cls: type[Any]) -> dict[str, Any]:
    return {name: p.default for name, p in inspect.signature(cls).parameters.items()}


def _load_module(name: str) -> Any:
    """Import a module; one that the current directory holds is found there if nowhere else."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise
    with _importable_from(Path.cwd()):
        return importlib.import_module(name)


@contextlib.contextmanager
def _importable_from(directory: Path) -> Iterator[None]:
    """Find modules in a directory as well, if nowhere else."""
    sys.path.append(str(directory))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # a module may have removed it
            sys.path.remove(str(directory))


@cache
def _load_file(path: Path, source: bytes) -> Any:
    """Import a source file, each edition under a name of its own, so that its classes can be pickled."""
    place = hashlib.sha256(str(path).encode() + source).hexdigest()[:12]
    name = f"cscluster_user_{path.stem}_{place}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or not isinstance(spec.loader, SourceLoader):
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _importable_from(path.parent):
        exec(spec.loader.source_to_code(source, str(path)), vars(module))
    return module


def is_printed_alias(name: str) -> bool:
    """Tell whether a name is that of a published form up to version 0.2."""
    return name.endswith("_printed") and name.removesuffix("_printed") in algorithms()


@cache
def algorithms() -> dict[str, Algorithm]:
    """Return all registered algorithms by name, those of installed plug-ins included.

    A plug-in declares an entry point in the group ``cscluster.algorithms`` whose name is the
    algorithm's and whose value is ``module:Class``.
    """
    entries = {entry.name: entry for entry in BUILT_IN}
    for point in entry_points(group=_GROUP):
        entries.setdefault(
            point.name,
            Algorithm(point.name, point.value, title=point.name, family="plug-in", tags=("constraints",)),
        )
    return entries


def find(name: str) -> Algorithm:
    """Return the algorithm called `name`, which may also be the user's own ``module:Class``.

    Raises
    ------
    ParameterError
        If there is none; the message names the closest known one.
    """
    entries = algorithms()
    if name in entries:
        return entries[name]
    if is_printed_alias(name):
        method = entries[name.removesuffix("_printed")]
        new = f"'{method.name}' with 'preset: published'"
        warn(f"'{name}' is now {new}. The old name ends with 0.4.", FutureWarning)
        return replace(method, params=method.published(), title=f"{method.title} (published)")
    if ":" in name:
        own = Algorithm(name, name, title=name.rpartition(":")[2], family="own", tags=("constraints",))
        own.load()
        return own
    if name.endswith(".py") and os.path.isfile(name):
        classes = re.findall(r"^class (\w+)", Path(name).read_text(errors="replace"), re.MULTILINE)
        raise ParameterError(
            f"'{name}' is a file. Name a class in it, as in {name}:{[*classes, 'CLASS'][0]}."
        )
    raise ParameterError(f"There is no algorithm '{name}'{did_you_mean(name, entries)}")
