"""Pairwise constraints: which samples must, and which must not, share a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cscluster.arrays import BoolArray, FloatArray, IntArray, require_memory
from cscluster.errors import ConstraintError
from cscluster.words import html_table, plural


def _canonical(
    links: ArrayLike, weights: ArrayLike | None, n_samples: int, kind: str
) -> tuple[IntArray, FloatArray]:
    """Sort each pair and the list of pairs, drop repeats (the largest weight stays)."""
    pairs = _whole_pairs(links, kind)
    outside = (pairs < 0) | (pairs >= n_samples)
    if outside.any():
        raise ConstraintError(
            f"A {kind}-link names sample {pairs[outside][0]}, "
            f"but the samples are numbered 0 to {n_samples - 1}."
        )
    loops = pairs[:, 0] == pairs[:, 1]
    if loops.any():
        raise ConstraintError(f"A {kind}-link joins sample {pairs[loops][0, 0]} with itself.")
    w = np.ones(len(pairs)) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (len(pairs),):
        raise ConstraintError(
            f"Need one weight for each {kind}-link: got {w.size} weights for {len(pairs)} constraints."
        )
    if not (w > 0).all():
        raise ConstraintError(
            f"Weights of {kind}-links must be positive numbers, or infinite for hard constraints."
        )
    codes = pairs[:, 0] * n_samples + pairs[:, 1]
    if (w == w[:1]).all():
        pairs = _distinct_pairs(codes, n_samples)
        w = w[: len(pairs)].copy()
    else:
        order = np.lexsort((-w, codes))
        keep = order[np.diff(codes[order], prepend=-1) > 0]
        pairs, w = pairs[keep], w[keep]
    pairs.setflags(write=False)
    w.setflags(write=False)
    return pairs, w


def _distinct_pairs(codes: IntArray, n: int) -> IntArray:
    """Return the pairs (i, j) with the codes ``i n + j``, sorted and each once."""
    codes = np.sort(codes)
    codes = codes[np.diff(codes, prepend=-1) > 0]  # for millions faster than numpy.unique
    return np.column_stack(np.divmod(codes, n))


def _whole_pairs(links: ArrayLike, kind: str) -> IntArray:
    """Return constraints as an array of integers, the ends of each in order."""
    try:
        pairs = np.asarray(links if np.size(links) else np.empty((0, 2)))
    except ValueError:
        raise ConstraintError(
            f"{kind}-links must be pairs of row indices, got lists of different lengths."
        ) from None
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ConstraintError(f"{kind}-links must be pairs of row indices, got shape {pairs.shape}.")
    whole = pairs.dtype.kind in "iu" or (
        pairs.dtype.kind == "f" and bool((np.isfinite(pairs) & (pairs == np.floor(pairs))).all())
    )
    if not whole:
        raise ConstraintError(f"{kind}-links must be integers, got {pairs.dtype} values.")
    return np.sort(pairs.astype(np.int64), axis=1)


class Constraints:
    """Must-links and cannot-links between `n_samples` samples, immutable.

    Pairs are canonical: ``i < j``, unique, sorted.  A pair may be must-linked and
    cannot-linked at once.  `contradictions` names such conflicts, and hard-constraint methods
    refuse them with `require_consistent`.

    Derived facts are computed on first use and cached.  The transitive closure has component
    form (`components`, `component_cannot_links`).  `closure` expands it to pairs.

    Parameters
    ----------
    must_links, cannot_links : array-like of shape (n_links, 2)
        Pairs of sample indices, in any order.
    n_samples : int
        Number of samples.
    must_weights, cannot_weights : array-like of shape (n_links,), optional
        Positive costs of violating each constraint, ones by default.  A repeated pair has its largest
        weight.  Infinite weights are those of hard constraints, which must be satisfied.

    Examples
    --------
    >>> from cscluster import Constraints
    >>> constraints = Constraints([(0, 1), (2, 1)], [(3, 0)], n_samples=5)
    >>> constraints.components.tolist()
    [0, 0, 0, 1, 2]
    >>> constraints.closure().cannot_links.tolist()
    [[0, 3], [1, 3], [2, 3]]
    """

    must_links: IntArray
    cannot_links: IntArray
    must_weights: FloatArray
    cannot_weights: FloatArray
    n_samples: int

    def __init__(
        self,
        must_links: ArrayLike = (),
        cannot_links: ArrayLike = (),
        *,
        n_samples: int,
        must_weights: ArrayLike | None = None,
        cannot_weights: ArrayLike | None = None,
    ) -> None:
        must, must_weights = _canonical(must_links, must_weights, n_samples, "must")
        cannot, cannot_weights = _canonical(cannot_links, cannot_weights, n_samples, "cannot")
        vars(self).update(must_links=must, cannot_links=cannot, n_samples=int(n_samples))
        vars(self).update(must_weights=must_weights, cannot_weights=cannot_weights)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Constraints are immutable: cannot set {name!r}.")

    @classmethod
    def empty(cls, n_samples: int) -> Constraints:
        """Return no constraints at all between `n_samples` samples.

        Parameters
        ----------
        n_samples : int
            Number of samples.
        """
        return cls(n_samples=n_samples)

    @classmethod
    def of_pairs(
        cls, pairs: IntArray, is_must: BoolArray, weights: FloatArray, *, n_samples: int
    ) -> Constraints:
        """Return constraints of both kinds in one list.

        Parameters
        ----------
        pairs : ndarray of shape (n_links, 2)
            Pairs of sample indices.
        is_must, weights : ndarray of shape (n_links,)
            Which of them are must-linked, and the weight of each.
        n_samples : int
            Number of samples.
        """
        return cls(
            pairs[is_must],
            pairs[~is_must],
            n_samples=n_samples,
            must_weights=weights[is_must],
            cannot_weights=weights[~is_must],
        )

    @classmethod
    def from_labels(cls, pairs: ArrayLike, labels: ArrayLike) -> Constraints:
        """Turn pairs into must-links where the labels agree and into cannot-links elsewhere.

        Parameters
        ----------
        pairs : array-like of shape (n_links, 2)
            Pairs of sample indices.
        labels : array-like of shape (n_samples,)
            Class of each sample.
        """
        y = np.asarray(labels)
        p = cls(pairs, n_samples=len(y)).must_links
        same = y[p[:, 0]] == y[p[:, 1]]
        return cls(p[same], p[~same], n_samples=len(y))

    @classmethod
    def from_groups(cls, groups: ArrayLike, *, together: bool) -> Constraints:
        """Link samples that are in one group: they belong together, or no two of them do.

        Parameters
        ----------
        groups : array-like of shape (n_samples,)
            Number of each sample's group, -1 where it has none.
        together : bool
            Whether a group becomes a chain of must-links, else cannot-links between all its samples.

        Examples
        --------
        >>> from cscluster import Constraints
        >>> Constraints.from_groups([0, 1, 0, -1, 0], together=False).cannot_links.tolist()
        [[0, 2], [0, 4], [2, 4]]
        """
        codes = np.asarray(groups)
        members = np.flatnonzero(codes != -1)
        order = members[np.argsort(codes[members], kind="stable")]
        chain = np.column_stack([order[:-1], order[1:]])
        changes = codes[chain[:, 0]] != codes[chain[:, 1]]
        if together:
            return cls(chain[~changes], n_samples=len(codes))
        pairs = [_all_pairs(each) for each in np.split(order, np.flatnonzero(changes) + 1) if len(each) > 1]
        return cls(cannot_links=np.vstack([chain[:0], *pairs]), n_samples=len(codes))

    @classmethod
    def from_partial_labels(cls, labels: ArrayLike) -> Constraints:
        """Link samples whose classes are known, -1 where they are not.

        Each class is a chain of must-links, and cannot-links join the first samples of the classes: all else
        follows from these.  Each sample has one more cannot-link, with the other classes in turn, for methods
        that learn from pairs.  The number of constraints grows with that of the samples.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Class of each sample, -1 where it is unknown.

        Examples
        --------
        >>> from cscluster import Constraints
        >>> constraints = Constraints.from_partial_labels([0, -1, 1, 0, -1, 0])
        >>> constraints.must_links.tolist(), constraints.cannot_links.tolist()
        ([[0, 3], [3, 5]], [[0, 2], [2, 3], [2, 5]])
        """
        y = np.asarray(labels)
        members = np.flatnonzero(y != -1)
        classes, class_of, sizes = np.unique(y[members], return_inverse=True, return_counts=True)
        order = members[np.argsort(class_of, kind="stable")]
        first = np.cumsum(sizes) - sizes
        chains = np.column_stack([order[:-1], order[1:]])
        if len(classes) < 2:
            return cls(chains, n_samples=len(y))
        turn = np.arange(len(order)) - np.repeat(first, sizes)
        other = (np.sort(class_of) + 1 + turn % (len(classes) - 1)) % len(classes)
        in_turn = np.column_stack([order, order[first[other] + turn % sizes[other]]])
        apart = np.vstack([_all_pairs(order[first]), in_turn])
        return cls(np.delete(chains, first[1:] - 1, axis=0), apart, n_samples=len(y))

    def __len__(self) -> int:
        return len(self.must_links) + len(self.cannot_links)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constraints):
            return NotImplemented
        return self.n_samples == other.n_samples and all(
            np.array_equal(getattr(self, field), getattr(other, field))
            for field in ("must_links", "cannot_links", "must_weights", "cannot_weights")
        )

    __hash__ = None  # type: ignore[assignment]  # compared by value, and arrays do not hash

    def __repr__(self) -> str:
        must = plural(len(self.must_links), "must-link")
        cannot = plural(len(self.cannot_links), "cannot-link")
        return f"Constraints({must}, {cannot}, n_samples={self.n_samples})"

    def __or__(self, other: Constraints) -> Constraints:
        """Return the union of two sets of constraints on the same samples."""
        if self.n_samples != other.n_samples:
            raise ConstraintError(
                f"Cannot join constraints on {self.n_samples} samples with constraints on {other.n_samples}."
            )
        return Constraints.of_pairs(
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate([self.is_must, other.is_must]),
            np.concatenate([self.weights, other.weights]),
            n_samples=self.n_samples,
        )

    def select(self, chosen: ArrayLike) -> Constraints:
        """Return some of the constraints.

        Parameters
        ----------
        chosen : array-like
            Numbers of `pairs`, or a mask over them.
        """
        rows = np.asarray(chosen)
        rows = rows if rows.size else rows.astype(np.intp)  # an empty list is one too
        return Constraints.of_pairs(
            self.pairs[rows], self.is_must[rows], self.weights[rows], n_samples=self.n_samples
        )

    def renumbered(self, rows: IntArray) -> Constraints:
        """Return the same constraints between samples that are numbered by their place in `rows`.

        Parameters
        ----------
        rows : ndarray of int
            Sorted indices that hold every touched sample.
        """
        pairs = np.searchsorted(rows, self.pairs)
        return Constraints.of_pairs(pairs, self.is_must, self.weights, n_samples=len(rows))

    def violated(self, labels: ArrayLike) -> Constraints:
        """Return the constraints that a partition violates.  See `is_violated`.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Cluster of each sample, -1 for noise.
        """
        return self.select(self.is_violated(labels))

    def is_violated(self, labels: ArrayLike) -> BoolArray:
        """Return which of `pairs` a partition violates.

        Noise is not together with anything: a must-link that touches it is violated, a cannot-link is
        satisfied.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Cluster of each sample, -1 for noise.
        """
        i, j = np.asarray(labels)[self.pairs].T
        violated: BoolArray = ((i == j) & (i != -1)) != self.is_must
        return violated

    @cached_property
    def hard(self) -> Constraints:
        """The constraints that must hold: those of infinite weight."""
        return self.select(np.isinf(self.weights))

    @cached_property
    def binding(self) -> Constraints:
        """The constraints of weight one or more; where weights count, lighter ones entail nothing."""
        if self.weights.min(initial=1) >= 1:
            return self
        return self.select(self.weights >= 1)

    def hardened(self) -> Constraints:
        """Return the same constraints, all of them hard."""
        return self.weighted(np.inf)

    def weighted(self, weight: float) -> Constraints:
        """Return the same constraints, each with the same weight.

        Parameters
        ----------
        weight : float
            The weight, infinite for hard constraints.
        """
        return self._reweighted(np.full(len(self), weight))

    def softened(self) -> Constraints:
        """Return the same constraints, hard ones with weight one."""
        return self._reweighted(np.where(np.isinf(self.weights), 1.0, self.weights))

    def _reweighted(self, weights: FloatArray) -> Constraints:
        return Constraints.of_pairs(self.pairs, self.is_must, weights, n_samples=self.n_samples)

    @cached_property
    def pairs(self) -> IntArray:
        """The pairs of all constraints, must-links first."""
        return np.concatenate([self.must_links, self.cannot_links])

    @cached_property
    def weights(self) -> FloatArray:
        """The weights of `pairs`."""
        return np.concatenate([self.must_weights, self.cannot_weights])

    @property
    def is_must(self) -> BoolArray:
        """Which of the `pairs` are must-linked."""
        return np.arange(len(self)) < len(self.must_links)

    @cached_property
    def touched(self) -> IntArray:
        """Sorted indices of the samples that some constraint names."""
        return np.unique(self.pairs)

    @cached_property
    def components(self) -> IntArray:
        """Number of the must-link component of each sample, in order of first appearance."""
        i, j = self.must_links.T
        graph = coo_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(self.n_samples,) * 2)
        return connected_components(graph, directed=False)[1].astype(np.int64)

    @property
    def n_components(self) -> int:
        """Number of must-link components, single samples included."""
        return int(self.components.max()) + 1 if self.n_samples else 0

    @cached_property
    def neighbourhoods(self) -> list[IntArray]:
        """Members of each must-link component that has at least two samples."""
        members = np.unique(self.must_links)
        order = members[np.argsort(self.components[members], kind="stable")]
        cuts = np.flatnonzero(np.diff(self.components[order])) + 1
        return [part for part in np.split(order, cuts) if len(part)]

    @cached_property
    def chunklets(self) -> IntArray:
        """Number of the neighbourhood of each sample, -1 for samples without a must-link."""
        chunks = np.full(self.n_samples, -1, dtype=np.int64)
        for number, members in enumerate(self.neighbourhoods):
            chunks[members] = number
        return chunks

    @cached_property
    def component_cannot_links(self) -> IntArray:
        """Pairs of components that some cannot-link separates: the entailed cannot-links."""
        a, b = self.components[self.cannot_links].T
        codes = np.minimum(a, b).astype(np.int64) * self.n_samples + np.maximum(a, b)
        return _distinct_pairs(codes[a != b], self.n_samples).astype(a.dtype, copy=False)

    @cached_property
    def contradictions(self) -> IntArray:
        """Cannot-links whose two samples the must-links put into one component."""
        ends = self.components[self.cannot_links]
        return self.cannot_links[ends[:, 0] == ends[:, 1]]

    def must_chain(self, a: int, b: int) -> list[int]:
        """Return the samples of a shortest chain of must-links from one sample to another.

        Parameters
        ----------
        a, b : int
            Samples of one component.
        """
        i, j = self.must_links.T
        graph = csr_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(self.n_samples,) * 2)
        _, before = breadth_first_order(graph, b, directed=False, return_predecessors=True)
        chain = [a]
        while chain[-1] != b:
            chain.append(int(before[chain[-1]]))
        return chain

    def require_consistent(self) -> None:
        """Raise a ConstraintError that names the first contradiction, if there is one."""
        if len(self.contradictions):
            i, j = self.contradictions[0]
            more = len(self.contradictions) - 1
            raise ConstraintError(
                f"Samples {i} and {j} are cannot-linked, but must-links put them together"
                + (f" ({plural(more, 'more such pair')})." if more else ".")
            )

    @cached_property
    def closure_size(self) -> tuple[int, int]:
        """Numbers of must-links and cannot-links that `closure` would hold."""
        sizes = np.bincount(self.components, minlength=1)
        a, b = self.component_cannot_links.T
        inside = sizes * (sizes - 1) // 2
        return int(inside.sum()), int((sizes[a] * sizes[b]).sum()) + len(self.contradictions)

    def closure(self) -> Constraints:
        """Expand the transitive closure to pairs, `closure_size`.  Entailed constraints have weight one.

        Raises
        ------
        DataError
            If it does not fit into memory.
        """
        require_memory(
            "The transitive closure", (sum(self.closure_size), 17), "use methods that need no closure"
        )
        must = [_all_pairs(members) for members in self.neighbourhoods]
        order = np.argsort(self.components, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.components))])
        cannot = [
            _product(order[starts[a] : starts[a + 1]], order[starts[b] : starts[b + 1]])
            for a, b in self.component_cannot_links.tolist()
        ]
        entailed = Constraints(_stack(must), _stack([*cannot, self.contradictions]), n_samples=self.n_samples)
        weights = np.ones(len(entailed))
        weights[np.searchsorted(entailed._codes, self._codes)] = self.weights
        return entailed._reweighted(weights)

    @property
    def _codes(self) -> IntArray:
        """A number for each constraint, in ascending order."""
        kind = np.where(self.is_must, 0, self.n_samples)
        return (self.pairs[:, 0] + kind) * self.n_samples + self.pairs[:, 1]

    def _repr_html_(self) -> str:
        facts: dict[str, object] = {
            "samples": self.n_samples,
            "must-links": len(self.must_links),
            "cannot-links": len(self.cannot_links),
            "samples touched": len(self.touched),
            "contradictions": len(self.contradictions),
        }
        return html_table("Constraints", facts)


def _stack(parts: Iterable[IntArray]) -> IntArray:
    return np.concatenate([np.empty((0, 2), dtype=np.int64), *parts])


def _all_pairs(members: IntArray) -> IntArray:
    i, j = np.triu_indices(len(members), k=1)
    return np.column_stack([members[i], members[j]])


def _product(a: IntArray, b: IntArray) -> IntArray:
    return np.column_stack([np.repeat(a, len(b)), np.tile(b, len(a))])
