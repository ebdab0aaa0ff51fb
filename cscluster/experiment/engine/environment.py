"""On what a trial ran: versions, machine, threads, source revision."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy  # noqa: F401  # loads the BLAS that is described below
import sklearn.cluster  # noqa: F401  # loads OpenMP
from threadpoolctl import threadpool_info

import cscluster

_PACKAGES = (
    "numpy", "scipy", "pandas", "scikit-learn", "numba", "joblib", "pydantic", "matplotlib", "dask", "cvxpy",
)  # fmt: skip


@cache
def describe(threads: int) -> dict[str, Any]:
    """Return the environment of trials that run in this process or its workers.

    Parameters
    ----------
    threads : int
        Number of BLAS and OpenMP threads that a trial may use.
    """
    return {
        "cscluster": cscluster.__version__,
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "blas": sorted(
            f"{lib['internal_api']} {lib['version']} ({lib.get('architecture', 'architecture not known')})"
            for lib in threadpool_info()
            if lib["user_api"] == "blas"
        ),
        "threads": threads,
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "revision": _revision(),
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _revision() -> dict[str, Any] | None:
    """Return the git commit of the source, and whether files differ from it; None if installed."""
    root = Path(cscluster.__file__).parent.parent
    if not (root / ".git").exists():
        return None
    git = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    try:
        found = subprocess.run(git, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": found.removesuffix("-dirty"), "dirty": found.endswith("-dirty")}
