"""The algorithms as parameters of tests; further forms of a class are left to `make stress`."""

import pytest

from cscluster.algorithms.registry import BUILT_IN

FEWER = {"scsc": {"n_partitions": 20}, "landmark_ensemble": {"n_partitions": 10}}
"""Parameters that make the checks quick and change no promise."""
_FIRST = {algorithm.load(): algorithm.name for algorithm in reversed(BUILT_IN)}.values()


def forms(*slow):
    """Return the algorithms; those that are named in `slow` are left to `make stress` as well."""
    return [
        pytest.param(
            algorithm,
            id=algorithm.name,
            marks=[] if algorithm.name in _FIRST and algorithm.name not in slow else [pytest.mark.slow],
        )
        for algorithm in BUILT_IN
    ]
