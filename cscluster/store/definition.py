"""What a run is: its experiment, its cells and its plan, as ``run.json`` keeps them.

The file is one line of JSON that ends with a checksum.  It is replaced in one step, before the first trial of
a plan is run, so that every prefix of a run can be resumed.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, ValidationError, with_config
from typing_extensions import TypedDict

from cscluster.store.records import body_of, first_problem, make_key, to_line


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CellEntry(_Strict):
    """One data set, one algorithm, one point of its grid.

    `identity` is what its results depend on; its hash is part of each key.  Label, parameters and grid point
    are how tables name it.
    """

    identity: dict[str, Any]
    label: str
    params: dict[str, Any]
    grid: dict[str, Any]

    @property
    def dataset(self) -> str:
        """Name of the data set."""
        return str(self.identity["name"])

    @property
    def algorithm(self) -> str:
        """Name of the algorithm."""
        return str(self.identity["algorithm"])


@with_config(ConfigDict(extra="allow"))
class AlgorithmFacts(TypedDict):
    """The part of an algorithm's entry that reports need."""

    name: str
    label: str
    select: str


class ExperimentEntry(BaseModel):
    """The part of a resolved experiment that reports need; the rest is kept as it is."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str
    title: str | None = None
    metrics: list[str]
    algorithms: list[AlgorithmFacts]
    constraints: dict[str, Any]

    @property
    def schedule(self) -> str:
        """Kind of the schedule of constraints."""
        return str(self.constraints.get("kind"))


class DatasetFacts(_Strict):
    """Number of samples of a data set, and the name of the source that they are drawn from.

    `classes`: the true classes, if the labels of trials are kept (`store.labels`).
    """

    n_samples: int
    source: str
    classes: str | None = None


class Planned(NamedTuple):
    """A planned trial; those of one `repetition` see the same constraints."""

    cell: str
    point: int
    trial: int
    repetition: int
    keys: tuple[str, ...]


class Plan(_Strict):
    """All trials of a run: cells x points x repetitions x repeats x tiers, or a shard of them.

    Attributes
    ----------
    cells : list of str
        Hashes of the planned cells.
    points : list of int
        Numbers of constraints.
    repetitions, repeats, tiers : int
        Constraint sets of each point, trials on each of them, and tiers of each trial.
    shard : pair of int, optional
        Number of the shard, counted from 1, and how many there are.
    """

    cells: list[str]
    points: list[int]
    repetitions: int
    repeats: int
    tiers: int
    shard: tuple[int, int] | None = None

    def changed(self, **fields: Any) -> Plan:
        """Return a plan with other fields; `model_copy` would keep the cached keys."""
        return Plan.model_validate({**self.model_dump(), **fields})

    def trials(self) -> Iterator[Planned]:
        """Yield the planned trials in the order in which they are run.

        Every cell gets its first trials before any gets its last: an interrupted run is a smaller run, not a
        lopsided one.  Trials of one repetition follow one another.
        """
        tiers = range(1, self.tiers + 1)
        for repetition, point, cell in self._units():
            for trial in range(repetition * self.repeats, (repetition + 1) * self.repeats):
                keys = tuple(make_key(cell, point, trial, tier) for tier in tiers)
                yield Planned(cell, point, trial, repetition, keys)

    def _units(self) -> Iterator[tuple[int, int, str]]:
        """Yield the repetition, point and cell of each unit of work.

        Units are dealt out to shards in turn, cell by cell and point by point, so that slow algorithms and
        large numbers of constraints fall to all shards alike.
        """
        number, count = self.shard or (1, 1)
        order = {point: place for place, point in enumerate(sorted(self.points))}
        for repetition, point, (place, cell) in itertools.product(
            range(self.repetitions), self.points, enumerate(self.cells)
        ):
            if ((place * len(order) + order[point]) * self.repetitions + repetition) % count == number - 1:
                yield repetition, point, cell

    def counts(self) -> Counter[tuple[str, int]]:
        """Return the number of planned trials of each cell at each point."""
        units = Counter((cell, point) for _, point, cell in self._units())
        return Counter({place: self.repeats * count for place, count in units.items()})

    def keys(self) -> list[str]:
        """Return the keys of all planned records, in the order in which they are run."""
        return self._keys

    @cached_property
    def _keys(self) -> list[str]:
        return [key for trial in self.trials() for key in trial.keys]


class Definition(_Strict):
    """What a run is.

    Attributes
    ----------
    source, command : str
        File name of the experiment, and what to type to run all of it again.
    experiment : ExperimentEntry
        The resolved experiment.
    plan : Plan
        All its trials.
    cells : dict
        Every cell that records carry, planned or of an earlier plan, by its hash.
    datasets : dict
        Facts about the data sets, by name.
    environments : dict
        Versions and machine, by the id that records carry.
    """

    source: str
    command: str
    experiment: ExperimentEntry
    plan: Plan
    cells: dict[str, CellEntry]
    datasets: dict[str, DatasetFacts]
    environments: dict[str, dict[str, Any]]

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Read a definition.

        Raises
        ------
        ValueError
            If the line was altered after it was written, or is no definition.
        """
        try:
            return cls.model_validate(json.loads(body_of(line)))
        except ValidationError as error:
            raise ValueError(first_problem(error)) from None

    def line(self) -> str:
        """Return the content of ``run.json``."""
        return to_line(self.model_dump(mode="json"))
