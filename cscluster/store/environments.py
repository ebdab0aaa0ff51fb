"""Environments that records were made in: what people read of them, and which differ in a version."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cscluster.words import listed


def facts(environment: Mapping[str, Any]) -> list[list[str]]:
    """Return each part of an environment as its name and what people read.

    Examples
    --------
    >>> facts({"python": "3.12", "revision": None})
    [['python', '3.12'], ['revision', 'installed, no checkout']]
    """
    return [[name, _words(name, value)] for name, value in environment.items()]


def _words(name: str, value: Any) -> str:
    if name == "revision":
        return f"{value['commit']}{' with changes' * value['dirty']}" if value else "installed, no checkout"
    return f"{value} of BLAS and OpenMP for each trial" if name == "threads" else listed(value)


def version_changes(environments: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what has more than one version, as ``"numpy from 2.1.0 to 2.2.1"``.

    The environments come in the order in which they were used.  A machine or a number of cores is not
    a version.

    Examples
    --------
    >>> version_changes([{"python": "3.11"}, {"python": "3.12"}])
    ['python from 3.11 to 3.12']
    """
    seen: dict[str, list[str]] = {}
    for environment in environments:
        for name, version in _versions(environment).items():
            found = seen.setdefault(name, [])
            if version not in found:
                found.append(version)
    return [f"{name} from {' to '.join(found)}" for name, found in seen.items() if len(found) > 1]


def _versions(environment: Mapping[str, Any]) -> dict[str, str]:
    """Return the version of everything that results may depend on; a checkout is known by its commit."""
    found = {name: str(environment[name]) for name in ("cscluster", "python") if name in environment}
    revision = environment.get("revision")
    if revision and "cscluster" in found:
        found["cscluster"] += f" ({revision['commit'][:7]})"
    blas = [library.partition(" (")[0] for library in environment.get("blas", ())]
    return {**found, **environment.get("packages", {}), **({"BLAS": " + ".join(blas)} if blas else {})}
