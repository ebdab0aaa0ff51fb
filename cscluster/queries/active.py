"""Which pair to ask about next: Explore and Consolidate by farthest-first traversal [1]_.

The answers so far put samples into *groups*: sets that must-links join, each known to be apart
from all others.

- *Explore*, until there are as many groups as clusters: take the sample farthest from all that
  are in a group.
- *Consolidate*, from then on: take the most interesting sample that is in no group yet; all are
  alike where nothing is said about them.

The sample taken is compared with the groups, the closest first and by its closest member, until it
joins one or is apart from all, and is then a group of its own.  A pair whose answer follows from
earlier ones is never asked.  The rule looks only at the answers: it goes on from any set of constraints.

References
----------
.. [1] S. Basu, A. Banerjee, R. Mooney, "Active Semi-Supervision for Pairwise Constrained
   Clustering", 2004. doi:10.1137/1.9781611972740.31
.. [2] S. Xiong, J. Azimi, X. Fern, "Active Learning of Constraints for Semi-supervised Clustering", IEEE
   TKDE 26, 2014, section 3.3. doi:10.1109/TKDE.2013.22
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from cscluster.arrays import FloatArray, IntArray

Answer = tuple[int, int, bool]
"""Two samples, and whether they belong together."""

Oracle = Callable[[int, int, int], bool]
"""Tells whether two samples belong together; the third number is that of the question."""

Interest = Callable[[list[list[int]]], FloatArray]
"""Returns the interest in each sample while the groups are as given."""

Pair = tuple[int, int]
"""The sample to ask about, and the one to compare it with."""


class Groups(NamedTuple):
    """What answers say.

    Attributes
    ----------
    groups : list of lists of int
        Members of sets that are all taken to be apart, larger sets first.
    waiting : list of lists of int
        Members of other sets.
    apart : dict
        First members of the sets that are known to be apart from a set, by its first member.
    """

    groups: list[list[int]]
    waiting: list[list[int]]
    apart: dict[int, set[int]]

    @property
    def samples(self) -> set[int]:
        """All samples that have an answer."""
        return {sample for members in (*self.groups, *self.waiting) for sample in members}

    def open_to(self, first: int) -> list[list[int]]:
        """Return the groups that a set, given by its first member, is not known to be apart from."""
        return [group for group in self.groups if group[0] not in self.apart[first]]


def find_groups(
    answers: Iterable[Answer],
    may_be_in: Callable[[int, list[list[int]], list[int]], bool] = lambda *_: True,
) -> Groups:
    """Return the groups that answers make; they must not contradict each other.

    A set waits if it may be in a group; `may_be_in` is given its first member, the groups, and the numbers of
    those that it is not known to be apart from.
    """
    set_of, apart = joined_sets(answers)
    state = Groups([], [], apart)
    for members in sorted((set_of[first] for first in apart), key=len, reverse=True):
        still = [n for n, group in enumerate(state.groups) if group[0] not in apart[members[0]]]
        waits = still and may_be_in(members[0], state.groups, still)
        (state.waiting if waits else state.groups).append(members)
    return state


def joined_sets(answers: Iterable[Answer]) -> tuple[dict[int, list[int]], dict[int, set[int]]]:
    """Return the set that must-links join each sample to, and the sets that cannot-links keep apart.

    The first sample of a must-link comes before the second in their set.  The second result has, by the first
    member of each set, the first members of those that are known to be apart from it.
    """
    sets: dict[int, list[int]] = {}
    cannot: list[tuple[int, int]] = []
    for a, b, together in answers:
        one, other = sets.setdefault(a, [a]), sets.setdefault(b, [b])
        if not together:
            cannot.append((a, b))
        elif one is not other:
            one.extend(other)
            for member in other:
                sets[member] = one
    apart: dict[int, set[int]] = {members[0]: set() for members in sets.values()}
    for a, b in cannot:
        apart[sets[a][0]].add(sets[b][0])
        apart[sets[b][0]].add(sets[a][0])
    return sets, apart


def entailed(answers: Iterable[Answer], a: int, b: int) -> bool | None:
    """Tell whether two samples belong together, as far as that follows from answers."""
    sets, apart = joined_sets(answers)
    one, other = (sets.get(sample, [sample])[0] for sample in (a, b))
    return one == other or (False if other in apart.get(one, ()) else None)


@dataclass(frozen=True)
class ExploreConsolidate:
    """Picks pairs; the same answers always give the same pair.

    Attributes
    ----------
    n_clusters : int
        Number of groups at which Explore ends.
    distance : callable
        Returns the distances from a sample to all samples.
    preference : ndarray of shape (n,)
        Decides between samples that are otherwise alike: the largest value goes first.
    interest : callable, optional
        Returns the interest in each sample while the groups are as given.
    """

    n_clusters: int
    distance: Callable[[int], FloatArray]
    preference: FloatArray
    interest: Interest | None = None

    def next_pair(self, answers: Iterable[Answer], skipped: Collection[int] = ()) -> Pair | None:
        """Return the sample to ask about and the one to compare it with; None if nothing is left.

        Samples in `skipped` are not asked about.
        """
        state = find_groups(answers)
        waiting = [first for first, *_ in state.waiting if first not in skipped]
        if waiting:
            sample = min(waiting, key=lambda first: len(state.open_to(first)))
            return sample, self._closest(sample, state.open_to(sample))
        groups = state.groups or [[int(np.argmax(self.preference))]]
        free = np.ones(len(self.preference), dtype=bool)
        free[[*state.samples, groups[0][0], *skipped]] = False
        if not free.any():
            return None
        sample = self._most_wanted(groups, np.flatnonzero(free))
        return sample, self._closest(sample, groups)

    def _most_wanted(self, groups: list[list[int]], free: IntArray) -> int:
        """Return the sample to place next."""
        interest = farthest(self.distance) if len(groups) < self.n_clusters else self.interest
        value = interest(groups)[free] if interest else np.zeros(len(free))
        best = free[value == value.max()]
        return int(best[np.argmax(self.preference[best])])

    def _closest(self, sample: int, groups: list[list[int]]) -> int:
        """Return the closest member of the group that is closest on average."""
        distance = self.distance(sample)
        group = min(groups, key=lambda members: float(distance[members].mean()))
        return min(group, key=lambda member: float(distance[member]))


def farthest(distance: Callable[[int], FloatArray]) -> Interest:
    """Return a function that gives each sample's distance to the closest one that is in a group."""
    return lambda groups: np.min([distance(member) for group in groups for member in group], axis=0)


def euclidean(X: Any) -> Callable[[int], FloatArray]:
    """Return a function that gives the squared distances from a sample to all samples, computed once."""
    if sparse.issparse(X):
        rows = sparse.csr_array(X, dtype=np.float64)
        squares = np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        return cache(lambda i: squares + squares[i] - 2 * (rows @ rows[[i]].T).toarray().ravel())
    Z = np.asarray(X, dtype=np.float64)
    lengths = (Z**2).sum(axis=1)
    return cache(lambda i: lengths + lengths[i] - 2 * (Z @ Z[i]))


def uncertainty(p: FloatArray) -> FloatArray:
    """Return entropy over expected number of questions [2]_, for similarities of shape (n, n_groups)."""
    p = p + 1e-12
    p = p / p.sum(axis=1, keepdims=True)
    entropy = -(p * np.log(p)).sum(axis=1)
    ordered = -np.sort(-p, axis=1)
    expected = ordered @ np.minimum(np.arange(1, p.shape[1] + 1), max(p.shape[1] - 1, 1))
    return np.asarray(entropy / expected)


def ask(next_pair: Callable[[list[Answer]], Pair | None], count: int, answer: Oracle) -> list[Answer]:
    """Return the answers to the first `count` questions of a rule, fewer if it runs out."""
    answers: list[Answer] = []
    while len(answers) < count and (pair := next_pair(answers)) is not None:
        answers.append((*pair, answer(*pair, len(answers))))
    return answers
