"""Generated data sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cscluster.arrays import FloatArray, IntArray
from cscluster.data.dataset import Dataset

Samples = tuple[FloatArray, IntArray]


def ringnorm(n: int, rng: np.random.Generator) -> Samples:
    """Breiman's ringnorm: N(0, 4 I) against N(a, I) in 20 dimensions, ``a_i = 2 / sqrt(20)``."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 20))
    X[y == 0] *= 2.0
    X[y == 1] += 2.0 / np.sqrt(20.0)
    return X, y


def rings(n: int, rng: np.random.Generator) -> Samples:
    """Two concentric rings in the plane: no linear map separates them."""
    y = np.arange(n) % 2
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = np.where(y == 0, 1.0, 3.0) + rng.normal(0, 0.2, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def moons(n: int, rng: np.random.Generator) -> Samples:
    """Two interleaved half circles."""
    y = np.arange(n) % 2
    angle = rng.uniform(0, np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[y == 1] = [1.0, 0.5] - X[y == 1]
    return X + rng.normal(0, 0.1, (n, 2)), y


def xor(n: int, rng: np.random.Generator) -> Samples:
    """Four Gaussian clouds, the diagonal ones of one class."""
    corner = np.arange(n) % 4
    centre = np.array([[-2, -2], [2, 2], [-2, 2], [2, -2]], dtype=float)[corner]
    return centre + rng.normal(0, 0.6, (n, 2)), corner // 2


def blobs(n: int, rng: np.random.Generator) -> Samples:
    """Three round Gaussian clouds: the toy set of the examples."""
    y = np.arange(n) % 3
    centre = np.array([[0, 0], [4, 0], [2, 3.5]], dtype=float)[y]
    return centre + rng.normal(0, 1.0, (n, 2)), y


GENERATORS: dict[str, Callable[[int, np.random.Generator], Samples]] = {
    "ringnorm": ringnorm,
    "rings": rings,
    "moons": moons,
    "xor": xor,
    "blobs": blobs,
}


def generate(kind: str, n: int, rng: np.random.Generator) -> Dataset:
    """Return `n` samples of a kind, in random order."""
    X, y = GENERATORS[kind](n, rng)
    order = rng.permutation(n)
    classes = [str(c) for c in range(int(y.max()) + 1)]
    return Dataset(kind, X[order], y[order].astype(np.int64), classes, checksum=f"generated:{kind}:1")
