"""From an experiment to a full result directory: plan, compare with what is stored, execute the rest."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from cscluster.data import prepared
from cscluster.errors import StoreError
from cscluster.experiment.config.load import find_config, load
from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.engine import environment
from cscluster.experiment.engine.execute import Pool, execute
from cscluster.experiment.plan.trials import Cell, Difference, Trial, Trials, compare, make_plan, resolved
from cscluster.experiment.rescore import needs_only_labels, rescored
from cscluster.store.definition import CellEntry, DatasetFacts, Definition
from cscluster.store.directory import RunDirectory, Writer
from cscluster.store.environments import version_changes
from cscluster.store.frame import LABELS, joined, planned_rows, trials_frame, with_names
from cscluster.store.labels import pack
from cscluster.store.records import has_failed, key_of, short_hash, storable, to_line


@dataclass(frozen=True)
class Job:
    """An experiment, where its results go, and what is left to do.

    What is stored is read when it is first asked for; to act on it, ask inside of `locked`.

    Attributes
    ----------
    experiment : Experiment
        What to run.
    source : str
        File name of the experiment, by which its result directory is recognised.
    directory : RunDirectory
        Where the results go.
    trials : Trials
        The plan, or that of a shard.
    command : str
        What to type to run it again, all shards of it.
    fresh, retry_failed : bool
        Whether to forget all stored records, or those of failed trials.
    repetitions : int, optional
        How many of the first repetitions to run now; the others stay planned.
    elsewhere : frozenset of str
        Keys of records that are stored elsewhere and not run again.
    writer : Writer, optional
        Of the locked result directory.
    """

    experiment: Experiment
    source: str
    directory: RunDirectory
    trials: Trials
    command: str
    fresh: bool
    retry_failed: bool
    repetitions: int | None = None
    elsewhere: frozenset[str] = frozenset()
    writer: Writer | None = None

    @cached_property
    def on_disk(self) -> pd.DataFrame:
        """All stored records."""
        return self.directory.stored()

    @cached_property
    def stored(self) -> pd.DataFrame:
        """The stored records that need not be made again because of what was asked for."""
        if self.fresh:  # nothing is read: it may be damaged
            return with_names(trials_frame([]), {})
        return self.on_disk[self.on_disk["status"] == "ok"] if self.retry_failed else self.on_disk

    @cached_property
    def planned(self) -> pd.DataFrame:
        """The stored records of the plan."""
        return planned_rows(self.stored, self.trials.plan.keys())

    @cached_property
    def difference(self) -> Difference:
        """What is new, cached and stale; of what is new, the repetitions that are to run now."""
        cells = self.directory.definition.cells if self.directory.exists() else {}
        found = compare(self.trials, self.stored, cells)
        last = self.experiment.trials if self.repetitions is None else self.repetitions
        there = self.elsewhere | found.stored | self.rescorable
        todo = [trial for trial in found.todo if trial.repetition < last and not there.issuperset(trial.keys)]
        return replace(found, todo=todo)

    @cached_property
    def rescorable(self) -> frozenset[str]:
        """Keys of the stored records of the plan that lack only metrics that follow from their labels."""
        wanted = next((cell.recorded for cell in self.trials.cells.values()), frozenset())
        if LABELS not in wanted:
            return frozenset()
        kept = [
            LABELS in names
            and not wanted.issubset(names)
            and all(map(needs_only_labels, wanted.difference(names)))
            for names in self.planned["recorded"]
        ]
        return frozenset(self.planned.loc[kept, "key"])

    def n_outside(self) -> int:
        """Return the number of stored records that are not part of the plan of all shards."""
        plan = self.trials.plan
        inside = planned_rows(self.stored, plan.changed(shard=None).keys()) if plan.shard else self.planned
        return len(self.stored) - len(inside)

    def n_failed(self) -> int:
        """Return the number of stored failures in the plan."""
        return int((self.planned["status"] != "ok").sum())


def prepare(
    name: str,
    *,
    settings: list[str] | None = None,
    out: Path = Path("results"),
    fresh: bool = False,
    retry_failed: bool = False,
    sweep: list[str] | None = None,
    shard: tuple[int, int] | None = None,
    without: Sequence[str] = (),
) -> Job:
    """Read an experiment and plan it; writes nothing.

    Parameters
    ----------
    name, settings, sweep
        The experiment; see `load`.  With a list of grids, even an empty one, it is run as a sweep.
    out : Path
        Directory of results.
    fresh, retry_failed : bool
        Whether to forget all stored records, or those of failed trials.
    shard : pair of int, optional
        The part of the plan to run, in a result directory of its own.
    without : list of str
        Data sets to leave out.

    Raises
    ------
    CsclusterError
        For anything wrong with the experiment, its data or its result directory.
    """
    experiment = load(name, settings, sweep)
    source = find_config(name).name
    suffix = ".shard-{}-of-{}".format(*shard) if shard else ""
    directory = RunDirectory(out / f"{experiment.name}{suffix}")
    _check_owner(directory, source)
    experiment = experiment.without(without)
    return Job(
        experiment,
        source,
        directory,
        trials=make_plan(experiment, shard),
        command=_command(name, settings or [], sweep),
        fresh=fresh,
        retry_failed=retry_failed,
    )


@contextmanager
def locked(job: Job) -> Iterator[Job]:
    """Lock the result directory and yield the job that is left to do there, which no other run can change.

    Parameters
    ----------
    job : Job
        What `prepare` made.

    Raises
    ------
    StoreError
        If another run is writing to the directory, or it cannot be written to.
    """
    with job.directory.writing() as writer:
        _check_owner(job.directory, job.source)
        yield replace(job, writer=writer)


def _command(name: str, settings: list[str], sweep: list[str] | None) -> str:
    words = ["cscluster", "run" if sweep is None else "sweep", name]
    for grid in sweep or ():
        words += (
            ["--select", grid.removeprefix("select=")] if grid.startswith("select=") else ["--grid", grid]
        )
    return shlex.join([*words, *(word for setting in settings for word in ("--set", setting))])


def _check_owner(directory: RunDirectory, source: str) -> None:
    """Refuse a directory that holds something else."""
    directory.check_free()
    owner = directory.definition.source if directory.exists() else source
    if owner != source:
        raise StoreError(
            f"The result directory '{directory.path}' belongs to another experiment file ({owner}). "
            "Give this one another name or another directory of results."
        )


def mixed_versions(job: Job) -> list[str]:
    """Return what has another version now than when stored records of the plan were made.

    Parameters
    ----------
    job : Job
        What is about to run.
    """
    used = set(job.planned["environment"])
    if not used or not job.difference.todo:
        return []
    before = [value for id_, value in job.directory.definition.environments.items() if id_ in used]
    return version_changes([*before, environment.describe(job.experiment.threads)])


def run_job(job: Job, pool: Pool, progress: Callable[[int], None] | None = None) -> pd.DataFrame:
    """Run what is left of a job; every finished trial is on disk before the next is reported.

    Parameters
    ----------
    job : Job
        What `prepare` made; it is locked here unless it comes from `locked`.
    pool : Pool
        Where trials run.
    progress : callable, optional
        Called with the number of failures of each trial as it ends.

    Returns
    -------
    DataFrame
        All that is stored then.
    """
    if job.writer is None:
        with locked(job) as mine:
            return run_job(mine, pool, progress)
    definition = _definition(job)
    if job.fresh and job.directory.trials.exists():  # never records without a definition
        job.writer.put_lines([])
    job.writer.put_definition(definition)
    before = job.stored if job.fresh else job.on_disk
    start = job.directory.n_bytes()
    if job.rescorable:
        again = rescored(job.directory, job.rescorable, definition.experiment.metrics)
        job.writer.append([to_line(record).encode() for record in again])
    if job.difference.todo:
        _execute(job, job.writer, pool, progress)
    return joined(before, job.directory.records(start), definition.cells)


def _execute(job: Job, writer: Writer, pool: Pool, progress: Callable[[int], None] | None) -> None:
    """Run all trials that are left; each is stored as it ends."""
    here = short_hash(environment.describe(job.experiment.threads))
    for ref in {trial.cell.data.key: trial.cell.data for trial in job.difference.todo}.values():
        prepared.load(ref)

    def done(trial: Trial, lines: list[bytes]) -> None:
        fresh = [line for line in lines if key_of(line) not in job.difference.stored]
        writer.append(fresh)
        if progress is not None:
            progress(sum(map(has_failed, fresh)))

    def register(elsewhere: dict[str, Any]) -> None:
        id_, definition = short_hash(elsewhere), job.directory.definition
        if id_ not in definition.environments:
            environments = {**definition.environments, id_: storable(elsewhere)}
            writer.put_definition(definition.model_copy(update={"environments": environments}))

    execute(job.difference.todo, pool, here, done, register)


def _definition(job: Job) -> Definition:
    """Return what is to be run; cells and environments that records of earlier plans carry stay."""
    cells: dict[str, CellEntry] = {}
    environments: dict[str, Any] = {}
    if job.directory.exists() and not job.fresh:
        before = job.directory.definition
        cells, environments = dict(before.cells), dict(before.environments)
    if job.difference.todo:
        here = environment.describe(job.experiment.threads)
        environments[short_hash(here)] = storable(here)
    return Definition(
        source=storable(job.source),
        command=storable(job.command),
        experiment=resolved(job.experiment),
        plan=job.trials.plan,
        cells=cells | job.trials.entries(),
        datasets={
            storable(cell.data.name): DatasetFacts(
                n_samples=cell.n_samples,
                source=storable(cell.data.recipe.source),
                classes=_classes(cell) if cell.keep_labels else None,
            )
            for cell in job.trials.cells.values()
        },
        environments=environments,
    )


def _classes(cell: Cell) -> str | None:
    y = prepared.load(cell.data).y
    return None if y is None else pack(y)


def run(
    name: str,
    *,
    settings: list[str] | None = None,
    out: str | Path = "results",
    jobs: int | None = None,
    backend: str = "local",
) -> RunDirectory:
    """Run an experiment from Python.  What is stored already is not run again.

    Parameters
    ----------
    name : str
        Path of a YAML file, or name of a bundled experiment.
    settings : list of str, optional
        Changes such as ``"trials=5"``.
    out : path
        Directory of results.
    jobs : int, optional
        Number of workers, one for each core by default.
    backend : {'local', 'dask'}
        Where trials run: in processes of this machine, or on a cluster.

    Returns
    -------
    RunDirectory
        The results.  ``to_frame()`` gives them as a pandas DataFrame.
    """
    job = prepare(name, settings=settings, out=Path(out))
    run_job(job, Pool(jobs or os.cpu_count() or 1, backend))
    return job.directory
