"""The files that a user's own algorithm consists of."""

from __future__ import annotations

import ast
import hashlib
import sys
import sysconfig
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

_INSTALLED = ("site-packages", "dist-packages")
_STANDARD = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))


def own_files(module: str) -> tuple[tuple[str, str], ...]:
    """Return name and hash of each file that `own_sources` finds."""
    sources = own_sources(module)
    return tuple((name, hashlib.sha256(sources[name][1]).hexdigest()[:20]) for name in sorted(sources))


def own_sources(module: str) -> dict[str, tuple[Path, bytes]]:
    """Return path and content, by name, of a module's file and of the user's modules that it imports.

    Imports of imports count too.  They are read in the source, so that it does not matter what else is
    loaded.  The standard library, what is in ``site-packages``, and this package are not the user's.

    Parameters
    ----------
    module : str
        Name of an imported module.
    """
    sources: dict[str, tuple[Path, bytes]] = {}
    seen, waiting = {module}, [module]
    beside = str(Path(_loaded_from(module)).parent)
    while waiting:
        name = waiting.pop()
        path = _source_file(name, beside)
        if path is None:
            continue
        is_package = path.stem == "__init__"
        content = path.read_bytes()
        sources["/".join(path.parts[-name.count(".") - 1 - is_package :])] = (path, content)
        imported = _imports(content, name, is_package)
        waiting += imported - seen
        seen |= imported
    return sources


@cache
def _imports(content: bytes, module: str, is_package: bool) -> frozenset[str]:
    """Return the names of all modules that a module may import; some may be names in a module instead."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # of a module that is imported only if it is needed
        return frozenset()
    modules = []
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = module.split(".")
            base = parents[: len(parents) - node.level + is_package] if node.level else []
            base += node.module.split(".") if node.module else []
            names = [".".join([*base, alias.name]) for alias in node.names]
        for name in names:
            parts = name.split(".")
            modules += [".".join(parts[:stop]) for stop in range(1, len(parts) + 1)]
    return frozenset(modules)


def _source_file(name: str, beside: str) -> Path | None:
    """Return the Python file of a module, if it is the user's own; the module need not be loaded."""
    top = name.partition(".")[0]
    if top in (*sys.stdlib_module_names, "cscluster") or _is_installed(_loaded_from(top)):
        return None
    file = _loaded_from(name) or _find(name, beside) or ""
    return Path(file) if file.endswith(".py") and not _is_installed(file) and Path(file).is_file() else None


def _loaded_from(name: str) -> str:
    return getattr(sys.modules.get(name), "__file__", None) or ""


def _is_installed(file: str) -> bool:
    """Tell whether a file belongs to the standard library or to an installed distribution."""
    path = Path(file)
    return any(part in _INSTALLED for part in path.parts) or any(map(path.is_relative_to, _STANDARD))


def _find(name: str, beside: str) -> str | None:
    """Return the file of a module that is not loaded; it may be in the current directory or in `beside`."""
    path: list[str] | None = [*sys.path, str(Path.cwd()), beside]
    spec = None
    for part in name.split("."):
        spec = PathFinder.find_spec(part, path)  # alone: its parents need not be loaded
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    return spec.origin if spec else None
