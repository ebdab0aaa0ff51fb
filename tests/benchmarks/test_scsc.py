"""What SCSC costs beside reading its labels once; ``make bench`` prints the ratios."""

import time
import tracemalloc

import numpy as np
import pytest

from cscluster import SCSC, Constraints, load_dataset
from cscluster.algorithms.ensemble._labels import round_votes
from cscluster.algorithms.ensemble._weights import broken_weight, full_update, link_loss, relaxed_update

M, LINKS = 300, 500


def best(function, repeats=3):
    """Return processor seconds, which other work on the machine does not lengthen."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def partitions(n, r, rng):
    """Return m partitions that agree with a hidden one on about half of the samples."""
    hidden = rng.integers(0, r, n, dtype=np.uint8)
    L = np.empty((M, n), dtype=np.uint8)
    for row in L:
        draw = rng.integers(0, 256, n, dtype=np.uint8)
        np.copyto(row, np.where(draw < 128, hidden, draw % r))
    return L, hidden


def links(hidden, rng):
    pairs = rng.choice(len(hidden), (LINKS, 2), replace=False)
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    return Constraints(pairs[same], pairs[~same], n_samples=len(hidden))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "r", "paper"), [(581_012, 7, 2.3), (8_100_000, 10, 5.2)])
def test_one_tier(n, r, paper):
    rng = np.random.default_rng(0)
    L, hidden = partitions(n, r, rng)
    round_votes(L[:, :5000].copy(), np.full(M, 1 / M), r)
    read = best(lambda: L.view(np.uint64).max() if n % 8 == 0 else L.max())
    gamma = rng.dirichlet(np.ones(M))
    tier = links(hidden, rng)
    relaxed = best(lambda: relaxed_update(gamma, broken_weight(L, tier) / LINKS / M, 1.0, 1.0))
    full = best(lambda: full_update(gamma, link_loss(L, tier) / LINKS, 1.0, max_iter=10_000, tol=1e-6))
    dense = best(lambda: round_votes(L, gamma, r))
    sparse = best(lambda: round_votes(L, np.where(rng.permutation(M) < M // 5, gamma, 0), r))
    model = SCSC(r, preset="paper", C=0.1, random_state=0).fit_partitions(L, links(hidden, rng))
    whole = best(lambda: model.partial_fit(links(hidden, rng)), 1)
    tracemalloc.start()
    model.partial_fit(links(hidden, rng))
    peak = 1 + tracemalloc.get_traced_memory()[1] / L.nbytes
    tracemalloc.stop()
    print(
        f"\none tier of {LINKS} links, n = {n}, m = {M}, r = {r}: labels are read in {read:.3f} s; "
        f"relaxed update {relaxed / read:.3f}, full update {full / read:.3f} (goal: below 1), "
        f"hard partition {dense / read:.1f} (goal: 12), {sparse / read:.1f} with four fifths of the weights "
        f"zero (goal: 4) times that; whole tier {whole:.2f} s (paper: {paper}); "
        f"peak memory {peak:.2f} times the labels (goal: 1.3)"
    )


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_offline_step_is_linear(preset):
    X = load_dataset("mnist").X / 255
    rng = np.random.default_rng(0)
    X = X[rng.permutation(len(X))]

    def seconds(n, m):
        model = SCSC(10, preset=preset, n_partitions=m, sample_size=5000, random_state=0)
        return best(lambda: model.fit(X[:n]), 1)

    seconds(5000, 1)
    half, whole, more = seconds(35_000, 3), seconds(70_000, 3), seconds(70_000, 6)
    print(
        f"\noffline step on MNIST, preset {preset}: {more / 6:.2f} s for each partition of 70000 samples; "
        f"twice the samples take {whole / half:.2f} times as long, twice the partitions {more / whole:.2f} times"
    )
