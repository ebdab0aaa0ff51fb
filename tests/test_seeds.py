import os
import subprocess
import sys

import numpy as np
import pytest

from cscluster import seeds


def test_a_seed_is_a_function_of_its_path():
    assert seeds.integer(1, "iris", "constraints", 3) == seeds.integer(1, "iris", "constraints", 3)
    first, second = (seeds.generator(1, "iris", 3).standard_normal(5) for _ in range(2))
    assert np.array_equal(first, second)


def test_seeds_are_the_same_in_another_process():
    # PYTHONHASHSEED must not matter.
    code = "from cscluster import seeds; print(seeds.integer(1, 'iris', 'constraints', 3))"
    found = {
        subprocess.check_output(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": salt}, text=True
        )
        for salt in ("1", "2")
    }
    assert found == {f"{seeds.integer(1, 'iris', 'constraints', 3)}\n"}


def test_streams_of_different_paths_differ():
    paths = [(), ("a",), ("b",), ("a", "b"), ("ab",), ("a", 1), ("a", 2), ("a", 12), ("a", 1, 2)]
    values = {seeds.integer(seed, *path) for seed in (0, 1) for path in paths}
    assert len(values) == 2 * len(paths)


def test_streams_are_uncorrelated():
    draws = np.array([seeds.generator(5, "trial", t).standard_normal(500) for t in range(20)])
    correlation = np.corrcoef(draws) - np.eye(20)
    assert np.abs(correlation).max() < 0.25


@pytest.mark.parametrize("seed", [0, 2**31, 2**64])
def test_integers_fit_scikit_learn(seed):
    values = [seeds.integer(seed, trial) for trial in range(100)]
    assert all(0 <= value < 2**31 for value in values)
