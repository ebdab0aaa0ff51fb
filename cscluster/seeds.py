"""The seed tree: each purpose of each trial has a random stream of its own.

A seed is a pure function of the experiment's seed and a path of names, so it depends neither on
the order in which trials run nor on which process runs them.
"""

from __future__ import annotations

import hashlib

import numpy as np


def seed_sequence(seed: int, *path: str | int) -> np.random.SeedSequence:
    """Return the node of the seed tree that `path` names below the experiment's `seed`."""
    digest = hashlib.sha256("\x1f".join(map(str, path)).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.SeedSequence([seed, *words])


def generator(seed: int, *path: str | int) -> np.random.Generator:
    """Return a random generator for the node `path`."""
    return np.random.default_rng(seed_sequence(seed, *path))


def integer(seed: int, *path: str | int) -> int:
    """Return a 31-bit integer for the node `path`, fit for scikit-learn's ``random_state``."""
    return int(seed_sequence(seed, *path).generate_state(1)[0] >> 1)
