"""COBRAS: clustering by questions about super-instances, without a number of clusters [1]_.

A *super-instance* is a part of the samples that is taken to belong together; a question about two of them
is one about their medoids.  In turns, the largest super-instance is split by k-means, into as many parts as
answers tell apart (its level), and clusters, each a set of super-instances, are joined again, the closest
first, until answers keep all of them apart.

References
----------
.. [1] T. van Craenendonck, S. Dumancic, E. van Wolputte, H. Blockeel, "COBRAS: Interactive Clustering with
   Pairwise Queries", IDA 2018. doi:10.1007/978-3-030-01768-2_29
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from cscluster import threads
from cscluster.arrays import FloatArray, IntArray, checked_distances
from cscluster.queries.active import Answer, Oracle, entailed


def cobras(
    X: FloatArray, count: int, answer: Oracle, seed: int, metric: str = "euclidean"
) -> tuple[list[Answer], IntArray]:
    """Ask at most `count` questions, fewer where answers entail all others.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The samples, or with `metric` 'precomputed' the distances between them, of shape
        (n_samples, n_samples).
    count : int
        Number of questions.
    answer : callable
        The oracle.
    seed : int
        Seed of k-means.
    metric : {"euclidean", "precomputed"}
        What X holds.  Given distances are replaced by those of points (`scaled`).

    Returns
    -------
    list of Answer
        Questions with their answers, in order.
    ndarray of shape (n_samples,)
        Clusters after the last turn that was finished.
    """
    if metric == "precomputed":
        X = scaled(checked_distances(np.asarray(X, dtype=np.float64)))
    memory = _Memory(answer, count)
    random = np.random.RandomState(seed)
    clusters = [[_SuperInstance(X, np.arange(len(X)))]]
    labels = np.zeros(len(X), dtype=np.int64)
    with threads.one():  # for so little work, threads wait longer than they compute
        try:
            while True:
                largest = max((part for cluster in clusters for part in cluster), key=len)
                if len(largest) == 1:
                    break
                rest = [[part for part in cluster if part is not largest] for cluster in clusters]
                level = _split_level(X, largest, memory, random)
                rest += [[part] for part in _split(X, largest, 2**level, random)]
                clusters = _merge(X, [cluster for cluster in rest if cluster], memory)
                for number, cluster in enumerate(clusters):
                    for part in cluster:
                        labels[part.members] = number
        except _SpentError:
            pass
    return memory.answers, labels


def scaled(D: FloatArray) -> FloatArray:
    """Return points, as rows, with the distances D where these are Euclidean (classical scaling)."""
    squares = D**2
    means = squares.mean(axis=0)
    values, vectors = np.linalg.eigh((means + means[:, None] - means.mean() - squares) / 2)
    return vectors * np.sqrt(np.maximum(values, 0))


class _SpentError(Exception):
    """There are no questions left."""


class _SuperInstance:
    """Samples that are taken to belong together, and the one closest to their mean."""

    def __init__(self, X: FloatArray, members: IntArray) -> None:
        self.members = members
        self.medoid = int(members[((X[members] - X[members].mean(axis=0)) ** 2).sum(axis=1).argmin()])

    def __len__(self) -> int:
        return len(self.members)


_Clusters = list[list[_SuperInstance]]


@dataclass
class _Memory:
    """What has been answered."""

    answer: Oracle
    count: int
    answers: list[Answer] = field(default_factory=list)

    def together(self, a: int, b: int) -> bool:
        """Tell whether two samples belong together, asking only where that does not follow."""
        verdict = entailed(self.answers, a, b)
        if verdict is not None:
            return verdict
        if len(self.answers) == self.count:
            raise _SpentError
        self.answers.append((a, b, self.answer(a, b, len(self.answers))))
        return self.answers[-1][2]


def _split(
    X: FloatArray, part: _SuperInstance, k: int, random: np.random.RandomState
) -> list[_SuperInstance]:
    """Split a super-instance by k-means; one of coinciding samples is halved."""
    members = part.members
    n_points = len(np.unique(X[members], axis=0))
    if n_points == 1:
        half = len(members) // 2
        return [_SuperInstance(X, members[:half]), _SuperInstance(X, members[half:])]
    k = min(k, n_points)
    labels = KMeans(k, n_init=3, random_state=random.randint(2**31 - 1)).fit(X[members]).labels_
    return [_SuperInstance(X, members[labels == h]) for h in range(k) if (labels == h).any()]


def _split_level(X: FloatArray, part: _SuperInstance, memory: _Memory, random: np.random.RandomState) -> int:
    """Halve a super-instance until the halves belong together; return how often, at least once."""
    level = 0
    while len(part) > 1:
        one, other = _split(X, part, 2, random)
        if memory.together(one.medoid, other.medoid):
            break
        level += 1
        part = max(one, other, key=len)
    return max(level, 1)


def _merge(X: FloatArray, clusters: _Clusters, memory: _Memory) -> _Clusters:
    """Join clusters whose closest super-instances belong together, the closest clusters first."""
    while True:
        medoids = [np.array([part.medoid for part in cluster]) for cluster in clusters]
        gaps = []
        for a in range(len(clusters)):
            for b in range(a):
                D = cdist(X[medoids[a]], X[medoids[b]])
                at, to = divmod(int(D.argmin()), D.shape[1])
                gaps.append((float(D[at, to]), a, b, int(medoids[a][at]), int(medoids[b][to])))
        for _, a, b, i, j in sorted(gaps):
            if memory.together(i, j):
                joined = clusters[a] + clusters[b]
                clusters = [c for number, c in enumerate(clusters) if number not in (a, b)] + [joined]
                break
        else:
            return clusters
