"""Prepared data sets: loaded and preprocessed once for a machine, memory-mapped by its workers."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import zlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from cscluster import atomic
from cscluster.data import preprocessing
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.data.openml import cache_folder
from cscluster.data.recipe import Recipe
from cscluster.errors import DataError

_ARRAYS = ("X", "y", "X_unseen", "y_unseen")
_SPARSE = ("data", "indices", "indptr")
_META, _SUMS = "meta.json", "sums.json"
_CHUNK = 2**22


@dataclass(frozen=True)
class DataRef:
    """How to get a prepared data set on any machine.

    Attributes
    ----------
    name : str
        Name in tables.
    recipe : Recipe
        Where it comes from.
    preprocess : tuple
        Canonical preprocessing steps.
    checksum : str
        Checksum of the source; another content is another data set.
    """

    name: str
    recipe: Recipe = field(hash=False)
    preprocess: tuple[str, ...]
    checksum: str

    @property
    def key(self) -> str:
        """Hash of all that decides the prepared arrays."""
        text = json.dumps([self.recipe.identity(), self.preprocess, self.checksum, 3], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def make_ref(name: str, recipe: Recipe, steps: list[preprocessing.Step], source: Dataset) -> DataRef:
    """Describe a loaded data set with its preprocessing."""
    canonical = tuple(json.dumps(step, sort_keys=True) for step in preprocessing.parse(steps))
    return DataRef(name, recipe, canonical, source.checksum)


def prepare(ref: DataRef) -> Path:
    """Return the directory of the prepared arrays; it is made now if it is not there, or damaged.

    Raises
    ------
    DataError
        If the source has changed, or the cache cannot be written.
    """
    folder = _root() / ref.key
    if _is_sound(folder):
        return folder
    data = load_dataset(ref.recipe, name=ref.name)
    if data.checksum != ref.checksum:
        raise DataError(
            f"Data set '{ref.name}' has changed since the run was planned; start the command again."
        )
    steps: list[preprocessing.Step] = [{name: values} for name, values in map(json.loads, ref.preprocess)]
    data = preprocessing.apply(steps, data)
    try:
        _put(folder, data)
    except OSError as error:
        if not _is_sound(folder):  # else another process was faster
            raise DataError(
                f"Cannot prepare data set '{ref.name}' in '{folder.parent}': {error.strerror or error}."
            ) from error
    return folder


def clear() -> tuple[int, int]:
    """Remove all prepared data sets, and return how many files and bytes they were.

    Raises
    ------
    DataError
        If they cannot be removed.
    """
    files = [path for path in _root().rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    load.cache_clear()
    try:
        if _root().exists():
            shutil.rmtree(_root())
    except OSError as error:
        raise DataError(f"Cannot remove '{_root()}': {error.strerror or error}.") from error
    return len(files), size


def _root() -> Path:
    return cache_folder() / "prepared"


def _is_sound(folder: Path) -> bool:
    """Tell whether every file of a prepared data set is there and as it was written."""
    try:
        sums = json.loads((folder / _SUMS).read_text(encoding="utf-8"))
        return _META in sums and all(_checksum(folder / name) == known for name, known in sums.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def _checksum(path: Path) -> int:
    """Return the CRC-32 of a file: what a disk or a full partition does to it is seen, at little cost."""
    value = 0
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            value = zlib.crc32(part, value)
    return value


def _put(folder: Path, data: Dataset) -> None:
    """Write the arrays, and move their directory into place in one step; a damaged one makes room."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".part-"))
    damaged = scratch.with_name(f"{scratch.name}-old")
    try:
        _write(scratch, data)
        if folder.exists() and not _is_sound(folder):
            os.rename(folder, damaged)
        os.rename(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.rmtree(damaged, ignore_errors=True)


@lru_cache(maxsize=16)
def load(ref: DataRef) -> Dataset:
    """Return a prepared data set, its arrays memory-mapped and read-only."""
    folder = prepare(ref)
    meta = json.loads((folder / _META).read_text(encoding="utf-8"))
    meta["image"] = meta["image"] and tuple(meta["image"])
    arrays = {name: _read(folder, name) for name in _ARRAYS}
    return Dataset(ref.name, **arrays, **meta, checksum=ref.checksum)


def _write(folder: Path, data: Dataset) -> None:
    """Write arrays, what else is known, and the checksums of all that; it is on disk afterwards."""
    for name in _ARRAYS:
        value = getattr(data, name)
        if sparse.issparse(value):
            for part in _SPARSE:
                _save(folder / f"{name}.{part}.npy", getattr(value, part))
            _save(folder / f"{name}.shape.npy", np.array(value.shape))
        elif value is not None:
            _save(folder / f"{name}.npy", value)
    meta = {"classes": data.classes, "features": data.features, "ids": data.ids, "image": data.image}
    atomic.replace(folder / _META, json.dumps(meta).encode())
    sums = {path.name: _checksum(path) for path in sorted(folder.iterdir())}
    atomic.replace(folder / _SUMS, json.dumps(sums).encode())


def _save(path: Path, array: Any) -> None:
    with path.open("wb") as file:
        np.save(file, array)
        file.flush()
        os.fsync(file.fileno())


def _read(folder: Path, name: str) -> Any:
    if (folder / f"{name}.shape.npy").exists():
        parts = tuple(np.load(folder / f"{name}.{part}.npy", mmap_mode="r") for part in _SPARSE)
        return sparse.csr_array(parts, shape=tuple(np.load(folder / f"{name}.shape.npy")))
    path = folder / f"{name}.npy"
    return np.load(path, mmap_mode="r") if path.exists() else None
