"""Data sets from OpenML, through scikit-learn's fetcher, cached for good."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import platformdirs
from scipy import sparse

from cscluster.data.dataset import Dataset
from cscluster.data.features import encoded
from cscluster.data.readers import from_arrays, with_names
from cscluster.data.table import Columns, from_frame, is_complete
from cscluster.errors import DataError
from cscluster.words import integer


def cache_directory() -> Path:
    """Return the directory for what can be made or fetched again."""
    return platformdirs.user_cache_path("cscluster")


def fetch(name: str, title: str) -> Dataset:
    """Fetch ``NAME``, ``NAME/VERSION`` or a numeric id; a second call reads the cache.

    Raises
    ------
    DataError
        If OpenML cannot be reached or has no such data set.
    """
    from sklearn.datasets import fetch_openml

    plain, _, version = name.partition("/")
    number = integer(name)
    wanted: dict[str, Any] = {"name": plain} if number is None else {"data_id": number}
    if version:
        wanted["version"] = integer(version)
        if wanted["version"] is None:
            raise DataError(f"OpenML data set '{name}': the version after the slash must be an integer.")
    try:
        bunch = fetch_openml(
            **wanted, as_frame="auto", parser="auto", data_home=str(cache_directory() / "openml")
        )
    except (URLError, OSError, TimeoutError) as error:
        raise DataError(f"OpenML cannot be reached for '{name}' ({error}). Check the network.") from error
    except ValueError as error:
        raise DataError(f"OpenML has no usable data set '{name}': {error}") from error
    data = _from_bunch(bunch, title)
    parts = [data.X.data, data.X.indices, data.X.indptr] if sparse.issparse(data.X) else [data.X]
    digest = hashlib.sha256()
    for part in [*parts, *([] if data.y is None else [data.y])]:
        digest.update(np.ascontiguousarray(part).tobytes())
    return replace(data, checksum=digest.hexdigest()).check()


def _from_bunch(bunch: Any, title: str) -> Dataset:
    """Build a data set from what the fetcher returns: a table, or a sparse matrix."""
    if bunch.frame is None:
        target = {} if bunch.target is None else {"y": bunch.target}
        return from_arrays({"X": sparse.csr_array(bunch.data), **target}, title, None)
    if bunch.target is not None and bunch.target.ndim > 1:
        names = ", ".join(bunch.target.columns)
        raise DataError(f"OpenML data set '{title}' has more than one target ({names}).")
    columns = Columns(target=None if bunch.target is None else str(bunch.target.name))
    frame = with_names(bunch.frame, title)
    return encoded(from_frame(frame, title, columns, keep_all=is_complete(frame, columns)))
