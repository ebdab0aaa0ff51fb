"""Prepared data sets: loaded and preprocessed once for a machine, memory-mapped by its workers."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import joblib

from cscluster.data import preprocessing
from cscluster.data.dataset import Dataset
from cscluster.data.load import load_dataset
from cscluster.data.openml import cache_directory
from cscluster.data.recipe import Recipe
from cscluster.errors import DataError, warn


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
        text = json.dumps([self.recipe.identity(), self.preprocess, self.checksum, 5], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def make_ref(name: str, recipe: Recipe, steps: list[preprocessing.Step], source: Dataset) -> DataRef:
    """Describe a loaded data set with its preprocessing."""
    canonical = tuple(json.dumps(step, sort_keys=True) for step in preprocessing.parse(steps))
    return DataRef(name, recipe, canonical, source.checksum)


@lru_cache(maxsize=16)
def load(ref: DataRef) -> Dataset:
    """Return a prepared data set, its arrays memory-mapped and read-only.

    It is made now if it is not in the cache, or damaged there.

    Raises
    ------
    DataError
        If the source has changed.
    """
    file = _root() / f"{ref.key}.joblib"
    with contextlib.suppress(Exception):  # there is none, or it is damaged
        return replace(joblib.load(file, mmap_mode="r"), name=ref.name)
    data = _prepare(ref)
    try:
        _put(file, data)
    except OSError as error:
        warn(f"Prepared data cannot be kept in '{file.parent}': {error.strerror or error}.")
        return data
    return replace(joblib.load(file, mmap_mode="r"), name=ref.name)


def _prepare(ref: DataRef) -> Dataset:
    """Load and preprocess a data set."""
    data = load_dataset(ref.recipe, name=ref.name)
    if data.checksum != ref.checksum:
        raise DataError(
            f"Data set '{ref.name}' has changed since the run was planned. Start the command again."
        )
    steps: list[preprocessing.Step] = [{name: values} for name, values in map(json.loads, ref.preprocess)]
    return preprocessing.apply(steps, data)


def _put(file: Path, data: Dataset) -> None:
    """Write a data set in one step: several processes may do so at the same time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".part-") as scratch:
        joblib.dump(data, Path(scratch) / file.name)
        os.replace(Path(scratch) / file.name, file)


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
    return cache_directory() / "prepared"
