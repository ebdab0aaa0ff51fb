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
- Of the first `EARLY` answers each kind is to have a third: where "yes" has more, a sample is compared with
  its second likeliest group; where "no" has, an ordinary member of a part is compared with its medoid.

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

from cscluster import threads
from cscluster.arrays import FloatArray, IntArray
from cscluster.queries.active import Answer, Groups, Pair, euclidean, find_groups, uncertainty

MAX_CANDIDATES = 2000
"""Of more samples, so many are drawn to be asked about."""
CERTAIN = 0.1
EARLY = 30

_NEIGHBOURS = 3
_SCALE = 0.25
_SCALE_SAMPLES = 200
_USUAL_CLUSTERS = 5
"""Where the number of clusters is open, medoids are taken for so many."""

Set = list[int]
"""Samples that must-links join; the first one stands for all."""


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
    linked : collection of int
        Samples that have answers already: they are candidates in any case, as all must be that have answers.
    """

    def __init__(self, X: Any, n_clusters: int | None, seed: int, linked: Collection[int] = ()) -> None:
        self.seed = seed
        rng = np.random.default_rng(seed)
        drawn = rng.permutation(X.shape[0])[:MAX_CANDIDATES].tolist()
        self.n_clusters = n_clusters
        self._candidates: list[int] = sorted({*drawn, *linked})
        self._place = {sample: place for place, sample in enumerate(self._candidates)}
        pool = X[np.array(self._candidates)]
        self._distance = euclidean(pool)
        several = rng.permutation(len(self._candidates))[:_SCALE_SAMPLES].tolist()
        medians = np.median([self._distance(place) for place in several], axis=0)
        self._scales = _SCALE * np.maximum(medians, np.finfo(float).tiny)
        medoids, medoid_of = _medoids(pool, n_clusters or _USUAL_CLUSTERS, seed)
        self._medoids = [self._candidates[place] for place in medoids]
        self._medoid_of = dict(
            zip(self._candidates, np.take(self._candidates, medoid_of).tolist(), strict=True)
        )

    def next_pair(self, answers: Iterable[Answer], skipped: Collection[int] = ()) -> Pair | None:
        """Return the sample to ask about and the one to compare it with; None if nothing is left.

        Samples in `skipped` are not asked about.
        """
        past = list(answers)
        state = self.find_groups(past)
        groups, away = state.groups, {*skipped, *state.samples}
        fresh = [sample for sample in self._candidates if sample not in away]
        medoids = [sample for sample in self._medoids if sample not in away]
        if not groups:
            first = medoids + fresh
            others = [sample for sample in first if sample != first[0]]
            return (others[0], first[0]) if others else None
        n_yes = sum(together for *_, together in past)
        early = 3 <= len(past) < EARLY
        if early and 3 * n_yes <= len(past) and (likely := self._likely(fresh, groups)):
            return likely
        if waits := self._next_waiting(state, skipped):
            return waits
        many = self.n_clusters is not None and len(groups) > self.n_clusters
        pair = self._closest(state, skipped)
        if not fresh or (pair and (many or 2 * n_yes > len(past))):
            return pair
        sample = medoids[0] if medoids else fresh[uncertainty(self.likelihoods(fresh, groups)).argmax()]
        return self._against(sample, groups, second=early and 3 * n_yes >= 2 * len(past))

    def find_groups(self, answers: Sequence[Answer]) -> Groups:
        """Return the groups: a set that is not likely to be in any other is one of its own."""

        def may_be_in(first: int, groups: list[Set], still: list[int]) -> bool:
            return bool(self.likelihoods([first], groups)[0, still].sum() >= CERTAIN)

        return find_groups(((b, a, together) for a, b, together in answers), may_be_in)

    def likelihoods(self, samples: Sequence[int], groups: list[Set]) -> FloatArray:
        """Return the probabilities p(g | x), of shape (n_samples, n_groups)."""
        places = np.array([self._place[sample] for sample in samples])
        D = np.empty((len(samples), len(groups)))
        for number, group in enumerate(groups):
            near = [self._distance(self._place[member])[places] for member in group]
            D[:, number] = np.sort(near, axis=0)[:_NEIGHBOURS].mean(axis=0)
        logs = -(D - D.min(axis=1, keepdims=True)) / self._scales[places, None]
        p = np.exp(logs)
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    def _next_waiting(self, state: Groups, skipped: Collection[int]) -> Pair | None:
        """Return a sample that waits and the group to ask about."""
        for members in state.waiting:
            if not set(members) & set(skipped):
                return self._against(members[0], state.open_to(members[0]))
        return None

    def _likely(self, samples: list[int], groups: list[Set]) -> Pair | None:
        """Return the median by distance of the largest part whose medoid is in a group, and the medoid."""
        linked = {member for group in groups for member in group}
        parts: dict[int, list[int]] = {}
        for sample in samples:
            if self._medoid_of[sample] in linked:
                parts.setdefault(self._medoid_of[sample], []).append(sample)
        if not parts:
            return None
        medoid = max(parts, key=lambda medoid: len(parts[medoid]))
        nearest_first = sorted(parts[medoid], key=lambda sample: self._between(medoid, sample))
        return nearest_first[len(nearest_first) // 2], medoid

    def _against(self, sample: int, groups: list[Set], second: bool = False) -> Pair:
        """Return a sample and the farthest member of its likeliest group, or of the second likeliest."""
        order = np.argsort(-self.likelihoods([sample], groups)[0], kind="stable")
        group = groups[order[1 if second and len(groups) > 1 else 0]]
        return sample, max(group, key=lambda member: self._between(sample, member))

    def _closest(self, state: Groups, skipped: Collection[int]) -> Pair | None:
        """Return the first members of the closest two groups that are not known to be apart."""
        pairs = [
            (self._between(one[0], other[0]), one[0], other[0])
            for number, one in enumerate(state.groups)
            for other in state.groups[:number]
            if other[0] not in state.apart[one[0]] and not {one[0], other[0]} & set(skipped)
        ]
        return min(pairs)[1:] if pairs else None

    def _between(self, a: int, b: int) -> float:
        """Return the squared distance between two samples."""
        return float(self._distance(self._place[a])[self._place[b]])


class Placement(Doubt):
    """Places samples that stand for all: the medoids, then others at random.

    Each is compared with one group after another, the likeliest first, until its own is found.  Uncertainty
    has no say in which samples these are, so that the answers are fair judges of methods; and what follows
    from them is much more than they say.
    """

    def next_pair(self, answers: Iterable[Answer], skipped: Collection[int] = ()) -> Pair | None:
        """Return the sample to ask about and the one to compare it with; None if nothing is left.

        Samples in `skipped` are not asked about.
        """
        past = list(answers)
        state = self.find_groups(past)
        groups, away = state.groups, {*skipped, *state.samples}
        if waits := self._next_waiting(state, skipped):
            return waits
        at_random = np.random.default_rng([self.seed, len(past)]).permutation(self._candidates).tolist()
        fresh = [sample for sample in [*self._medoids, *at_random] if sample not in away]
        pair = self._closest(state, skipped)
        if not fresh or (pair and len(groups) > (self.n_clusters or len(groups))):
            return pair
        others = [sample for sample in fresh if sample != fresh[0]]
        return self._against(fresh[0], groups or [others[:1]]) if groups or others else None


def _medoids(X: Any, k: int, seed: int) -> tuple[list[int], IntArray]:
    """Return the samples closest to the means of k parts, and of twice as many; larger parts come first.

    Also returns, for each sample, the medoid of its part among k.
    """
    medoids_first: dict[int, None] = {}
    medoid_of = np.zeros(X.shape[0], dtype=np.int64)
    with threads.one():  # for so little work, threads wait longer than they compute
        for n_parts in (2 * k, k):
            fitted = KMeans(min(n_parts, X.shape[0]), n_init=3, random_state=seed).fit(X)
            medoids = fitted.transform(X).argmin(axis=0)
            medoid_of = medoids[fitted.labels_]
            order = np.argsort(-np.bincount(fitted.labels_, minlength=len(medoids)), kind="stable")
            medoids_first = dict.fromkeys([*medoids[order].tolist(), *medoids_first])
    return list(medoids_first), medoid_of
