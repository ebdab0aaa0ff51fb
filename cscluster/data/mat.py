"""MAT files, read by a process of their own: some damaged files crash SciPy's compiled reader.

The process answers with an NPZ archive of the arrays on its standard output.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import IO, Any

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
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-m", __name__, str(path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(place for place in sys.path if place)},
        check=False,
    )
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ValueError("the file is damaged" if done.returncode < 0 else said)
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def main() -> None:
    """Write the arrays of the file that the command line names to standard output."""
    try:
        _write(_arrays(Path(sys.argv[1])), sys.stdout.buffer)
    except Exception as error:  # the parser meets a damaged file with errors of every kind
        sys.exit(reason(error))


def _arrays(path: Path) -> dict[str, Any]:
    found = {name: value for name, value in loadmat(path).items() if not name.startswith("__")}
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


def _write(arrays: dict[str, Any], file: IO[bytes]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        for name, value in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, value, allow_pickle=False)


if __name__ == "__main__":
    main()
