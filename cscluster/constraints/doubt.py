"""Which pair to ask about next: the most doubtful sample, against the group that is likeliest.

The answers so far join samples to *groups*.  With D(x, g) the mean squared distance from sample x to its
three closest members of group g, and s(x) a quarter of the median squared distance from x,

    p(g | x) = exp(-D(x, g) / s(x)) / sum_h exp(-D(x, h) / s(x)).

- First come samples that stand for many: the medoids of k-means, with as many parts as clusters and then
  with twice as many.
- Then comes the sample with the largest entropy of p for each question that it is expected to cost, the
  groups being asked in descending order of p [1]_.
- A sample that is asked about is compared with its likeliest group; where it does not belong there, with
  the next, until the groups left have a share of p below `CERTAIN`: it is then a group of its own.
- Where most answers were "yes", or there are more groups than clusters, two groups that are not known to be
  apart are compared instead, the closest first.

A sample is compared with the member of the group that is farthest from it: that two neighbours belong
together teaches a metric nothing.  A pair whose answer follows from earlier ones is never asked, and the
answers alone decide what is asked next.

References
----------
.. [1] S. Xiong, J. Azimi, X. Fern, "Active Learning of Constraints for Semi-supervised Clustering", IEEE
   TKDE 26, 2014, section 3.3. doi:10.1109/TKDE.2013.22
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import ThreadpoolController

from cscluster.arrays import FloatArray, IntArray
from cscluster.constraints.active import Answer, euclidean

MAX_CANDIDATES = 2000
"""Of more samples, so many are drawn to be asked about."""
CERTAIN = 0.1

_NEIGHBOURS = 3
_USUAL_CLUSTERS = 5
"""Where the number of clusters is open, medoids are taken for so many."""
_SCALE = 0.25


class Doubt:
    """Picks pairs; the same answers always give the same pair.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples.
    n_clusters : int, optional
        Number of clusters, if it is known.
    seed : int
        Seed of the candidates and of k-means.
    """

    def __init__(self, X: Any, n_clusters: int | None, seed: int) -> None:
        n = X.shape[0]
        self.n_clusters = n_clusters
        rng = np.random.default_rng(seed)
        self.candidates: IntArray = np.sort(rng.permutation(n)[:MAX_CANDIDATES])
        self._distance = euclidean(X)
        self._distances: dict[int, FloatArray] = {}
        pool = X[self.candidates]
        self.medoids = self.candidates[_medoids(pool, n_clusters or _USUAL_CLUSTERS, seed)].tolist()
        within = euclidean(pool)
        self._scales = np.array(
            [_SCALE * max(float(np.median(within(i))), 1e-12) for i in range(len(self.candidates))]
        )

    def next_pair(self, answers: Iterable[Answer], skipped: Collection[int] = ()) -> tuple[int, int] | None:
        """Return the sample to ask about and the one to compare it with; None if nothing is left.

        Samples in `skipped` are not asked about.
        """
        said = list(answers)
        groups, waiting, apart = self.find_groups(said)
        if not groups:
            fresh = list(self._fresh(set(), skipped))
            return (fresh[1], fresh[0]) if len(fresh) > 1 else None
        open_sets = [members for members in waiting if not set(members) & set(skipped)]
        if open_sets:
            members = open_sets[0]
            return self._against(members, [g for g in groups if g[0] not in apart[members[0]]])
        n_yes = sum(together for *_, together in said)
        many = self.n_clusters is not None and len(groups) > self.n_clusters
        if many or 2 * n_yes > len(said):
            pair = self._closest_groups(groups, apart)
            if pair is not None:
                return pair
        linked = {sample for group in (*groups, *waiting) for sample in group}
        fresh = self._fresh(linked, skipped)
        if not fresh:
            return self._closest_groups(groups, apart)
        medoids = [sample for sample in self.medoids if sample in set(fresh)]
        sample = medoids[0] if medoids else self._most_doubtful(np.array(fresh), groups)
        return self._against([sample], groups)

    def find_groups(
        self, answers: Sequence[Answer]
    ) -> tuple[list[list[int]], list[list[int]], dict[int, set[int]]]:
        """Return groups, sets of samples that may belong to one of them, and what each set is apart from.

        The last has the first members of sets that are known to be apart, by the first member of each set.
        """
        sets, apart = _sets(answers)
        groups: list[list[int]] = []
        waiting: list[list[int]] = []
        for members in sorted(sets, key=lambda members: -len(members)):
            open_groups = [number for number, group in enumerate(groups) if group[0] not in apart[members[0]]]
            if not open_groups or (self.likelihoods(members[:1], groups)[0, open_groups].sum() < CERTAIN):
                groups.append(members)
            else:
                waiting.append(members)
        return groups, waiting, apart

    def likelihoods(self, samples: Sequence[int] | IntArray, groups: list[list[int]]) -> FloatArray:
        """Return the probabilities p(g | x) of candidates, of shape (n_samples, n_groups)."""
        if not groups:
            return np.zeros((len(samples), 0))
        D = np.empty((len(samples), len(groups)))
        rows = np.asarray(samples)
        for number, group in enumerate(groups):
            each = np.array([self._from(member)[rows] for member in group])
            D[:, number] = np.sort(each, axis=0)[:_NEIGHBOURS].mean(axis=0)
        scales = self._scales[np.clip(np.searchsorted(self.candidates, rows), 0, len(self._scales) - 1)]
        logs = -D / scales[:, None]
        p = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def _fresh(self, linked: set[int], skipped: Collection[int]) -> list[int]:
        """Return the candidates without an answer, medoids first."""
        away = linked | set(skipped)
        first = [sample for sample in self.medoids if sample not in away]
        return first + [s for s in self.candidates.tolist() if s not in away and s not in set(first)]

    def _most_doubtful(self, samples: IntArray, groups: list[list[int]]) -> int:
        return int(samples[np.argmax(uncertainty(self.likelihoods(samples, groups)))])

    def _against(self, members: list[int], groups: list[list[int]]) -> tuple[int, int]:
        """Return a sample and the farthest member of its likeliest group."""
        sample = members[0]
        group = groups[int(np.argmax(self.likelihoods([sample], groups)[0]))]
        distance = self._from(sample)
        return sample, max(group, key=lambda member: float(distance[member]))

    def _closest_groups(self, groups: list[list[int]], apart: dict[int, set[int]]) -> tuple[int, int] | None:
        """Return the first members of the closest groups that are not known to be apart."""
        pairs = [
            (float(np.mean([self._from(a)[b] for a in one[:5] for b in other[:5]])), one[0], other[0])
            for i, one in enumerate(groups)
            for other in groups[:i]
            if other[0] not in apart[one[0]]
        ]
        return min(pairs)[1:] if pairs else None

    def _from(self, sample: int) -> FloatArray:
        """Return the distances from a sample with an answer; these are asked for again and again."""
        if sample not in self._distances:
            self._distances[sample] = self._distance(sample)
        return self._distances[sample]


def uncertainty(p: FloatArray) -> FloatArray:
    """Return entropy over expected number of questions, for probabilities of shape (n, n_groups)."""
    p = p + 1e-12
    p = p / p.sum(axis=1, keepdims=True)
    entropy = -(p * np.log(p)).sum(axis=1)
    ordered = -np.sort(-p, axis=1)
    expected = ordered @ np.minimum(np.arange(1, p.shape[1] + 1), max(p.shape[1] - 1, 1))
    return np.asarray(entropy / expected)


def _sets(answers: Sequence[Answer]) -> tuple[list[list[int]], dict[int, set[int]]]:
    """Return the sets that must-links join, and which first members each is apart from."""
    sets: dict[int, list[int]] = {}
    for a, b, together in answers:
        one, other = sets.setdefault(b, [b]), sets.setdefault(a, [a])
        if together and one is not other:
            one.extend(other)
            for member in other:
                sets[member] = one
    different = list({id(members): members for members in sets.values()}.values())
    apart: dict[int, set[int]] = {members[0]: set() for members in different}
    for a, b, together in answers:
        if not together:
            apart[sets[a][0]].add(sets[b][0])
            apart[sets[b][0]].add(sets[a][0])
    return different, apart


def _medoids(X: Any, k: int, seed: int) -> list[int]:
    """Return the samples closest to the means of k parts, and of twice as many; larger parts first."""
    chosen: dict[int, None] = {}
    with ThreadpoolController().limit(limits=1):
        for parts in (k, 2 * k):
            fitted = KMeans(min(parts, X.shape[0]), n_init=3, random_state=seed).fit(X)
            distances = fitted.transform(X)
            for part in np.argsort(-np.bincount(fitted.labels_), kind="stable"):
                chosen.setdefault(int(distances[:, part].argmin()))
    return list(chosen)
