"""MAT files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from cscluster.errors import reason

_ALIASES = {"x": "X", "fea": "X", "data": "X", "Y": "y", "gnd": "y", "labels": "y", "label": "y"}


def read_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of a MAT file; a sparse X in the parts that NPZ files have.

    Raises
    ------
    ValueError
        If the file cannot be read.
    """
    try:
        content = loadmat(path)
    except Exception as error:  # the parser answers a damaged file with errors of every kind
        raise ValueError(reason(error)) from error
    found = {name: value for name, value in content.items() if not name.startswith("__")}
    for alias, name in _ALIASES.items():
        if name not in found and alias in found:
            found[name] = found[alias]
    arrays = {name: _plain(value) for name, value in found.items() if not sparse.issparse(value)}
    if sparse.issparse(found.get("X")):
        if found["X"].format != "coo":  # which checks its indices itself
            found["X"].check_format(full_check=True)  # compiled code trusts the indices
        X = sparse.csr_array(found["X"])
        arrays |= {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr}
        arrays["X_shape"] = np.array(X.shape)
    return {name: value for name, value in arrays.items() if value.dtype.kind in "biufcU"}


def _plain(value: Any) -> Any:
    """Return a cell array of strings as an array of strings; anything else as it is."""
    if value.dtype == object and all(isinstance(v, np.ndarray) and v.dtype.kind == "U" for v in value.flat):
        return np.array(["".join(text.flat) for text in value.flat])
    return value
