"""From an experiment to a full result folder: plan, compare with what is stored, execute the rest."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cscluster.data import prepared
from cscluster.errors import StoreError
from cscluster.experiment.config.load import find_config, load
from cscluster.experiment.config.schema import Experiment
from cscluster.experiment.config.sweep import swept
from cscluster.experiment.engine import environment
from cscluster.experiment.engine.execute import Pool, execute
from cscluster.experiment.plan.shard import Shard
from cscluster.experiment.plan.trials import Difference, Trial, compare, complete, make_plan
from cscluster.store.environments import version_changes
from cscluster.store.folder import RunFolder, Writer
from cscluster.store.records import Record


@dataclass(frozen=True)
class Job:
    """An experiment, where its results go, and what is left to do.

    Attributes
    ----------
    experiment : Experiment
        What to run.
    source : str
        File name of the experiment, by which its result folder is recognised.
    folder : RunFolder
        Where the results go.
    plan : list of Trial
        All trials, or those of the shard.
    kept : list of Record
        Stored records that stay.
    difference : Difference
        What is new, cached and stale.
    replaces : bool
        Whether stored records are dropped or renamed before the run.
    command : str
        What to type to run it again, all shards of it.
    shard : Shard, optional
        Which part of the plan this is.
    whole : list of Trial
        The plan of all shards.
    """

    experiment: Experiment
    source: str
    folder: RunFolder
    plan: list[Trial]
    kept: list[Record]
    difference: Difference
    replaces: bool
    command: str
    shard: Shard | None
    whole: list[Trial]


def prepare(
    name: str,
    *,
    settings: list[str] | None = None,
    out: Path = Path("results"),
    fresh: bool = False,
    retry_failed: bool = False,
    sweep: list[str] | None = None,
    shard: Shard | None = None,
) -> Job:
    """Read an experiment, plan it and compare it with its result folder; writes nothing.

    Parameters
    ----------
    name, settings, sweep
        The experiment; see `load`.  With a list of grids, even an empty one, it is run as a sweep.
    out : Path
        Folder of results.
    fresh, retry_failed : bool
        Whether to forget all stored records, or those of failed trials.
    shard : Shard, optional
        The part of the plan to run, in a result folder of its own.

    Raises
    ------
    CsclusterError
        For anything wrong with the experiment, its data or its result folder.
    """
    experiment = load(name, settings, sweep)
    if sweep is not None:
        experiment = swept(experiment)
    source = find_config(name).name
    folder = RunFolder(out / (experiment.name + (shard.suffix if shard else "")))
    _check_owner(folder, source)
    whole = make_plan(experiment)
    plan = shard.part(whole) if shard else whole
    records = list(folder.records())
    kept = [] if fresh else records
    if retry_failed:
        kept = [record for record in kept if record["status"] == "ok"]
    cells = folder.cells() if folder.exists() else {}
    difference = compare(plan, kept, cells)
    redone = {key for trial in difference.todo for key in trial.keys}
    kept = [r for r in kept if r["key"] not in redone or complete(r, experiment.metrics)]
    kept = _as_planned(kept, plan)
    return Job(
        experiment,
        source,
        folder,
        plan,
        kept,
        difference,
        replaces=kept != records,
        command=_command(name, settings or [], sweep),
        shard=shard,
        whole=whole,
    )


def _as_planned(records: list[Record], plan: list[Trial]) -> list[Record]:
    """Return stored records under the labels that the plan has now: their keys do not depend on these."""
    cells = {key: trial.cell for trial in plan for key in trial.keys}
    return [
        {**record, "label": cell.label, "params": cell.params, "grid": cell.grid}
        if (cell := cells.get(record["key"]))
        else record
        for record in records
    ]


def _command(name: str, settings: list[str], sweep: list[str] | None) -> str:
    words = ["cscluster", "run" if sweep is None else "sweep", name]
    for grid in sweep or ():
        words += (
            ["--select", grid.removeprefix("select=")] if grid.startswith("select=") else ["--grid", grid]
        )
    return shlex.join([*words, *(word for setting in settings for word in ("--set", setting))])


def _check_owner(folder: RunFolder, source: str) -> None:
    """Refuse a folder that holds something else."""
    folder.check_free()
    owner = folder.config().get("source") if folder.exists() else source
    if owner != source:
        raise StoreError(
            f"The result folder '{folder.path}' belongs to another experiment file ({owner}); "
            "give this one another name or another --results."
        )


def mixed_versions(job: Job) -> list[str]:
    """Return what has another version now than when stored records of the plan were made.

    Parameters
    ----------
    job : Job
        What is about to run.
    """
    planned = {key for trial in job.plan for key in trial.keys}
    used = {record["environment"] for record in job.kept if record["key"] in planned}
    if not used or not job.difference.todo:
        return []
    before = [value for id_, value in job.folder.environments().items() if id_ in used]
    return version_changes([*before, environment.describe(job.experiment.threads)])


def carry_out(job: Job, pool: Pool, progress: Callable[[list[Record]], None] | None = None) -> None:
    """Run what is left of a job; every finished trial is on disk before the next is reported.

    Parameters
    ----------
    job : Job
        What `prepare` made.
    pool : Pool
        Where trials run.
    progress : callable, optional
        Called with the records of each trial as it ends.
    """
    here = environment.describe(job.experiment.threads)
    here_id = environment.identify(here)
    stored = {record["key"] for record in job.kept}
    with job.folder.writing() as writer:
        _put_plan(job, writer)
        if job.replaces:
            writer.put_records(job.kept)
        if not job.difference.todo:
            return
        met = {**job.folder.environments(), here_id: here}
        writer.put_json("environments.json", met)
        for ref in {trial.cell.data.key: trial.cell.data for trial in job.difference.todo}.values():
            prepared.prepare(ref)

        def done(trial: Trial, records: list[Record]) -> None:
            fresh = [record for record in records if record["key"] not in stored]
            writer.append(fresh)
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
    experiment = job.experiment.model_dump(mode="json")
    writer.put_json(
        "config.json", {"source": job.source, "command": job.command, **shard, "experiment": experiment}
    )
    cells = job.folder.cells() if (job.folder.path / "plan.json").exists() else {}
    cells |= {trial.cell.hash: trial.cell.identity for trial in job.whole}
    datasets = {
        cell.data.name: {"n_samples": cell.n_samples, "source": cell.data.recipe.source}
        for cell in (trial.cell for trial in job.whole)
    }
    plan: dict[str, Any] = {"cells": cells, "datasets": datasets, "keys": _keys(job.plan)}
    writer.put_json("plan.json", plan | ({"whole": _keys(job.whole)} if job.shard else {}))


def _keys(plan: list[Trial]) -> list[str]:
    return [key for trial in plan for key in trial.keys]


def run(
    name: str,
    *,
    settings: list[str] | None = None,
    out: str | Path = "results",
    jobs: int | None = None,
    backend: str = "loky",
) -> RunFolder:
    """Run an experiment from Python; what is stored already is not run again.

    Parameters
    ----------
    name : str
        Path of a YAML file, or name of a bundled experiment.
    settings : list of str, optional
        Changes such as ``"trials=5"``.
    out : path
        Folder of results.
    jobs : int, optional
        Number of workers; one for each core by default.
    backend : {'loky', 'threading', 'dask'}
        Where trials run.

    Returns
    -------
    RunFolder
        The results; ``to_frame()`` gives them as a pandas DataFrame.
    """
    job = prepare(name, settings=settings, out=Path(out))
    carry_out(job, Pool(jobs or os.cpu_count() or 1, backend))
    return job.folder
