"""What SCSC costs beside reading its labels once; ``make bench`` prints the ratios."""

import time
import tracemalloc

import numpy as np
import pytest

from cscluster import SCSC, Constraints, LandmarkEnsemble, load_dataset
from cscluster.algorithms.ensemble._labels import round_votes
from cscluster.algorithms.ensemble._partitions import LEARNERS, View
from cscluster.algorithms.ensemble._weights import (
    constraint_loss,
    full_update,
    relaxed_update,
    violated_weight,
)

M, LINKS = 300, 500


def best(function, repeats=3):
    """Return processor seconds, which other work on the machine does not lengthen."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def partitions(n, r, rng, m=M):
    """Return m partitions that agree with a hidden one on about half of the samples."""
    hidden = rng.integers(0, r, n, dtype=np.uint8)
    L = np.empty((m, n), dtype=np.uint8)
    for row in L:
        draw = rng.integers(0, 256, n, dtype=np.uint8)
        np.copyto(row, np.where(draw < 128, hidden, draw % r))
    return L, hidden


def uniform(L, r, rng):
    """Fill `L` with labels without any agreement, so that many votes are close."""
    for row in L:
        row[:] = rng.integers(0, r, L.shape[1], dtype=np.uint8)


def links(hidden, rng):
    pairs = rng.choice(len(hidden), (LINKS, 2), replace=False)
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    return Constraints(pairs[same], pairs[~same], n_samples=len(hidden))


def reading(L):
    """Return the seconds of reading the labels once."""
    return best(lambda: L.view(np.uint64).max() if L.shape[1] % 8 == 0 else L.max(), 5)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "r", "paper"), [(581_012, 7, 2.3), (8_100_000, 10, 5.2)])
def test_one_tier(n, r, paper):
    rng = np.random.default_rng(0)
    L, hidden = partitions(n, r, rng)
    gamma = rng.dirichlet(np.ones(M))
    few = np.where(rng.permutation(M) < M // 5, gamma, 0)
    tier = links(hidden, rng)
    round_votes(L[:, :5000].copy(), gamma, r)
    constraint_loss(L, tier)
    read = reading(L)
    relaxed = best(lambda: relaxed_update(gamma, violated_weight(L, tier) / LINKS / M, 1.0, 1.0))
    full = best(lambda: full_update(gamma, constraint_loss(L, tier) / LINKS, 1.0, max_iter=10_000, tol=1e-6))
    dense, sparse = (best(lambda g=g: round_votes(L, g, r)) for g in (gamma, few))
    model = SCSC(n_clusters=r, C=0.1, random_state=0)
    model._fit_consensus(L, links(hidden, rng), np.random.SeedSequence(0), 0.0)
    whole = best(lambda: model.partial_fit(links(hidden, rng)), 1)
    tracemalloc.start()
    model.partial_fit(links(hidden, rng))
    peak = 1 + tracemalloc.get_traced_memory()[1] / L.nbytes
    tracemalloc.stop()
    uniform(L, r, rng)
    worst_read = reading(L)
    worst, worst_few = (best(lambda g=g: round_votes(L, g, r)) for g in (gamma, few))
    print(
        f"\none tier of {LINKS} links, n = {n}, m = {M}, r = {r}: labels are read in {read:.3f} s; "
        f"relaxed update {relaxed / read:.3f}, full update {full / read:.3f} (goal: below 1), "
        f"hard partition {dense / read:.1f}, {worst / worst_read:.1f} of labels without agreement (goal: 12), "
        f"{sparse / read:.1f} and {worst_few / worst_read:.1f} with four fifths of the weights zero (goal: 4) "
        f"times that; whole tier {whole:.2f} s (paper: {paper}); "
        f"peak memory {peak:.2f} times the labels (goal: 1.3)"
    )


@pytest.mark.slow
@pytest.mark.parametrize("n", [1_000_000, 8_100_000])
def test_tier_of_both_ensembles(n):
    rng = np.random.default_rng(0)
    L, hidden = partitions(n, 10, rng, m=30)
    seconds = {}
    for method in (LandmarkEnsemble, SCSC):
        model = method(n_clusters=10, random_state=0)
        model._fit_consensus(L, links(hidden, rng), np.random.SeedSequence(0), 0.0)
        tier = links(hidden, rng)
        seconds[method] = best(lambda model=model, tier=tier: model.partial_fit(tier), 2)
    print(
        f"\none tier of {LINKS} links, n = {n}, m = 30, r = 10: {seconds[LandmarkEnsemble]:.2f} s by the landmark "
        f"ensemble, {seconds[SCSC]:.2f} s by SCSC"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "n_features", "n_landmarks"), [("kernel", 40, 200), ("graph", 588, 1000)])
def test_placing_samples_beside_their_distances(kind, n_features, n_landmarks):
    """No partition places samples faster than the product that distances to its landmarks need."""
    X, rng = load_dataset("mnist").X, np.random.default_rng(0)
    sample, block = X[:5000].astype(float), X[5000 : 5000 + 4096]
    view = View.of(sample, LEARNERS[kind].scales(sample), n_features)
    of_features = view.of_features(np.sort(rng.choice(X.shape[1], n_features, replace=False)))
    partition = LEARNERS[kind].fit(of_features(view(sample)), 10, rng)
    x = view(block)
    parts = np.split(of_features(x), 4)
    landmarks = rng.standard_normal((parts[0].shape[1], n_landmarks), dtype=np.float32)
    D = np.empty((len(parts[0]), n_landmarks), dtype=np.float32)
    distances, placing, reading = [], [], []
    for _ in range(20):  # in turn, since the speed of a shared processor changes
        distances.append(best(lambda: [np.matmul(part, landmarks, out=D) for part in parts], 1))
        placing.append(best(lambda: partition(of_features(x)), 1))
        reading.append(best(lambda: view(block), 1))
    limit = min(distances)
    print(
        f"\na {kind} partition of MNIST places a sample in {min(placing) / limit:.1f} times the time of its distances "
        f"to {n_landmarks} landmarks, {1e6 * limit / len(block):.2f} us (goal: 3); to read and scale a sample, once for "
        f"50 partitions, takes {min(reading) / limit:.1f} times that"
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", [LandmarkEnsemble, SCSC])
def test_offline_step_is_linear(method):
    X = load_dataset("mnist").X / 255
    X = X[np.random.default_rng(0).permutation(len(X))]

    def seconds(n, m):
        model = method(n_clusters=10, n_partitions=m, sample_size=5000, random_state=0)
        return best(lambda: model.fit(X[:n]), 1)

    def slope(sizes, times):
        return np.polyfit(np.log(sizes), np.log(times), 1)[0]

    seconds(5000, 1)
    samples, counts = [10_000, 20_000, 40_000, 70_000], [4, 8, 16]
    by_samples = [seconds(n, 4) for n in samples]
    by_count = [by_samples[0]] + [seconds(samples[0], m) for m in counts[1:]]
    print(
        f"\noffline step of {method.__name__} on MNIST: {by_samples[-1] / 4:.2f} s for each partition of 70000 samples; "
        f"seconds {np.round(by_samples, 2)} for n = {samples} (m = 4), a power {slope(samples, by_samples):.2f} of n, "
        f"{np.round(1e4 * np.diff(by_samples) / np.diff(samples), 2)} for each further 10000; "
        f"{np.round(by_count, 2)} for m = {counts} (n = 10000), a power {slope(counts, by_count):.2f} of m"
    )
