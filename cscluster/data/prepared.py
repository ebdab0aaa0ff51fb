"""Prepared data sets: loaded and preprocessed once for a machine, memory-mapped by its workers."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from cscluster.data import preprocessing
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.data.openml import cache_folder
from cscluster.data.recipe import Recipe
from cscluster.errors import DataError

_ARRAYS = ("X", "y", "X_unseen", "y_unseen")
_SPARSE = ("data", "indices", "indptr")


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
        text = json.dumps([self.recipe.identity(), self.preprocess, self.checksum, 2], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def make_ref(name: str, recipe: Recipe, steps: list[preprocessing.Step], source: Dataset) -> DataRef:
    """Describe a loaded data set with its preprocessing."""
    canonical = tuple(json.dumps(step, sort_keys=True) for step in preprocessing.parse(steps))
    return DataRef(name, recipe, canonical, source.checksum)


def prepare(ref: DataRef) -> Path:
    """Return the folder of the prepared arrays, made now if it is not there yet."""
    folder = cache_folder() / "prepared" / ref.key
    if folder.is_dir():
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
        if not folder.is_dir():  # else another process was faster
            raise DataError(
                f"Cannot prepare data set '{ref.name}' in '{folder.parent}': {error.strerror or error}."
            ) from error
    return folder


def clear() -> tuple[int, int]:
    """Delete all prepared data; return the number of files and of bytes that there were."""
    folder = cache_folder() / "prepared"
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    shutil.rmtree(folder, ignore_errors=True)
    return len(sizes), sum(sizes)


def _put(folder: Path, data: Dataset) -> None:
    """Write the arrays and move their folder into place in one step."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".part-"))
    try:
        _write(scratch, data)
        os.rename(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


@lru_cache(maxsize=16)
def load(ref: DataRef) -> Dataset:
    """Return a prepared data set, its arrays memory-mapped and read-only."""
    folder = prepare(ref)
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    meta["image"] = meta["image"] and tuple(meta["image"])
    arrays = {name: _read(folder, name) for name in _ARRAYS}
    return Dataset(ref.name, **arrays, **meta, checksum=ref.checksum)


def _write(folder: Path, data: Dataset) -> None:
    for name in _ARRAYS:
        value = getattr(data, name)
        if sparse.issparse(value):
            for part in _SPARSE:
                np.save(folder / f"{name}.{part}.npy", getattr(value, part))
            np.save(folder / f"{name}.shape.npy", np.array(value.shape))
        elif value is not None:
            np.save(folder / f"{name}.npy", value)
    meta = {"classes": data.classes, "features": data.features, "ids": data.ids, "image": data.image}
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def _read(folder: Path, name: str) -> Any:
    if (folder / f"{name}.shape.npy").exists():
        parts = tuple(np.load(folder / f"{name}.{part}.npy", mmap_mode="r") for part in _SPARSE)
        return sparse.csr_array(parts, shape=tuple(np.load(folder / f"{name}.shape.npy")))
    path = folder / f"{name}.npy"
    return np.load(path, mmap_mode="r") if path.exists() else None
