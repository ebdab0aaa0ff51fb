"""The records of a run by columns: what plans and reports need of them, in a few hundred bytes each."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cscluster.store.records import Record

COSTS = ("seconds", "fit_seconds", "cpu_seconds", "iterations")
"""Metrics that every record of a finished trial has."""
COMMON = (
    "status",
    "dataset",
    "algorithm",
    "label",
    "params",
    "grid",
    "cell",
    "environment",
    "metrics",
)
"""What the records of a group share."""


@dataclass(eq=False, slots=True)
class Group:
    """Records that differ in their point, tier and trial and in their scores only.

    Attributes
    ----------
    status, dataset, algorithm, label, params, grid, cell, environment
        As in each of the records.
    metrics : tuple of str
        Names of the metrics that each record has a value of, or None for.
    places : array of int
        Row of the table, point, tier and trial of each record, one record after another.
    scores : array of float
        Values of the metrics, then of `COSTS`, of each record; NaN for None.
    """

    status: str
    dataset: str
    algorithm: str
    label: str
    params: dict[str, Any]
    grid: dict[str, Any]
    cell: str
    environment: str
    metrics: tuple[str, ...]
    places: array[int] = field(default_factory=lambda: array("q"))
    scores: array[float] = field(default_factory=lambda: array("d"))

    @property
    def rows(self) -> array[int]:
        """The rows of the records in the table."""
        return self.places[::4]


class RecordTable:
    """The records of a run, in the order in which they are stored.

    Attributes
    ----------
    keys : list of str
        The key of each row.
    groups : list of Group
        The rows by what they have in common, in the order of their first records.
    errors : dict
        What went wrong in the rows of failed trials.
    n_indexed : int
        How many rows, the first ones, come from an index.
    """

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.keys: list[str] = []
        self.groups: list[Group] = []
        self.errors: dict[int, dict[str, str]] = {}
        self.n_indexed = 0
        self._group_of: dict[str, Group] = {}
        self._last_of: dict[tuple[str, ...], Group] = {}  # by all but the parameters, which take time to hash
        for record in records:
            self.add(record)

    def __len__(self) -> int:
        return sum(len(group.rows) for group in self.groups)

    def add(self, record: Record) -> None:
        """Add a record as the last row."""
        metrics, seconds, iterations = record["metrics"], record["seconds"], record["iterations"]
        common = (
            record["status"],
            record["dataset"],
            record["algorithm"],
            record["label"],
            record["cell"],
            record["environment"],
            *metrics,
        )
        group = self._last_of.get(common)
        if group is None or group.params != record["params"] or group.grid != record["grid"]:
            group = self._last_of[common] = self._group(record)
        row = len(self.keys)
        self.keys.append(record["key"])
        group.places.fromlist([row, record["point"], record["tier"], record["trial"]])
        values = [*metrics.values(), None, None, record.get("cpu_seconds"), iterations]
        if seconds:
            values[-4:-2] = sum(seconds.values()), seconds.get("fit", 0.0) + seconds.get("update", 0.0)
        group.scores.fromlist([math.nan if value is None else value for value in values])
        if record["error"] is not None:
            self.errors[row] = record["error"]

    def keys_of(self, group: Group) -> list[str]:
        """Return the keys of the records of a group."""
        return [self.keys[row] for row in group.rows]

    def all_keys(self) -> Iterator[str]:
        """Yield the keys of all groups, which are fewer than `keys` in a part of a table."""
        return (key for group in self.groups for key in self.keys_of(group))

    def _group(self, record: Record) -> Group:
        """Return the group that a record belongs to; a new one if there is none."""
        new = Group(
            status=record["status"],
            dataset=record["dataset"],
            algorithm=record["algorithm"],
            label=record["label"],
            params=record["params"],
            grid=record["grid"],
            cell=record["cell"],
            environment=record["environment"],
            metrics=tuple(record["metrics"]),
        )
        return self._group_of.get(_identity(new)) or self.add_group(new)

    def add_group(self, group: Group) -> Group:
        """Add a group, and with it its rows, whose keys are there already; return it."""
        self._group_of[_identity(group)] = group
        self.groups.append(group)
        return group

    def where(self, condition: Callable[[Group], bool]) -> RecordTable:
        """Return the table of the groups that fulfil a condition, for reading; rows keep their numbers."""
        part = RecordTable()
        part.keys, part.errors = self.keys, self.errors
        part.groups = [group for group in self.groups if condition(group)]
        return part


def _identity(group: Group) -> str:
    return repr([getattr(group, name) for name in COMMON])
