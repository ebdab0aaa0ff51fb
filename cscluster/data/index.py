"""Which data sets there are, from ``datasets/index.yaml``; imports no numeric library."""

from __future__ import annotations

import itertools
import os
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from cscluster import bundle
from cscluster.data.formats import ENDINGS


@cache
def _index() -> dict[str, dict[str, Any]]:
    text = (bundle.folder("datasets") / "index.yaml").read_text(encoding="utf-8")
    index: dict[str, dict[str, Any]] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for a, b in itertools.combinations("0123456789", 2):
        index["recipes"].setdefault(
            f"optdigits_{a}_{b}", {"base": "optdigits", "part": "test", "classes": [a, b]}
        )
    return index


def files() -> dict[str, dict[str, Any]]:
    """Return what is known about the bundled data sets."""
    return _index()["files"]


def external() -> dict[str, dict[str, Any]]:
    """Return what is known about data sets that are not bundled."""
    return _index()["external"]


def recipes() -> dict[str, dict[str, Any]]:
    """Return the named selections."""
    return _index()["recipes"]


def names() -> list[str]:
    """Return every name that `load_dataset` knows."""
    return [*files(), *external(), *recipes()]


def own_folder() -> Path | None:
    """Return the user's directory of further data sets, which CSCLUSTER_DATA names."""
    value = os.environ.get("CSCLUSTER_DATA")
    return Path(value).expanduser() if value else None


def find_file(name: str) -> Path | None:
    """Return the file of a data set, bundled or in the user's directory or a directory in that."""
    bundled = bundle.folder("datasets") / f"{name}.npz"
    if name in files() and bundled.exists():
        return bundled
    own = own_folder()
    if own is None or not own.is_dir() or name != Path(name).name:
        return None
    folders = [own, *sorted(path for path in own.iterdir() if path.is_dir())]
    stem = external().get(name, {}).get("file", name)
    places = (folder / f"{stem}{ending}" for folder in folders for ending in ENDINGS)
    return next((path for path in places if os.path.isfile(path)), None)  # a name may be too long for a path


def describe(name: str) -> str:
    """Return a recipe as an experiment may have it."""
    return yaml.safe_dump(recipes()[name], default_flow_style=True, sort_keys=False, width=1000).strip()
