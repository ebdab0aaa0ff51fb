"""Schedules: how many constraints there are, how they are drawn, and in what order they arrive.

A schedule has *points*, the values on the horizontal axis of a figure.  For each point and trial
it yields an `Episode`: sets of constraints that arrive one after another.  The draw depends only on the
seed, the data set and the trial, and larger counts extend smaller ones.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from cscluster import seeds
from cscluster.arrays import BoolArray, IntArray
from cscluster.constraints.files import as_constraints, content_rows, list_links, read_text
from cscluster.constraints.links import Constraints
from cscluster.constraints.sampling import balanced_pairs, random_pairs
from cscluster.errors import ConstraintError


@dataclass(frozen=True)
class Episode:
    """What one trial sees.

    Attributes
    ----------
    tiers : tuple of Constraints
        The constraints that are new at each step.
    heldout : ndarray, optional
        Samples that no constraint touches and that the score is taken on.
    """

    tiers: tuple[Constraints, ...]
    heldout: IntArray | None = None


@dataclass(frozen=True)
class _Draw:
    """What decides the constraints of a trial: the samples, and its place in the seed tree."""

    y: IntArray
    seed: int
    dataset: str
    trial: int
    ids: Sequence[str]
    X: Any

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.y)

    @property
    def rng(self) -> np.random.Generator:
        """The random numbers of the trial, from their beginning."""
        return seeds.generator(self.seed, self.dataset, "constraints", self.trial)


T = TypeVar("T")


def _first(value: T | list[T]) -> T:
    return value[0] if isinstance(value, list) else value


def _form(value: Any) -> str:
    return "several" if isinstance(value, list) else "one"


OneOrSeveral = Annotated[
    Annotated[T, Tag("one")] | Annotated[list[T], Field(min_length=1), Tag("several")], Discriminator(_form)
]
"""A value, or a list of values, each of which stands for a schedule of its own."""


class _Schedule(BaseModel):
    """What all schedules share.

    `AXIS` says what the points are on the axis of a figure, `POINTS` is the key that lists them, `EXAMPLE`
    gives keys as in a file.  `needs_labels`: constraints are made from the true classes.  `needs_samples`:
    the choice of pairs depends on the samples.  A key of `VARIED` that holds a list stands for several
    schedules, its `variants`; asked itself, such a schedule is the first of them.
    """

    AXIS: ClassVar[str]
    EXAMPLE: ClassVar[str]
    POINTS: ClassVar[str] = "counts"
    VARIED: ClassVar[tuple[str, ...]] = ("noise", "weight")
    needs_labels: ClassVar[bool] = True
    needs_samples: ClassVar[bool] = False

    model_config = ConfigDict(extra="forbid", frozen=True)

    noise: OneOrSeveral[Annotated[float, Field(ge=0, lt=1)]] = Field(
        0.0, description="share of the constraints that are flipped. A list is an axis of figures"
    )
    weight: OneOrSeveral[Annotated[float, Field(gt=0, allow_inf_nan=False)] | Literal["hard"]] | None = Field(
        None,
        description="weight of every constraint, or hard. A list is an axis of figures",
    )

    @classmethod
    def example(cls) -> str:
        """Return how it is written in an experiment file."""
        return f"{{kind: {cls.model_fields['kind'].default}, {cls.EXAMPLE}}}"

    def variants(self) -> list[tuple[dict[str, Any], Self]]:
        """Return the schedules that this one stands for, each with the values of the keys that vary."""
        lists = {name: value for name in self.VARIED if isinstance(value := getattr(self, name), list)}
        chosen = (dict(zip(lists, values, strict=True)) for values in itertools.product(*lists.values()))
        return [(values, self.model_copy(update=values)) for values in chosen]

    @property
    def wrong(self) -> float:
        """The share of the constraints that are flipped."""
        return _first(self.noise)

    @property
    def points(self) -> list[int]:
        """Values on the horizontal axis."""
        points: list[int] = getattr(self, self.POINTS)
        return points

    @property
    def n_tiers(self) -> int:
        """Number of constraint sets in an episode."""
        return 1

    def identity(self) -> dict[str, Any]:
        """Return what, beside the point and the trial, decides the constraints: a part of the key."""
        noise = {"noise": self.wrong} if self.wrong else {}
        weight = {} if self.weight is None else {"weight": _first(self.weight)}
        return {"kind": self.kind, **noise, **weight}  # type: ignore[attr-defined]

    def episode(
        self,
        point: int,
        y: IntArray,
        seed: int,
        dataset: str,
        trial: int,
        ids: Sequence[str] = (),
        X: Any = None,
    ) -> Episode:
        """Return the constraints of one trial at one point.

        `ids` are the names of the samples, if any.  `X` are the samples themselves, the same for all
        algorithms, for a schedule that `needs_samples`.
        """
        episode = self._episode(point, _Draw(y, seed, dataset, trial, ids, X))
        if self.weight is None:
            return episode
        given: float | Literal["hard"] = _first(self.weight)
        weight = math.inf if given == "hard" else given
        return replace(episode, tiers=tuple(tier.weighted(weight) for tier in episode.tiers))

    @abstractmethod
    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return the constraints of one draw at one point."""

    def _links(self, pairs: IntArray, y: IntArray, flipped: BoolArray | None = None) -> Constraints:
        """Make constraints from pairs, the share `noise` of them flipped."""
        if flipped is None:
            flipped = flips(len(pairs), self.wrong)
        same = (y[pairs[:, 0]] == y[pairs[:, 1]]) ^ flipped
        return Constraints(pairs[same], pairs[~same], n_samples=len(y))


def flips(count: int, share: float) -> BoolArray:
    """Tell which of `count` constraints in random order are flipped; a longer list extends a shorter."""
    return np.diff(np.floor(np.round(share * np.arange(count + 1), 9))) > 0


Counts = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)]


class _Counted(_Schedule):
    """A schedule whose points are numbers of constraints."""

    counts: Counts = Field(description="numbers of constraints, the points of the curves")


class RandomPairs(_Counted):
    """Pairs drawn at random and labelled by their classes (zeng2012, section 4.3)."""

    AXIS = "number of constraints"
    EXAMPLE = "counts: [20, 50, 100]"

    kind: Literal["random_pairs"] = "random_pairs"

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return the first `point` constraints of the trial's random order."""
        return Episode((self._links(random_pairs(draw.n, point, draw.rng), draw.y),))


class BalancedPairs(_Counted):
    """As many must-links as cannot-links (baghshah2010, section 4.2), a point is the number of each kind."""

    AXIS = "constraints of each kind"
    EXAMPLE = "counts: [10, 25, 50]"

    kind: Literal["balanced_pairs"] = "balanced_pairs"

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return `point` constraints of each kind."""
        pairs = np.concatenate(balanced_pairs(draw.y, point, draw.rng))
        return Episode((self._links(pairs, draw.y, np.tile(flips(point, self.wrong), 2)),))


Shares = Annotated[list[Annotated[int, Field(ge=1, le=100)]], Field(min_length=1)]


class Fraction(_Schedule):
    """Random pairs, as many as a share of the samples has among itself (baumann2024, section 5).

    A point is a share in per cent: of f = ceil(share n) samples there are f (f - 1) / 2 pairs, and so many
    are drawn from all samples.
    """

    POINTS = "shares"
    AXIS = "share of samples (%)"
    EXAMPLE = "shares: [5, 10]"

    kind: Literal["fraction"] = "fraction"
    shares: Shares = Field(description="shares of the samples in per cent")

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return the constraints of a share."""
        f = -(-point * draw.n // 100)
        return Episode((self._links(random_pairs(draw.n, f * (f - 1) // 2, draw.rng), draw.y),))


class Labelled(_Schedule):
    """Samples whose classes are known, a share of all in per cent or a number of each class.

    The constraints are those of `Constraints.from_partial_labels`.  Noise is the share of the known samples
    that bear another class.
    """

    AXIS = "samples with known classes"
    EXAMPLE = "per_class: [1, 5, 10]"

    kind: Literal["labelled"] = "labelled"
    shares: Shares | None = Field(
        None, description="shares of all samples whose classes are known, in per cent"
    )
    per_class: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] | None = Field(
        None, description="numbers of samples of each class that are known, instead of shares"
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.shares is None) == (self.per_class is None):
            raise ValueError("give either 'shares' (per cent of all samples) or 'per_class' (a number)")
        return self

    @property
    def points(self) -> list[int]:
        """Shares in per cent, or numbers for each class."""
        return self.shares or self.per_class or []

    def identity(self) -> dict[str, Any]:
        """Return the kind, the noise, what the points count and the form of the constraints."""
        return {**super().identity(), "of": "all" if self.shares else "class", "links": "in turn"}

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return constraints between the samples whose classes are known."""
        rng, y = draw.rng, draw.y
        order, n_classes = rng.permutation(draw.n), int(y.max()) + 1
        said = y.copy()
        wrong = order[flips(draw.n, self.wrong)]
        said[wrong] = (y[wrong] + rng.integers(1, max(2, n_classes), size=len(wrong))) % n_classes
        if self.shares is not None:
            known = order[: -(-point * draw.n // 100)]
        else:
            by_class = order[np.argsort(y[order], kind="stable")]
            rank = np.arange(draw.n) - np.searchsorted(y[by_class], y[by_class])
            known = by_class[rank < point]
        labels = np.full(draw.n, -1)
        labels[known] = said[known]
        return Episode((Constraints.from_partial_labels(labels),))


class Tiers(_Schedule):
    """Constraints that arrive in tiers of equal size (yi2015, section 4.3)."""

    POINTS = "per_tier"
    AXIS = "constraints of a tier"
    EXAMPLE = "per_tier: [20], tiers: 5"

    kind: Literal["tiers"] = "tiers"
    per_tier: Counts = Field(description="numbers of constraints in a tier")
    tiers: int = Field(5, ge=1, description="number of tiers")

    @property
    def n_tiers(self) -> int:
        """Number of tiers."""
        return self.tiers

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return `tiers` sets of `point` constraints."""
        pairs = random_pairs(draw.n, point * self.tiers, draw.rng)
        flipped = flips(len(pairs), self.wrong)
        tiers = (slice(t * point, (t + 1) * point) for t in range(self.tiers))
        return Episode(tuple(self._links(pairs[tier], draw.y, flipped[tier]) for tier in tiers))


class Folds(_Counted):
    """Constraints inside the training folds, the score on the held-out fold (bilenko2004, section 4.1).

    Trial t holds out fold ``t % folds`` of the split number ``t // folds``.
    """

    AXIS = "number of constraints"
    EXAMPLE = "counts: [20, 50, 100], folds: 5"

    kind: Literal["folds"] = "folds"
    folds: int = Field(5, ge=2, description="number of folds. Each trial holds out one")

    def identity(self) -> dict[str, Any]:
        """Return the kind, the noise and the number of folds."""
        return {**super().identity(), "folds": self.folds}

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return constraints between samples outside the held-out fold."""
        if self.folds > draw.n:
            raise ConstraintError(f"{self.folds} folds are wanted, but there are only {draw.n} samples.")
        number, fold = divmod(draw.trial, self.folds)
        split = seeds.generator(draw.seed, draw.dataset, "folds", number).permutation(draw.n)
        heldout = np.sort(split[fold :: self.folds])
        training = np.setdiff1d(np.arange(draw.n), heldout)
        pairs = training[random_pairs(len(training), point, draw.rng)]
        return Episode((self._links(pairs, draw.y),), heldout)


Strategy = Literal["placement", "doubt", "explore_consolidate", "min_max", "npu", "cobras"]


class Active(_Counted):
    """Pairs that an active learner asks about.

    The true classes answer.  Random choices, such as that of the first sample, are the trial's.
    """

    VARIED = (*_Schedule.VARIED, "strategy")
    needs_samples = True
    AXIS = "number of constraints"
    EXAMPLE = "counts: [20, 50, 100], strategy: placement"

    kind: Literal["active"] = "active"
    strategy: OneOrSeveral[Strategy] = Field(
        "placement",
        description="how the pairs to ask about are chosen. A list is an axis of figures",
    )

    @property
    def chosen_strategy(self) -> str:
        """How pairs are chosen."""
        return self.strategy[0] if isinstance(self.strategy, list) else self.strategy

    def identity(self) -> dict[str, Any]:
        """Return the kind, the noise and the strategy, but for the one that was the default at first."""
        first = self.chosen_strategy == "explore_consolidate"
        return {**super().identity(), **({} if first else {"strategy": self.chosen_strategy})}

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return the answers to the first `point` questions."""
        from cscluster.queries.strategies import questions

        y, flipped = draw.y, flips(point, self.wrong)
        answers = questions(
            self.chosen_strategy,
            draw.X,
            len(np.unique(y)),
            point,
            lambda a, b, asked: bool((y[a] == y[b]) ^ flipped[asked]),
            draw.rng,
        )
        if len(answers) < point:
            raise ConstraintError(
                f"{point} constraints are wanted, "
                f"but the answers to {len(answers)} questions entail all others."
            )
        must, cannot = ([pair for *pair, same in answers if same is kind] for kind in (True, False))
        return Episode((Constraints(must, cannot, n_samples=draw.n),))


class File(_Schedule):
    """The user's own constraints, the same in every trial.

    The file is read once: what runs elsewhere or later has the same constraints.
    """

    needs_labels = False
    AXIS = "constraints in the file"
    EXAMPLE = "path: links.csv"

    kind: Literal["file"] = "file"
    path: Path = Field(description="constraint file with the columns a, b, link and optionally weight")

    @cached_property
    def text(self) -> str:
        """Content of the file."""
        return read_text(self.path)

    @property
    def points(self) -> list[int]:
        """Number of constraints in the file."""
        return [len(content_rows(self.text, self.path))]

    def identity(self) -> dict[str, Any]:
        """Return the kind, the noise and the content of the file."""
        content = hashlib.sha256(self.text.encode()).hexdigest()
        return {**super().identity(), "links": content}

    def _episode(self, point: int, draw: _Draw) -> Episode:
        """Return the constraints in the file."""
        links = as_constraints(list_links(self.text, self.path, draw.n, draw.ids), draw.n)
        flipped = draw.rng.permutation(flips(len(links), self.wrong))
        given = Constraints.of_pairs(links.pairs, links.is_must ^ flipped, links.weights, n_samples=draw.n)
        return Episode((given,))


Schedule = Annotated[
    RandomPairs | BalancedPairs | Fraction | Labelled | Tiers | Folds | Active | File,
    Field(discriminator="kind"),
]
MODELS: dict[str, type[_Schedule]] = {
    model.model_fields["kind"].default: model for model in get_args(get_args(Schedule)[0])
}
"""The schedules by their kinds."""
