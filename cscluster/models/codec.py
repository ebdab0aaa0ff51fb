"""Fitted estimators as JSON and arrays, and back, without running anything that a file names.

A file can only *name* a class; the name is looked up among the inductive algorithms and in
`PARTS`, the object is made without calling its constructor, and its attributes are plain values,
arrays and other such objects.  No pickle, no import of what a file says.

It is kept in place of ``skops.io``, which avoids pickle too, because its files name algorithms as the
registry does and so survive a move of modules, and because it trusts only the classes listed here,
where skops needs the same list and trusts types of NumPy, SciPy and scikit-learn besides.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cscluster.algorithms.registry import BUILT_IN, load_class

PARTS = (
    "cscluster.algorithms.metric_clusterer:MetricClusterer",
    "cscluster.algorithms.partition.kmeans:QuickKMeans",
    "cscluster.algorithms.partition._metric:Euclidean",
    "cscluster.algorithms.partition._metric:Metrics",
    "cscluster.algorithms.margin.alternating._recursive:Split",
    "cscluster.algorithms.margin.alternating._alternating:KernelBasis",
    "cscluster.linalg.kernels:Kernel",
    "cscluster.linalg.kernels:Nystroem",
    "cscluster.data.features:Features",
    "sklearn.decomposition:KernelPCA",
    "sklearn.decomposition:PCA",
    "sklearn.preprocessing:KernelCenterer",
    "sklearn.preprocessing:MaxAbsScaler",
    "sklearn.preprocessing:MinMaxScaler",
    "sklearn.preprocessing:Normalizer",
    "sklearn.preprocessing:StandardScaler",
)
"""Classes of which algorithms and preprocessing steps are made, beside the algorithms themselves."""

_CENTRES = "sklearn.cluster:KMeans"
NUMBERS = "biuf"
"""Kinds of arrays that a file may hold, as NumPy calls them."""

Arrays = dict[str, NDArray[Any]]


class DamagedError(Exception):
    """Content that no fitted estimator has been written as."""


@cache
def _targets() -> dict[str, str]:
    """Return where each class that a file may name lives."""
    parts = {target.rpartition(":")[2]: target for target in PARTS}
    inductive = (entry for entry in BUILT_IN if "inductive" in entry.tags and entry.family != "selection")
    return parts | {entry.name: entry.target for entry in inductive}


@cache
def _names() -> dict[type[Any], str]:
    """Return what each such class is called in a file."""
    return {load_class(target): name for name, target in reversed(_targets().items())}


def dump(value: Any, arrays: Arrays) -> Any:
    """Return `value` as JSON; arrays are put into `arrays` and named by their key.

    Raises
    ------
    TypeError
        For a value of a kind that a file cannot hold.
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, np.generic):
        return dump(value.item(), arrays)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list):
        return [dump(item, arrays) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [dump(item, arrays) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[dump(key, arrays), dump(item, arrays)] for key, item in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind in NUMBERS:
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    if sparse.issparse(value):
        csr = sparse.csr_array(value)
        return {"csr": dump([csr.data, csr.indices, csr.indptr], arrays), "shape": list(csr.shape)}
    if type(value) is load_class(_CENTRES):
        return {"centres": dump(value.cluster_centers_, arrays)}
    if type(value) in _names():
        state = {name: dump(item, arrays) for name, item in vars(value).items()}
        return {"object": _names()[type(value)], "state": state}
    raise TypeError(f"a value of type {type(value).__name__} cannot be stored")


def load(content: Any, arrays: Arrays) -> Any:
    """Return the value that `dump` has written.

    Raises
    ------
    Exception
        Of any kind, for anything that `dump` does not write.
    """
    if content is None or isinstance(content, (bool, int, float, str)):
        return content
    if isinstance(content, list):
        return [load(item, arrays) for item in content]
    match content:
        case {"float": "inf" | "-inf" | "nan" as text}:
            return float(text)
        case {"tuple": list(items)}:
            return tuple(load(items, arrays))
        case {"dict": list(items)}:
            return {key: load(item, arrays) for key, item in items}
        case {"array": str(name)} if name in arrays:
            return arrays[name]
        case {"csr": list(parts), "shape": [int(n), int(d)]}:
            matrix = sparse.csr_array(tuple(load(part, arrays) for part in parts), shape=(n, d))
            matrix.check_format(full_check=True)
            return matrix
        case {"centres": found}:
            return _load_centres(load(found, arrays))
        case {"object": str(name), "state": dict(state)}:
            return _load_object(name, state, arrays)
    raise DamagedError("a value of no known kind")


def _load_centres(centres: Any) -> Any:
    """Return scikit-learn's k-means with given centres; its compiled code trusts their shape."""
    if not isinstance(centres, np.ndarray) or centres.ndim != 2 or centres.dtype != np.float64:
        raise DamagedError("invalid centres")
    apart = np.arange(len(centres), dtype=np.float64)[:, None] + np.zeros_like(centres)
    model = load_class(_CENTRES)(n_clusters=len(centres), init=apart, n_init=1).fit(apart)
    model.cluster_centers_ = np.ascontiguousarray(centres)
    return model


def _load_object(name: str, state: dict[Any, Any], arrays: Arrays) -> Any:
    if name not in _targets():
        raise DamagedError(f"an object of the unknown kind '{name}'")
    cls = load_class(_targets()[name])
    made = object.__new__(cls)
    vars(made).update({key: load(item, arrays) for key, item in state.items()})
    return made
