"""Joining runs of one experiment, such as the shards of a job array, into one result directory.

A trial that several runs hold is taken once: a result that is ok before one that failed, then from
the run named first.  The runs themselves are only read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cscluster.errors import StoreError
from cscluster.store.cells import changes
from cscluster.store.definition import Definition
from cscluster.store.directory import RunDirectory
from cscluster.store.records import Record, to_line


@dataclass(frozen=True)
class Merged:
    """What came of a merge.

    Attributes
    ----------
    directory : RunDirectory
        The joined run.
    planned, found, failed, repeated : int
        Records that the whole plan has; that were found, and failed among them; that were found in
        several runs.
    gaps : list of str
        Which shards are missing or not complete.
    """

    directory: RunDirectory
    planned: int
    found: int
    failed: int
    repeated: int
    gaps: list[str]


def merge(runs: list[RunDirectory], target: RunDirectory) -> Merged:
    """Join runs of one experiment in `target`, which may hold a part of them already.

    The definition is written first and the records last, each in one step: after a crash the same merge can
    be done again.

    Raises
    ------
    StoreError
        If they are not runs of the same experiment.
    """
    target.check_free()
    _with_target(runs, target)  # a merge that is refused leaves nothing behind, not even a lock
    with target.writing() as writer:
        runs = _with_target(runs, target)
        first = runs[0].definition
        plan = first.plan.changed(shard=None)
        keys = plan.keys()
        records, repeated = _best(runs, set(keys))
        used = {record["environment"] for record in records.values()}
        definitions = [run.definition for run in runs]
        environments = {id_: value for each in definitions for id_, value in each.environments.items()}
        writer.put_definition(
            first.model_copy(
                update={
                    "experiment": first.experiment.model_copy(update={"name": target.path.name}),
                    "plan": plan,
                    "cells": {hash_: cell for each in definitions for hash_, cell in each.cells.items()},
                    "environments": {id_: value for id_, value in environments.items() if id_ in used},
                }
            )
        )
        writer.put_lines(to_line(records[key]).encode() for key in keys if key in records)
    failed = sum(record["status"] != "ok" for record in records.values())
    gaps = _gaps(runs, records) if len(records) < len(keys) else []
    return Merged(target, len(keys), len(records), failed, repeated, gaps)


def _with_target(runs: list[RunDirectory], target: RunDirectory) -> list[RunDirectory]:
    """Return the runs, each once and the target first, unless they do not belong together."""
    given = {run.path.resolve(): run for run in runs}
    if target.exists():
        given = {target.path.resolve(): target} | given
    first, *others = given.values()
    for run in others:
        _check_same(first, run)
    return [first, *others]


def _best(runs: list[RunDirectory], wanted: set[str]) -> tuple[dict[str, Record], int]:
    """Return the record of each wanted key, and how many keys several runs hold."""
    best: dict[str, Record] = {}
    repeated: set[str] = set()
    for run in runs:
        last = {record["key"]: record for record in run.records() if record["key"] in wanted}
        for key, record in last.items():
            if key in best:
                repeated.add(key)
            if key not in best or (best[key]["status"] != "ok" and record["status"] == "ok"):
                best[key] = record
    return best, len(repeated)


def _gaps(runs: list[RunDirectory], found: Mapping[str, Record]) -> list[str]:
    """Say of which shards trials are missing."""
    plans = [run.definition.plan for run in runs]
    gaps = []
    for count in sorted({plan.shard[1] for plan in plans if plan.shard}):
        for number in range(1, count + 1):
            keys = plans[0].changed(shard=(number, count)).keys()
            missing = sum(key not in found for key in keys)
            if missing:
                gaps.append(f"{missing} of the {len(keys)} trials of shard {number}/{count}")
    return gaps


def _check_same(first: RunDirectory, other: RunDirectory) -> None:
    """Refuse runs that do not plan the same trials; the message says where they differ."""
    ours, theirs = first.definition, other.definition
    differ = [
        name
        for name in ("cells", "points", "repetitions", "repeats", "tiers")
        if getattr(ours.plan, name) != getattr(theirs.plan, name)
    ]
    if differ:
        what = _what_changed(ours, theirs) if differ == ["cells"] else f"their {' and '.join(differ)} differ"
        raise StoreError(f"'{first.path}' and '{other.path}' are different experiments: {what}.")


def _what_changed(ours: Definition, theirs: Definition) -> str:
    """Say in what the closest two cells that only one side plans differ."""
    differences = [
        found
        for a in ours.plan.cells
        for b in theirs.plan.cells
        if a not in theirs.plan.cells and b not in ours.plan.cells
        if (found := changes(ours.cells[a].identity, theirs.cells[b].identity))
    ]
    return min(differences, key=len)[0] if differences else "one has algorithms or data that the other lacks"
