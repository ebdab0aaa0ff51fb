"""What six million links cost; ``make bench`` prints seconds of processor time."""

import time

import numpy as np
import pytest

from cscluster import Constraints, read_constraints

N, LINKS = 70_000, 6_123_250


@pytest.mark.slow
def test_six_million_links(tmp_path):
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 10, N)
    pairs = rng.integers(0, N, (LINKS, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    path = tmp_path / "links.csv"
    with path.open("w") as file:
        file.write("a,b,link\n")
        file.writelines(
            f"{a},{b},{'must' if m else 'cannot'}\n" for (a, b), m in zip(pairs.tolist(), same, strict=True)
        )
    spent = [time.process_time()]

    def lap():
        spent.append(time.process_time())
        return spent[-1] - spent[-2]

    links = Constraints(pairs[same], pairs[~same], n_samples=N)
    print(f"\n{len(links)} links between {N} samples: built in {lap():.1f} s (earlier 3.5)", end="")
    assert len(links.component_cannot_links) == 45
    print(f", closed in {lap():.1f} s (earlier 7.7)", end="")
    shown = rng.random(len(links)) < 0.8
    lap()
    links.select(shown)
    print(f", split in {lap():.1f} s", end="")
    assert read_constraints(path, n_samples=N) == links
    print(f", read from a file in {lap():.1f} s (earlier about 50, extrapolated from 300,000 links)")
