"""MAT files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.io import loadmat

_ALIASES = {"x": "X", "fea": "X", "data": "X", "Y": "y", "gnd": "y", "labels": "y", "label": "y"}


def read_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of a MAT file."""
    found = {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
    for alias, name in _ALIASES.items():
        if name not in found and alias in found:
            found[name] = found[alias]
    X: Any = found.get("X")
    if sparse.issparse(X):
        if X.format != "coo":  # which checks its indices itself
            X.check_format(full_check=True)  # compiled code trusts the indices
        found["X"] = sparse.csr_array(X)
    dense = (name for name, value in found.items() if name == "X" or not sparse.issparse(value))
    arrays = {name: _plain(found[name]) for name in dense}
    return {name: value for name, value in arrays.items() if value.dtype.kind in "biufcU"}


def _plain(value: Any) -> Any:
    """Return a cell array of strings as an array of strings; anything else as it is."""
    if value.dtype == object and all(isinstance(v, np.ndarray) and v.dtype.kind == "U" for v in value.flat):
        return np.array(["".join(text.flat) for text in value.flat])
    return value
