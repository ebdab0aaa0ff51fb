"""Random pairs of samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cscluster.arrays import IntArray
from cscluster.errors import ConstraintError

_BLOCK = 4096
_FEW_PAIRS = 2_000_000


def pair_blocks(n: int, rng: np.random.Generator) -> Iterator[IntArray]:
    """Yield the pairs of `n` samples in random order, each once, in blocks."""
    total = n * (n - 1) // 2
    if total <= _FEW_PAIRS:
        order = rng.permutation(total)
        for start in range(0, total, _BLOCK):
            yield _unrank(order[start : start + _BLOCK])
        return
    seen: set[int] = set()
    while len(seen) < total:
        codes = rng.integers(0, total, size=_BLOCK)
        fresh = []
        for code in codes.tolist():
            if code not in seen:
                seen.add(code)
                fresh.append(code)
        yield _unrank(np.array(fresh, dtype=np.int64))


def _unrank(codes: IntArray) -> IntArray:
    """Turn the numbers 0, 1, 2, ... into the pairs (0, 1), (0, 2), (1, 2), (0, 3), ..."""
    j = np.floor((1 + np.sqrt(1 + 8 * codes.astype(np.float64))) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > codes
    j += j * (j + 1) // 2 <= codes
    return np.column_stack([codes - j * (j - 1) // 2, j])


def random_pairs(n: int, count: int, rng: np.random.Generator) -> IntArray:
    """Return the first `count` pairs of the random order that `rng` stands for."""
    total = n * (n - 1) // 2
    if count > total:
        raise ConstraintError(f"{count} constraints are wanted, but {n} samples have only {total} pairs.")
    blocks, have = [np.empty((0, 2), dtype=np.int64)], 0
    for block in pair_blocks(n, rng):
        if have >= count:
            break
        blocks.append(block)
        have += len(block)
    return np.concatenate(blocks)[:count]


def balanced_pairs(y: IntArray, count: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return `count` random pairs inside classes and as many between classes."""
    sizes = np.bincount(y).astype(np.int64)
    within = int((sizes * (sizes - 1) // 2).sum())
    between = len(y) * (len(y) - 1) // 2 - within
    if count > min(within, between):
        raise ConstraintError(
            f"{count} must-links and {count} cannot-links are wanted, but the classes have "
            f"{within} pairs inside and {between} between them."
        )
    inside, across = [np.empty((0, 2), dtype=np.int64)], [np.empty((0, 2), dtype=np.int64)]
    for block in pair_blocks(len(y), rng):
        if min(sum(map(len, inside)), sum(map(len, across))) >= count:
            break
        same = y[block[:, 0]] == y[block[:, 1]]
        inside.append(block[same])
        across.append(block[~same])
    return np.concatenate(inside)[:count], np.concatenate(across)[:count]
