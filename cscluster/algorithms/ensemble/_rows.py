"""Samples that need not fit into memory: arrays, memory-mapped NPY files, Parquet files."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cscluster.algorithms.base import LARGEST, FloatArray, IntArray
from cscluster.errors import DataError

_BLOCK = 4096


class ArrayRows:
    """Rows of an array, which may be memory-mapped and of any numeric type.

    Other processes get a mapped array by the name of its file; Dask, which asks for the size, sends
    another array to a worker once and not with every partition.
    """

    def __init__(self, X: Any) -> None:
        if X.ndim != 2 or X.dtype.kind not in "buif" or 0 in X.shape:
            raise DataError(f"X must be a table of numbers, got {X.dtype} of shape {X.shape}.")
        self.X = X
        self.shape: tuple[int, int] = X.shape

    def __reduce__(self) -> tuple[Any, ...]:
        X, base = self.X, self.X.base
        if isinstance(X, np.memmap) and isinstance(base, mmap.mmap):
            order = "C" if X.flags.c_contiguous else "F"
            return _map_rows, (X.filename, X.dtype, X.offset, X.shape, order)
        return ArrayRows, (X,)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + (0 if isinstance(self.X, np.memmap) else int(self.X.nbytes))

    def take(self, samples: IntArray) -> FloatArray:
        """Return some samples, given by their numbers in rising order; of all, no copy is made."""
        X = self.X if len(samples) == self.shape[0] else self.X[samples]
        return _finite(np.asarray(X, dtype=np.float64))

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Yield all samples, in order and of their own type, in blocks of equal size."""
        for start in range(0, self.shape[0], _BLOCK):
            yield _finite(np.asarray(self.X[start : start + _BLOCK]))


def _map_rows(path: Path, dtype: Any, offset: int, shape: tuple[int, int], order: Any) -> ArrayRows:
    return ArrayRows(np.memmap(path, dtype, "r", offset, shape, order))


def _finite(block: NDArray[Any]) -> NDArray[Any]:
    if block.dtype.kind == "f" and not (np.abs(block) <= LARGEST).all():
        raise DataError(f"X holds values that are missing or infinite, or beyond {LARGEST:g}.")
    return block
