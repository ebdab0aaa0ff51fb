"""Active strategies beside Explore and Consolidate: Min-Max, NPU and COBRAS.

Min-Max [1]_ and NPU [2]_ choose the next sample that a `Rule` places once there are as many groups as
clusters.  COBRAS [3]_ asks about super-instances: parts of the data that it splits by k-means as long
as answers tell their halves apart, and joins again to clusters.  It needs no number of clusters.

References
----------
.. [1] P. Mallapragada, R. Jin, A. Jain, "Active Query Selection for Semi-supervised Clustering", ICPR
   2008. doi:10.1109/ICPR.2008.4761792
.. [2] S. Xiong, J. Azimi, X. Fern, "Active Learning of Constraints for Semi-supervised Clustering", IEEE
   TKDE 26, 2014, sections 3.2 and 3.3. doi:10.1109/TKDE.2013.22
.. [3] T. van Craenendonck, S. Dumancic, E. van Wolputte, H. Blockeel, "COBRAS: Interactive Clustering with
   Pairwise Queries", IDA 2018. doi:10.1007/978-3-030-01768-2_29
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier

from cscluster.arrays import BoolArray, FloatArray, IntArray
from cscluster.constraints.active import Answer, Rule, ask, euclidean

STRATEGIES = ("explore_consolidate", "min_max", "npu", "cobras")

Oracle = Callable[[int, int, int], bool]
"""Tells whether two samples belong together; the third number is that of the question."""

_TREES = 50


def questions(
    strategy: str, X: Any, n_clusters: int, count: int, answer: Oracle, rng: np.random.Generator
) -> tuple[IntArray, BoolArray]:
    """Return the first `count` pairs that a strategy asks about, fewer if it runs out, and the answers.

    Parameters
    ----------
    strategy : str
        One of `STRATEGIES`.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_clusters : int
        Number of clusters; COBRAS does without.
    count : int
        Number of questions.
    answer : callable
        The oracle.
    rng : Generator
        Random choices.
    """
    preference = rng.permutation(X.shape[0]).astype(np.float64)
    if strategy == "cobras":
        return cobras(dense(X), count, answer, int(rng.integers(2**31)))
    distance = euclidean(X)
    interest: Callable[[list[list[int]]], FloatArray] | None = None
    if strategy == "min_max":
        interest = MinMax(distance)
    elif strategy == "npu":
        interest = Npu(dense(X), int(rng.integers(2**31)))
    return ask(Rule(n_clusters, distance, preference, interest), count, answer)


def dense(X: Any) -> FloatArray:
    """Return samples as a dense array."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)


@dataclass
class MinMax:
    """The interest in a sample is its distance to the closest one that is in a group [1]_."""

    distance: Callable[[int], FloatArray]
    _nearest: dict[int, FloatArray] = field(default_factory=dict)

    def __call__(self, groups: list[list[int]]) -> FloatArray:
        """Return the interest in each sample."""
        members = [member for group in groups for member in group]
        for member in members:
            if member not in self._nearest:
                self._nearest[member] = self.distance(member)
        return np.min([self._nearest[member] for member in members], axis=0)


@dataclass
class Npu:
    """The interest in a sample is its uncertainty for each question it is expected to cost [2]_.

    With p_k the mean share of trees in which it ends in the leaf of the members of group k, normalised
    over the groups, that is the entropy of p over the expected number of questions, groups being
    compared in descending order of p.  The forest is trained on the members of the groups; [2]_ trains it
    on a clustering of all samples.
    """

    X: FloatArray
    seed: int

    def __call__(self, groups: list[list[int]]) -> FloatArray:
        """Return the interest in each sample."""
        members = np.concatenate([np.array(group) for group in groups])
        labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        forest = RandomForestClassifier(_TREES, random_state=self.seed).fit(self.X[members], labels)
        leaves = forest.apply(self.X)
        p = np.zeros((len(self.X), len(groups)))
        for number, group in enumerate(groups):
            p[:, number] = np.mean([(leaves == leaves[member]).mean(axis=1) for member in group], axis=0)
        return uncertainty(p)


def uncertainty(p: FloatArray) -> FloatArray:
    """Return entropy over expected number of questions, for similarities of shape (n, n_groups)."""
    p = p + 1e-12
    p = p / p.sum(axis=1, keepdims=True)
    entropy = -(p * np.log(p)).sum(axis=1)
    ordered = -np.sort(-p, axis=1)
    expected = ordered @ np.minimum(np.arange(1, p.shape[1] + 1), max(p.shape[1] - 1, 1))
    return entropy / expected


class _SpentError(Exception):
    """There are no questions left."""


@dataclass
class Memory:
    """What has been answered, and what follows from it."""

    answer: Oracle
    count: int
    answers: list[Answer] = field(default_factory=list)
    _group: dict[int, set[int]] = field(default_factory=dict)
    _apart: list[tuple[int, int]] = field(default_factory=list)

    def entailed(self, a: int, b: int) -> bool | None:
        """Tell whether two samples belong together, None if that does not follow."""
        one, other = self._group.setdefault(a, {a}), self._group.setdefault(b, {b})
        if one is other:
            return True
        if any((c in one and d in other) or (c in other and d in one) for c, d in self._apart):
            return False
        return None

    def together(self, a: int, b: int) -> bool:
        """Tell whether two samples belong together, asking only where that does not follow."""
        known = self.entailed(a, b)
        if known is not None:
            return known
        if len(self.answers) == self.count:
            raise _SpentError
        said = self.answer(a, b, len(self.answers))
        self.answers.append((a, b, said))
        if said:
            union = self._group[a] | self._group[b]
            self._group.update(dict.fromkeys(union, union))
        else:
            self._apart.append((a, b))
        return said


def cobras(X: FloatArray, count: int, answer: Oracle, seed: int) -> tuple[IntArray, BoolArray]:
    """Return the questions of COBRAS and their answers."""
    memory = Memory(answer, count)
    random = np.random.RandomState(seed)
    clusters: list[list[IntArray]] = [[np.arange(len(X))]]
    try:
        while True:
            largest = max((part for cluster in clusters for part in cluster), key=len)
            if len(largest) == 1:
                break
            clusters = [[part for part in cluster if part is not largest] for cluster in clusters]
            level = split_level(X, largest, memory, random)
            clusters += [[part] for part in split(X, largest, 2**level, random)]
            clusters = merge(X, [cluster for cluster in clusters if cluster], memory)
    except _SpentError:
        pass
    pairs = np.array([pair for *pair, _ in memory.answers], dtype=np.int64).reshape(-1, 2)
    return pairs, np.array([together for *_, together in memory.answers], dtype=bool)


def split(X: FloatArray, part: IntArray, k: int, random: np.random.RandomState) -> list[IntArray]:
    """Split a super-instance by k-means; one of coinciding samples is halved."""
    k = min(k, len(part), max(2, len(np.unique(X[part], axis=0))))
    if k > len(np.unique(X[part], axis=0)):
        return [part[: len(part) // 2], part[len(part) // 2 :]]
    labels = KMeans(k, n_init=3, random_state=random.randint(2**31 - 1)).fit(X[part]).labels_
    return [part[labels == h] for h in range(k) if (labels == h).any()]


def split_level(X: FloatArray, part: IntArray, memory: Memory, random: np.random.RandomState) -> int:
    """Halve a super-instance until the halves belong together; return how often, at least once."""
    level = 0
    while len(part) > 1:
        one, other = split(X, part, 2, random)
        if memory.together(medoid(X, one), medoid(X, other)):
            break
        level += 1
        part = max(one, other, key=len)
    return max(level, 1)


def merge(X: FloatArray, clusters: list[list[IntArray]], memory: Memory) -> list[list[IntArray]]:
    """Join clusters whose closest super-instances belong together, the closest clusters first."""
    while True:
        medoids = [[medoid(X, part) for part in cluster] for cluster in clusters]
        gaps = []
        for a in range(len(clusters)):
            for b in range(a):
                D = cdist(X[medoids[a]], X[medoids[b]])
                at, to = divmod(int(D.argmin()), D.shape[1])
                gaps.append((float(D[at, to]), a, b, medoids[a][at], medoids[b][to]))
        for _, a, b, i, j in sorted(gaps):
            if memory.together(i, j):
                joined = clusters[a] + clusters[b]
                clusters = [c for number, c in enumerate(clusters) if number not in (a, b)] + [joined]
                break
        else:
            return clusters


def medoid(X: FloatArray, part: IntArray) -> int:
    """Return the sample that is closest to the mean of a super-instance."""
    return int(part[((X[part] - X[part].mean(axis=0)) ** 2).sum(axis=1).argmin()])
