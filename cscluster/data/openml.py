"""Data sets from OpenML, through scikit-learn's fetcher, cached for good."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np

from cscluster.data.dataset import Dataset
from cscluster.data.readers import from_frame
from cscluster.errors import DataError


def cache_folder() -> Path:
    """Return the folder for what can be made or fetched again."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "cscluster"


def fetch(name: str, title: str) -> Dataset:
    """Fetch ``NAME``, ``NAME/VERSION`` or a numeric id; a second call reads the cache.

    Raises
    ------
    DataError
        If OpenML cannot be reached or has no such data set.
    """
    from sklearn.datasets import fetch_openml

    wanted: dict[str, Any] = {"data_id": int(name)} if name.isdigit() else {"name": name.partition("/")[0]}
    if "/" in name:
        wanted["version"] = int(name.partition("/")[2])
    try:
        bunch = fetch_openml(**wanted, as_frame=True, parser="auto", data_home=str(cache_folder() / "openml"))
    except (URLError, OSError, TimeoutError) as error:
        raise DataError(f"OpenML cannot be reached for '{name}' ({error}); check the network.") from error
    except ValueError as error:
        raise DataError(f"OpenML has no usable data set '{name}': {error}") from error
    target = bunch.target.name if bunch.target is not None else None
    data = from_frame(bunch.frame, title, target, None)
    digest = hashlib.sha256(np.ascontiguousarray(data.X).tobytes())
    digest.update(b"" if data.y is None else data.y.tobytes())
    return Dataset(**{**vars(data), "checksum": digest.hexdigest()}).check()
