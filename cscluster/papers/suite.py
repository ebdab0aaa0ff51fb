"""Experiments of the papers and tracks of the benchmark: what is stored of them, and what is left to run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from cscluster.algorithms.registry import find
from cscluster.atomic import put
from cscluster.data import index
from cscluster.errors import ParameterError
from cscluster.experiment.config.load import load
from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.engine.run import Job, prepare
from cscluster.experiment.plan.trials import make_plan, n_records, resolved, resolved_params
from cscluster.report.aggregate import planned_trials
from cscluster.store import DEFINITION, archive
from cscluster.store.definition import CellEntry, Definition
from cscluster.store.directory import RunDirectory
from cscluster.store.frame import planned_rows
from cscluster.store.records import storable

PROFILES = {"full": "", "quick": "-quick"}
"""How much to run, and how the directory of its results ends."""
Slot = tuple[str, str]
"""A data set and the label of a method."""


class StoredTrials(NamedTuple):
    """What is stored of an experiment: its definition, and the trials of its plan as a data frame."""

    definition: Definition
    trials: pd.DataFrame


@dataclass(frozen=True)
class Remaining:
    """What is left to run of an experiment.

    Attributes
    ----------
    name : str
        Name of the experiment.
    missing : list of str
        Data sets that are not there.
    planned, stored : int
        Numbers of trials.
    seconds : float
        CPU seconds that trials left will take, of methods that have stored trials on the same data.
    """

    name: str
    missing: list[str]
    planned: int
    stored: int
    seconds: float


@dataclass(frozen=True)
class SuiteItem:
    """An experiment of a paper, or a track of the benchmark.

    Trials that came with the reference are not run again.

    Attributes
    ----------
    name : str
        ``PAPER/ITEM``, or that of the track.
    config : str
        Name of the bundled experiment.
    settings : list of str
        Changes to it, as for ``--set``.
    local : RunDirectory
        Where its trials are stored when they are run.
    reference : RunDirectory, optional
        The trials that travel with the sources.
    repetitions : int, optional
        How many of the first repetitions to run now.
    """

    name: str
    config: str
    settings: list[str]
    local: RunDirectory
    reference: RunDirectory | None
    repetitions: int | None = None

    @cached_property
    def experiment(self) -> Experiment:
        """The experiment, with all its data sets."""
        return load(self.config, self.settings)

    @cached_property
    def missing(self) -> list[str]:
        """Data sets that are not at hand."""
        return [entry.title for entry in self.experiment.datasets if _is_missing(entry.base)]

    def unknown(self, stored: StoredTrials | None) -> list[str]:
        """Return the data sets that are not at hand and have no stored trial either."""
        known = set(stored.trials["dataset"]) if stored else set()
        return [name for name in self.missing if name not in known]

    @cached_property
    def _archived(self) -> pd.DataFrame | None:
        """The trials that came with the reference, by the names that they had then."""
        return self.reference.stored() if self.reference and self.reference.exists() else None

    def prepare(self, retry_failed: bool) -> Job | None:
        """Plan what is left, on request with failed trials once more; nothing where all data are missing."""
        if len(self.missing) == len(self.experiment.datasets):
            return None
        job = prepare(
            self.config,
            settings=self.settings,
            out=self.local.path.parent,
            retry_failed=retry_failed,
            without=self.missing,
        )
        there = self._archived
        if there is None:
            return replace(job, repetitions=self.repetitions)
        usable = there[there["status"] == "ok"] if retry_failed else there
        return replace(job, repetitions=self.repetitions, elsewhere=frozenset(usable["key"]))

    def stored(self) -> StoredTrials | None:
        """Return what is stored: what was run here, and what came with the reference."""
        if not self.local.exists():
            if self.reference is None or self._archived is None:
                return None
            definition = self.reference.definition
            return StoredTrials(definition, planned_rows(self._archived, definition.plan.keys()))
        if self.reference is None or not self.reference.exists():
            return StoredTrials(self.local.definition, self.local.planned())
        definition = self._joined(self.local.definition, self.reference.definition)
        archived, local = (run.stored(definition.cells) for run in (self.reference, self.local))
        ok = archived["status"] == "ok"
        every = pd.concat([archived[~ok], local, archived[ok]], ignore_index=True)
        every = every.drop_duplicates("key", keep="last", ignore_index=True)
        return StoredTrials(definition, planned_rows(every, definition.plan.keys()))

    def _joined(self, local: Definition, reference: Definition) -> Definition:
        """Return the definition of a run, with the data sets that only the reference has."""
        cells = {**reference.cells, **local.cells}
        planned = [*local.plan.cells]
        planned += [each for each in reference.plan.cells if cells[each].dataset not in local.datasets]
        order = {entry.title: number for number, entry in enumerate(self.experiment.datasets)}
        planned = [each for each in planned if cells[each].dataset in order]
        planned.sort(key=lambda each: order[cells[each].dataset])
        datasets = {**reference.datasets, **local.datasets}
        return Definition(
            source=local.source,
            command=local.command,
            experiment=resolved(self.experiment),
            plan=local.plan.changed(cells=planned),
            cells=cells,
            datasets={name: datasets[name] for name in order if name in datasets},
            environments={**reference.environments, **local.environments},
        )

    def archive(self, metrics: Sequence[str]) -> None:
        """Put what is stored, with some of its metrics, into the reference."""
        stored = self.stored()
        if self.reference is None or stored is None:
            return
        definition, trials = stored
        used = {*definition.plan.cells, *trials["cell"]}
        made_in = set(trials["environment"])
        kept = definition.model_copy(
            update={
                "cells": {key: cell for key, cell in definition.cells.items() if key in used},
                "environments": {
                    key: value for key, value in definition.environments.items() if key in made_in
                },
            }
        )
        put(self.reference.path / DEFINITION, kept.line())
        put(self.reference.path / archive.NAME, archive.to_bytes(trials, metrics))
        self.reference.reload()

    def remaining(self) -> Remaining:
        """Return what is left to run; writes nothing."""
        stored = self.stored()
        absent = self.unknown(stored)
        n_repetitions = min(self.repetitions or self.experiment.trials, self.experiment.trials)
        now = self.experiment.model_copy(update={"trials": n_repetitions})
        done: Counter[Slot] = Counter()
        means: dict[Slot, float] = {}
        if stored is not None:
            rows = stored.trials[stored.trials["repetition"] < n_repetitions]
            rows = rows[rows["cell"].isin(self._present(stored))]
            done.update(zip(rows["dataset"], rows["label"], strict=True))
            ok = stored.trials[stored.trials["status"] == "ok"]
            means = ok.groupby(_SLOT)["m:cpu_seconds"].mean().dropna().to_dict()
        seconds, planned = 0.0, 0
        for dataset in now.datasets:
            for entry in now.algorithms if dataset.title not in absent else ():
                slot, count = (dataset.title, entry.title), n_records(now, entry)
                planned += count
                seconds += (count - done[slot]) * means.get(slot, 0.0)
        return Remaining(self.name, absent, planned, done.total(), seconds)

    def _present(self, stored: StoredTrials) -> set[str]:
        """Return the hashes of the cells as they are now; of data that are not at hand, as they were."""
        cells = stored.definition.cells
        present = {each for each in stored.definition.plan.cells if cells[each].dataset in self.missing}
        if len(self.missing) < len(self.experiment.datasets):
            present |= set(make_plan(self.experiment.without(self.missing)).plan.cells)
        return present


_SLOT = ["dataset", "label"]


def _is_missing(base: str | None) -> bool:
    while base in index.recipes():
        base = index.recipes()[base].get("base")
    return base in index.external() and index.find_file(base) is None


def in_complete_repetitions(stored: StoredTrials) -> pd.DataFrame:
    """Return the trials of those repetitions of which a method has run all on a data set.

    A repetition that was cut short would compare methods, and points of a grid, on other constraints.
    """
    definition, trials = stored
    planned = planned_trials(definition).groupby(_SLOT, as_index=False)["planned"].sum()
    wanted = trials[_SLOT].merge(planned, how="left")["planned"] * definition.plan.tiers
    sizes = trials.groupby([*_SLOT, "repetition"])["key"].transform("size")
    return trials[sizes.to_numpy() == wanted.to_numpy() // definition.plan.repetitions]


def complete_repetitions(stored: StoredTrials) -> dict[str, set[int]]:
    """Return the repetitions of which a method has run all planned trials, failed or not, by its label.

    Methods without any such repetition are left out.
    """
    definition = stored.definition
    n_datasets = len({definition.cells[each].dataset for each in definition.plan.cells})
    whole = in_complete_repetitions(stored).groupby(["label", "repetition"])["dataset"].nunique()
    complete = whole[whole == n_datasets].reset_index()
    return dict(complete.groupby("label")["repetition"].agg(set))


def outdated(stored: StoredTrials) -> Counter[str]:
    """Count the trials of each method that were made with an earlier version of it, or other defaults."""
    cells = stored.definition.cells
    old = [each for each in stored.trials["cell"].unique() if not is_current(cells[each])]
    return Counter(stored.trials.loc[stored.trials["cell"].isin(old), "label"])


def is_current(cell: CellEntry) -> bool:
    """Tell whether the algorithm and the clusterer of a cell have the version and defaults of then."""
    identity = cell.identity
    parts = [(identity["algorithm"], identity["version"])]
    if identity["clusterer"]:
        parts.append((identity["clusterer"][0], identity["clusterer_version"]))
    try:
        versions = [storable(getattr(find(name).load(), "version", 1)) for name, _ in parts]
        params = resolved_params(find(identity["algorithm"]), cell.params)
    except ParameterError:  # there is no such algorithm any more
        return False
    return versions == [version for _, version in parts] and params == identity["params"]
