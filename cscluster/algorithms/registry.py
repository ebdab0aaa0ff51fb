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
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.abc import SourceLoader
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from cscluster.errors import ParameterError, did_you_mean, message

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

JOINED = "pckmeans"
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
        ``compiled`` (holds numba functions).
    preprocess : tuple of str
        Preprocessing where the configuration names none.
    preset : mapping
        Parameters that make this name a special case of its class.
    joined : str
        What clusters in the space of a metric learner where the configuration names nothing.
    caveat : str
        Where links may leave it behind k-means, which sees none; empty where that is not known to happen.
    """

    name: str
    target: str
    title: str
    family: str
    paper: str = ""
    tags: tuple[str, ...] = ()
    preprocess: tuple[str, ...] = ()
    preset: Mapping[str, Any] = field(default_factory=dict)
    joined: str = JOINED
    caveat: str = ""

    @property
    def is_metric(self) -> bool:
        """Whether this is a metric learner rather than a clusterer."""
        if self.family in ("own", "plug-in"):
            return hasattr(self.load(), "transform") and not hasattr(self.load(), "fit_predict")
        return self.family == "metric"

    def as_printed(self, preset: Mapping[str, Any]) -> Algorithm:
        """Return the entry of this method as its publication describes it, by the parameters that make it so.

        A metric learner is joined with k-means.
        """
        return replace(
            self,
            name=f"{self.name}_printed",
            title=f"{self.title} (as printed)",
            preset={**self.preset, **preset},
            joined="kmeans",
            caveat="",
        )

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

    def source(self) -> tuple[str, str] | None:
        """Return the name of the file of a user's own class, and a hash of its content.

        None for the other algorithms: what they compute is told by their ``version``.
        """
        if self.family != "own" or self.target.startswith("cscluster."):
            return None
        try:
            path = Path(inspect.getsourcefile(self.load()) or "")
            return path.name, hashlib.sha256(path.read_bytes()).hexdigest()[:20]
        except (OSError, TypeError):  # a class without source, such as a compiled one
            return None

    def defaults(self) -> dict[str, Any]:
        """Return the default of each parameter, the preset included."""
        return {**_constructor_defaults(self.load()), **self.preset}


_BALANCED = "clusters stay balanced whatever the sizes of the classes, which may leave it behind k-means"
_SEEDS_ALONE = "links serve as seeds alone, so that few of them may leave it behind k-means"


def _behind(cases: str) -> str:
    """Return the caveat of a method with a net that did not hold on the data sets named."""
    return f"it ended more than .01 behind k-means on {cases}; docs/defaults.md has the numbers"


def _entry(name: str, place: str, title: str, tags: str, paper: str, **more: Any) -> Algorithm:
    """Return an entry of this package; its place is ``family.module:Class``."""
    family = place.partition(".")[0]
    home = "cscluster" if family == "selection" else "cscluster.algorithms"
    return Algorithm(name, f"{home}.{place}", title, family, paper, tuple(tags.split()), **more)


OURS: tuple[Algorithm, ...] = (
    _entry("kmeans", "partition.kmeans:KMeans", "k-means", "inductive sparse",
           "Lloyd 1982; k-means++ of Arthur and Vassilvitskii 2007"),
    _entry("kernel_kmeans", "partition.kernel_kmeans:KernelKMeans", "kernel k-means",
           "inductive kernel sparse", "Schölkopf, Smola, Müller 1998"),
    _entry("approx_kernel_kmeans", "partition.approx_kernel_kmeans:ApproxKernelKMeans",
           "approximate kernel k-means", "inductive kernel", "Chitta, Jin, Havens, Jain 2011"),
    _entry("pckmeans", "partition.pckmeans:PCKMeans", "PCK-Means", "constraints inductive compiled",
           "bilenko2004", caveat=_behind("tae with 20 links")),
    _entry("mpckmeans", "partition.mpckmeans:MPCKMeans", "MPCK-Means", "constraints inductive compiled",
           "bilenko2004", caveat=_behind("balance_scale with 50 links")),
    _entry("mpckmeans_full", "partition.mpckmeans:MPCKMeans", "MPCK-Means, multiple full",
           "constraints inductive compiled", "bilenko2004", preset={"metric": "multiple", "matrix": "full"},
           caveat=_behind("optdigits_test with 200 and 500 links")),
    _entry("mkmeans", "partition.mkmeans:MKMeans", "MK-Means", "constraints inductive compiled",
           "bilenko2004",
           caveat="a baseline that learns its metrics from links but assigns no sample by them"),
    _entry("supervised_means", "partition.supervised_means:SupervisedMeans", "Supervised-Means",
           "constraints inductive compiled", "bilenko2004",
           caveat="a baseline that takes its centres from the linked samples alone, so that few links leave "
           "it behind k-means"),
    _entry("cop_kmeans", "partition.cop_kmeans:COPKMeans", "COP-KMeans", "constraints inductive compiled",
           "Wagstaff, Cardie, Rogers, Schroedl 2001",
           caveat=_behind("monk2 with 20 links") + "; wrong links may leave it without a partition"),
    _entry("pccc", "partition.pccc:PCCC", "PCCC", "constraints inductive compiled", "Baumann, Hochbaum 2024",
           caveat=_behind("led7digit and, with 20 links, on tae")),
    _entry("lcvqe", "partition.lcvqe:LCVQE", "LCVQE", "constraints inductive compiled", "Pelleg, Baras 2007",
           caveat="a broken cannot-link moves a centre, which may leave it behind k-means"),
    _entry("seeded_kmeans", "partition.seeded_kmeans:SeededKMeans", "Seeded-KMeans",
           "constraints inductive compiled", "Basu, Banerjee, Mooney 2002", caveat=_SEEDS_ALONE),
    _entry("constrained_kmeans", "partition.seeded_kmeans:SeededKMeans", "Constrained-KMeans",
           "constraints inductive compiled", "Basu, Banerjee, Mooney 2002", preset={"keep_seeds": True},
           caveat=_SEEDS_ALONE),
    _entry("hmrf_kmeans", "partition.hmrf_kmeans:HMRFKMeans", "HMRF-KMeans", "constraints inductive compiled",
           "Basu, Bilenko, Mooney 2004",
           caveat="the cosine distance suits texts; on other tables it may end behind k-means"),
    _entry("pmmc", "margin.cccp.pmmc:PMMC", "PMMC", "constraints inductive kernel sparse compiled",
           "zeng2012",
           caveat=_behind("appendicitis, saheart, tae and pima with 20 links and on led7digit with 200")),
    _entry("cpcmmc", "margin.cccp.cpcmmc:CPCMMC", "CPCMMC", "constraints inductive kernel sparse compiled",
           "Hu, Wang, Yu, Hua 2008; zeng2012, eq. (2)", caveat=_behind("letterIJL with 50 links")),
    _entry("cpmmc", "margin.cccp.cpmmc:CPMMC", "CPMMC", "inductive kernel sparse compiled",
           "Zhao, Wang, Zhang 2008; zeng2012, eq. (1)"),
    _entry("iter_svm", "margin.alternating.iter_svm:IterSVM", "iterSVM",
           "constraints inductive kernel sparse", "zhang2009", caveat=_BALANCED),
    _entry("iter_svr", "margin.alternating.iter_svr:IterSVR", "iterSVR",
           "constraints inductive kernel sparse", "zhang2009", caveat=_BALANCED),
    _entry("iter_lssvm", "margin.alternating.iter_lssvm:IterLSSVM", "iterLS-SVM",
           "constraints inductive kernel sparse", "zhang2009", caveat=_BALANCED),
    _entry("mmc_sdp", "margin.sdp.mmc_sdp:MMC", "MMC", "kernel sparse binary",
           "Xu, Neufeld, Larson, Schuurmans 2005"),
    _entry("gmmc_sdp", "margin.sdp.gmmc_sdp:GMMC", "GMMC", "kernel sparse binary", "Valizadegan, Jin 2007"),
    _entry("rca", "metric.rca:RCA", "RCA", "constraints inductive sparse",
           "Bar-Hillel, Hertz, Shental, Weinshall 2005", caveat=_behind("pima with 50 links")),
    _entry("dca", "metric.dca:DCA", "DCA", "constraints inductive sparse", "Hoi, Liu, Lyu, Ma 2006",
           caveat=_behind("saheart and pima with 50 links and on wdbc with 20")),
    _entry("erca", "metric.erca:ERCA", "ERCA", "constraints inductive sparse", "Yeung, Chang 2006",
           caveat=_behind("letterIJL with 20 links")),
    _entry("xing", "metric.xing:Xing", "Xing", "constraints inductive sparse",
           "Xing, Ng, Jordan, Russell 2002", caveat=_behind("letterIJL with 20 and 50 links")),
    _entry("itml", "metric.itml:ITML", "ITML", "constraints inductive sparse compiled",
           "Davis, Kulis, Jain, Sra, Dhillon 2007", caveat=_behind("pima with 50 links")),
    _entry("lmnn", "metric.lmnn:LMNN", "LMNN", "constraints inductive sparse", "Weinberger, Saul 2009",
           caveat=_behind("letterIJL with 20 and 50 links")),
    _entry("llma", "metric.llma:LLMA", "LLMA", "constraints inductive compiled", "Chang, Yeung 2006",
           preprocess=("standardize",),
           caveat=_behind("appendicitis, ecoli, saheart and tae with up to 200 links")
           + "; it takes wrong links badly"),
    _entry("kernel_beta", "metric.kernel_beta:KernelBeta", "kernel-β", "constraints inductive kernel",
           "Yeung, Chang 2007", preprocess=("standardize",),
           caveat=_behind("vehicle with 50 to 200 links")),
    _entry("trace_ratio", "metric.trace_ratio:TraceRatio", "trace ratio", "constraints inductive",
           "baghshah2010", preprocess=("standardize",), caveat=_behind("tae and letterIJL with 20 links")),
    _entry("trace_ratio_nonlinear", "metric.trace_ratio:TraceRatio", "trace ratio, non-linear",
           "constraints inductive kernel", "baghshah2010", preprocess=("standardize",),
           preset={"map": "nonlinear"}),
    _entry("xiang", "metric.trace_ratio:TraceRatio", "Xiang", "constraints inductive",
           "Xiang, Nie, Zhang 2008", preprocess=("standardize",), preset={"alpha": 0.0},
           caveat=_behind("tae with 20 links and on letterIJL with 20 and 50")),
    _entry("sdml", "metric.sdml:SDML", "SDML", "constraints inductive sparse",
           "Qi, Tang, Zha, Chua, Zhang 2009", caveat=_behind("tae and letterIJL with 20 links")),
    _entry("normalized_cut", "spectral.normalized_cut:NormalizedCut", "normalized cut", "kernel sparse",
           "Shi, Malik 2000"),
    _entry("ccskl", "spectral.ccskl:CCSKL", "CCSKL", "constraints compiled", "Li, Liu 2009",
           caveat=_behind("newthyroid and tae with 20 links and on led7digit with 50")),
    _entry("csp", "spectral.csp:CSP", "CSP", "constraints compiled", "Wang, Davidson 2010",
           preprocess=("standardize",),
           caveat=_behind("led7digit, hayes_roth, heart and tae with up to 100 links")),
    _entry("scsc", "ensemble.scsc:SCSC", "SCSC", "constraints sequential compiled", "yi2015",
           caveat="a vote of many partitions that links weigh; its votes without links may be behind "
           "k-means"),
    _entry("landmark_ensemble", "ensemble.landmark_ensemble:LandmarkEnsemble", "landmark ensemble",
           "constraints sequential compiled", "",
           caveat=_behind("led7digit and, with up to 50 links, on heart and ecoli")),
    _entry("auto", "selection.auto:Auto", "auto", "constraints inductive sparse compiled", "",
           caveat="few links are a weak judge of methods, so that the choice may end behind k-means"),
)  # fmt: skip
"""Our form of each method, by family."""

_PLAIN = {"joint": False, "fallback": False}
"""Each sample has the label that the method gives it, whatever k-means says."""

AS_PRINTED: Mapping[str, Mapping[str, Any]] = {
    # bilenko2004, and where its text is silent the authors' program: every partner's present label counts,
    # one start, seeds that have their labels before the first sweep.
    "pckmeans": {"w": 1.0, "assignment": "keep", "start": "authors", "fallback": False},
    "mpckmeans": {"w": 1.0, "assignment": "keep", "start": "authors", "floor": 0.01, "fallback": False},
    "mkmeans": {"w": 1.0, "start": "authors", "floor": 0.01, "fallback": False},
    # zeng2012: the projection (18), Algorithm 2, scores without a constant term.
    "pmmc": {"lam": 1.0, "init": "paper", "solver": "subgradient", "bias": False, **_PLAIN},
    # Hu et al. 2008 start from k-means, not from projections that zeng2012 found later.
    "cpcmmc": {"lam": 1.0, "init": "kmeans", "bias": False, **_PLAIN},
    # zeng2012, eq. (1): scores without a constant term.
    "cpmmc": {"lam": 1.0, "bias": False},
    # zhang2009, section IV-B: a single k-means whose prototypes lie far from each other.
    "iter_svm": {"n_starts": 1},
    "iter_svr": {"n_starts": 1},
    "iter_lssvm": {"n_starts": 1},
    # No publication of the metric learners has a prior that fades as links come in.
    "rca": {"shrinkage": 0.0},
    "dca": {"shrinkage": 0.0},
    "erca": {"shrinkage": 0.0, "whitening": "last"},
    "xing": {"log_det": 0.0, "shrinkage": 0.2},  # unbounded without any prior unless must-links span all
    "itml": {"prior": "identity", "gamma": 1.0},
    "lmnn": {"shrinkage": 0.0},
    "llma": {"solver": "spectral"},
    "kernel_beta": {"center": False},
    "trace_ratio": {"shrinkage": 0.0},
    "xiang": {"shrinkage": 0.0},
    "ccskl": {"prior": 0.0, **_PLAIN},
    "csp": _PLAIN,
}
"""Parameters that make the published method of ours, of every method whose two forms differ."""


BUILT_IN: tuple[Algorithm, ...] = tuple(
    form
    for entry in OURS
    for form in (entry, *([entry.as_printed(AS_PRINTED[entry.name])] if entry.name in AS_PRINTED else []))
)
"""Our form of each method and, where it is another one, the published form."""


def load_class(target: str) -> type[Any]:
    """Import the class ``module:Class`` or ``path/to/file.py:Class``.

    Raises
    ------
    ParameterError
        If there is no such module or class.
    """
    module_name, _, class_name = target.rpartition(":")
    try:
        with exit_raises():
            module = _load_file(module_name) if module_name.endswith(".py") else _load_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # code that is imported may raise anything, and may exit
        kind = "" if isinstance(error, (ImportError, OSError, SyntaxError)) else f"{type(error).__name__}: "
        raise ParameterError(
            f"Cannot import '{module_name}' for '{target}': {kind}{message(error)}."
        ) from error
    if not hasattr(module, class_name):
        classes = [name for name, value in vars(module).items() if isinstance(value, type)]
        hint = did_you_mean(class_name, classes)
        raise ParameterError(f"'{module_name}' has no class '{class_name}'{hint}")
    found = getattr(module, class_name)
    if not isinstance(found, type):
        raise ParameterError(f"'{class_name}' of '{module_name}' is not a class.")
    return found


@contextlib.contextmanager
def exit_raises() -> Iterator[None]:
    """Let `os._exit` raise as `sys.exit` does: code that calls it would end a program as if all were done."""

    def leave(status: int) -> NoReturn:
        sys.exit(status)

    exit_at_once, os._exit = os._exit, leave
    try:
        yield
    finally:
        os._exit = exit_at_once


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
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        return importlib.import_module(name)
    finally:
        with contextlib.suppress(ValueError):  # the module may have removed it
            sys.path.remove(here)


def _load_file(name: str) -> Any:
    path = Path(name).resolve()
    status = path.stat()
    return _loaded_file(path, status.st_mtime_ns, status.st_size)


@cache
def _loaded_file(path: Path, *edition: int) -> Any:
    """Import an edition of a source file under a name of its own, so that its classes can be pickled."""
    source = path.read_bytes()
    place = hashlib.sha256(str(path).encode() + source).hexdigest()[:12]
    name = f"cscluster_user_{path.stem}_{place}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or not isinstance(spec.loader, SourceLoader):
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    exec(spec.loader.source_to_code(source, str(path)), vars(module))
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
        own = Algorithm(name, name, title=name.rpartition(":")[2], family="own", tags=("constraints",))
        own.load()
        return own
    raise ParameterError(f"There is no algorithm '{name}'{did_you_mean(name, known)}")
