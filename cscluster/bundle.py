"""Where the bundled configurations and data sets lie: in the wheel, or in a checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def folder(name: str) -> Path:
    """Return the directory ``configs`` or ``datasets`` that came with the package."""
    package = Path(__file__).parent
    installed = package / "_bundle" / name
    return installed if installed.is_dir() else package.parent / name


def config_names() -> list[str]:
    """Return the names of the bundled experiments; claims, readings and tracks lie beside them."""
    root = folder("configs")
    files = (
        path
        for path in root.rglob("*.yaml")
        if path.name not in ("claims.yaml", "readings.yaml", "tracks.yaml")
    )
    return sorted(path.relative_to(root).with_suffix("").as_posix() for path in files)
