"""From an experiment to a full result directory: plan, compare with what is stored, execute the rest."""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from cscluster.data import prepared
from cscluster.errors import StoreError
from cscluster.experiment.config.load import find_config, load
from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.config.sweep import swept
from cscluster.experiment.engine import environment
from cscluster.experiment.engine.execute import Pool, execute
from cscluster.experiment.plan.shard import Shard
from cscluster.experiment.plan.trials import Cell, Difference, Trial, compare, complete, make_plan
from cscluster.store.environments import version_changes
from cscluster.store.folder import RunFolder, Writer
from cscluster.store.records import Record, storable
from cscluster.store.table import Group, RecordTable


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
    folder : RunFolder
        Where the results go.
    plan : list of Trial
        All trials, or those of the shard.
    whole : list of Trial
        The plan of all shards.
    command : str
        What to type to run it again, all shards of it.
    shard : Shard, optional
        Which part of the plan this is.
    fresh, retry_failed : bool
        Whether to forget all stored records, or those of failed trials.
    draws : int, optional
        How many of the first draws of links to run now; the others stay planned.
    absent : list of str
        Data sets of the experiment that are not at hand; nothing is run on them.
    writer : Writer, optional
        Of the locked result directory.
    """

    experiment: Experiment
    source: str
    folder: RunFolder
    plan: list[Trial]
    whole: list[Trial]
    command: str
    shard: Shard | None
    fresh: bool
    retry_failed: bool
    draws: int | None = None
    absent: Sequence[str] = ()
    writer: Writer | None = None

    @cached_property
    def table(self) -> RecordTable:
        """What is stored; a run adds its records to it."""
        return self.folder.table()

    @cached_property
    def _candidates(self) -> RecordTable:
        """Stored records that need not be made again because of what was asked for."""
        return self.table.where(self._is_candidate)

    def _is_candidate(self, group: Group) -> bool:
        if group.dataset in self.absent:
            return True
        return not self.fresh and (group.status == "ok" or not self.retry_failed)

    @cached_property
    def kept(self) -> dict[str, list[str]]:
        """Keys of stored trials of absent data sets that stay planned, where every method has some."""
        planned = self.folder.plan() if self.absent and self.folder.exists() else []
        groups = [group for group in self.table.groups if group.dataset in self.absent]
        places = {key: (group.dataset, group.label) for group in groups for key in self.table.keys_of(group)}
        wanted = {entry.title for entry in self.experiment.algorithms}
        kept = {
            name: [key for key in planned if key in places and places[key][0] == name] for name in self.absent
        }
        return {name: keys for name, keys in kept.items() if wanted <= {places[key][1] for key in keys}}

    @cached_property
    def keys(self) -> list[str]:
        """The keys of all planned records; with kept ones among them, in the order that they had."""
        planned = _keys(self.plan)
        if self.kept:
            every = dict.fromkeys([*planned, *itertools.chain(*self.kept.values())])
            planned = list(dict.fromkeys([*(key for key in self.folder.plan() if key in every), *every]))
        return planned

    @cached_property
    def difference(self) -> Difference:
        """What is new, cached and stale; of what is new, the draws that are to run now."""
        cells = self.folder.cells() if self.folder.exists() else {}
        found = compare(self.plan, self._candidates, cells)
        if self.draws is None:
            return found
        last = self.draws * self.experiment.repeats
        return replace(found, todo=[trial for trial in found.todo if trial.trial < last])

    def n_aside(self) -> int:
        """Return the number of stored records that stay but do not belong to the plan of all shards."""
        whole = {*_keys(self.whole), *self.keys}
        return len(set(self._candidates.all_keys()) - whole)

    def n_failed(self) -> int:
        """Return the number of stored failures that stay in the plan."""
        failed = self._candidates.where(lambda group: group.status != "ok")
        return sum(key in self.difference.stored for key in failed.all_keys())

    def environments(self) -> set[str]:
        """Return the environments that the stored records of the plan were made in."""
        groups = self._candidates.groups
        return {
            group.environment
            for group in groups
            if not self.difference.stored.isdisjoint(self._candidates.keys_of(group))
        }

    @cached_property
    def _changes(self) -> dict[int, dict[str, Any] | None]:
        """What becomes of stored rows that do not stay as they are: new labels, or None for dropped ones."""
        cells = {trial.cell.hash: trial.cell for trial in self.plan}
        redone = {key for trial in self.difference.todo for key in trial.keys}
        changes: dict[int, dict[str, Any] | None] = {}
        for group in self.table.groups:
            labels = _labels(cells[group.cell]) if group.cell in cells else {}
            if not self._is_candidate(group):
                changes |= dict.fromkeys(group.rows)
            elif labels != {name: getattr(group, name) for name in labels}:
                changes |= dict.fromkeys(group.rows, labels)
            if not complete(group, self.experiment.metrics):
                changes |= {row: None for row in group.rows if self.table.keys[row] in redone}
        return changes

    @property
    def replaces(self) -> bool:
        """Whether stored records are dropped or get new labels before the run."""
        return bool(self._changes)

    def remaining(self) -> Iterator[Record]:
        """Yield the stored records that stay, under the labels that the plan has now."""
        for row, record in enumerate(self.folder.records()):
            labels = self._changes.get(row, {})
            if labels is not None:
                yield cast(Record, {**record, **labels})


def prepare(
    name: str,
    *,
    settings: list[str] | None = None,
    out: Path = Path("results"),
    fresh: bool = False,
    retry_failed: bool = False,
    sweep: list[str] | None = None,
    shard: Shard | None = None,
    absent: Sequence[str] = (),
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
    shard : Shard, optional
        The part of the plan to run, in a result directory of its own.
    absent : list of str
        Data sets that are not at hand; what is stored of them stays, and nothing is run on them.

    Raises
    ------
    CsclusterError
        For anything wrong with the experiment, its data or its result directory.
    """
    experiment = load(name, settings, sweep)
    if sweep is not None:
        experiment = swept(experiment)
    source = find_config(name).name
    folder = RunFolder(out / (experiment.name + (shard.suffix if shard else "")))
    _check_owner(folder, source)
    whole = make_plan(experiment.without(absent))
    return Job(
        experiment,
        source,
        folder,
        plan=shard.part(whole) if shard else whole,
        whole=whole,
        command=_command(name, settings or [], sweep),
        shard=shard,
        fresh=fresh,
        retry_failed=retry_failed,
        absent=absent,
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
    with job.folder.writing() as writer:
        _check_owner(job.folder, job.source)
        yield replace(job, writer=writer)


def _labels(cell: Cell) -> dict[str, Any]:
    """Return what a record says of its cell; its key does not depend on that."""
    return {"label": cell.label, "params": storable(cell.params), "grid": storable(cell.grid)}


def _command(name: str, settings: list[str], sweep: list[str] | None) -> str:
    words = ["cscluster", "run" if sweep is None else "sweep", name]
    for grid in sweep or ():
        words += (
            ["--select", grid.removeprefix("select=")] if grid.startswith("select=") else ["--grid", grid]
        )
    return shlex.join([*words, *(word for setting in settings for word in ("--set", setting))])


def _check_owner(folder: RunFolder, source: str) -> None:
    """Refuse a directory that holds something else."""
    folder.check_free()
    owner = folder.config().get("source") if folder.exists() else source
    if owner != source:
        raise StoreError(
            f"The result directory '{folder.path}' belongs to another experiment file ({owner}); "
            "give this one another name or another directory of results."
        )


def mixed_versions(job: Job) -> list[str]:
    """Return what has another version now than when stored records of the plan were made.

    Parameters
    ----------
    job : Job
        What is about to run.
    """
    used = job.environments()
    if not used or not job.difference.todo:
        return []
    before = [value for id_, value in job.folder.environments().items() if id_ in used]
    return version_changes([*before, environment.describe(job.experiment.threads)])


def carry_out(job: Job, pool: Pool, progress: Callable[[list[Record]], None] | None = None) -> RecordTable:
    """Run what is left of a job; every finished trial is on disk before the next is reported.

    Parameters
    ----------
    job : Job
        What `prepare` made; it is locked here unless it comes from `locked`.
    pool : Pool
        Where trials run.
    progress : callable, optional
        Called with the records of each trial as it ends.

    Returns
    -------
    RecordTable
        All that is stored then.
    """
    if job.writer is None:
        with locked(job) as mine:
            return carry_out(mine, pool, progress)
    writer, table = job.writer, job.table
    _put_plan(job, writer)
    if job.replaces:
        writer.put_records(job.remaining())
        table = job.folder.table()
    try:
        if job.difference.todo:
            _execute(job, writer, table, pool, progress)
    finally:
        writer.put_progress(table, job.keys)
        writer.put_index(table)
    return table


def _execute(
    job: Job,
    writer: Writer,
    table: RecordTable,
    pool: Pool,
    progress: Callable[[list[Record]], None] | None,
) -> None:
    """Run all trials that are left; each is stored, and added to the table, as it ends."""
    here = environment.describe(job.experiment.threads)
    here_id = environment.identify(here)
    met = {**job.folder.environments(), here_id: here}
    writer.put_json("environments.json", met)
    for ref in {trial.cell.data.key: trial.cell.data for trial in job.difference.todo}.values():
        prepared.prepare(ref)

    def done(trial: Trial, records: list[Record]) -> None:
        fresh = [record for record in records if record["key"] not in job.difference.stored]
        writer.append(fresh)
        for record in fresh:
            table.add(record)
        writer.put_index(table)
        if progress is not None:
            progress(fresh)

    def meet(elsewhere: dict[str, Any]) -> None:
        id_ = environment.identify(elsewhere)
        if id_ not in met:
            met[id_] = elsewhere
            writer.put_json("environments.json", met)

    execute(job.difference.todo, pool, here_id, done, meet)


def _put_plan(job: Job, writer: Writer) -> None:
    """Write what is to be run; the meaning of cells that records of earlier plans carry stays."""
    shard = {"shard": [job.shard.number, job.shard.count]} if job.shard else {}
    experiment = job.experiment.without(set(job.absent) - set(job.kept))
    definition = {"experiment": storable(experiment.model_dump(mode="python"))}
    writer.put_json("config.json", {"source": job.source, "command": job.command, **shard, **definition})
    cells = job.folder.cells() if (job.folder.path / "plan.json").exists() else {}
    planned = {trial.cell.hash: trial.cell for trial in job.whole}
    cells |= {key: cell.identity for key, cell in planned.items()}
    about = {name: job.folder.datasets()[name] for name in job.kept}
    about |= {
        cell.data.name: {"n_samples": cell.n_samples, "source": cell.data.recipe.source}
        for cell in planned.values()
    }
    datasets = {entry.title: about[entry.title] for entry in experiment.datasets}
    plan: dict[str, Any] = {"cells": cells, "datasets": datasets, "keys": job.keys}
    writer.put_json("plan.json", plan | ({"whole": _keys(job.whole)} if job.shard else {}))


def _keys(plan: list[Trial]) -> list[str]:
    return [key for trial in plan for key in trial.keys]


def run(
    name: str,
    *,
    settings: list[str] | None = None,
    out: str | Path = "results",
    jobs: int | None = None,
    backend: str = "local",
) -> RunFolder:
    """Run an experiment from Python; what is stored already is not run again.

    Parameters
    ----------
    name : str
        Path of a YAML file, or name of a bundled experiment.
    settings : list of str, optional
        Changes such as ``"trials=5"``.
    out : path
        Directory of results.
    jobs : int, optional
        Number of workers; one for each core by default.
    backend : {'local', 'dask'}
        Where trials run: in processes of this machine, or on a cluster.

    Returns
    -------
    RunFolder
        The results; ``to_frame()`` gives them as a pandas DataFrame.
    """
    job = prepare(name, settings=settings, out=Path(out))
    carry_out(job, Pool(jobs or os.cpu_count() or 1, backend))
    return job.folder
