"""From an experiment to a full result folder: plan, compare with what is stored, execute the rest."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cscluster.data import prepared
from cscluster.errors import StoreError
from cscluster.experiment import environment
from cscluster.experiment.execute import Pool, execute
from cscluster.experiment.load import find_config, load
from cscluster.experiment.plan import Difference, Trial, compare, complete, make_plan
from cscluster.experiment.schema import Experiment
from cscluster.store.folder import RunFolder
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
        All trials.
    kept : list of Record
        Stored records that stay.
    difference : Difference
        What is new, cached and stale.
    replaces : bool
        Whether stored records are dropped before the run.
    """

    experiment: Experiment
    source: str
    folder: RunFolder
    plan: list[Trial]
    kept: list[Record]
    difference: Difference
    replaces: bool


def prepare(
    name: str,
    *,
    settings: list[str] | None = None,
    out: Path = Path("results"),
    fresh: bool = False,
    retry_failed: bool = False,
) -> Job:
    """Read an experiment, plan it and compare it with its result folder; writes nothing.

    Raises
    ------
    CsclusterError
        For anything wrong with the experiment, its data or its result folder.
    """
    experiment = load(name, settings)
    source = find_config(name).name
    folder = RunFolder(out / experiment.name)
    _check_owner(folder, source)
    plan = make_plan(experiment)
    records = list(folder.records())
    kept = [] if fresh else records
    if retry_failed:
        kept = [record for record in kept if record["status"] == "ok"]
    cells = folder.cells() if folder.exists() else {}
    difference = compare(plan, kept, cells)
    redone = {key for trial in difference.todo for key in trial.keys}
    kept = [r for r in kept if r["key"] not in redone or complete(r, experiment.metrics)]
    return Job(experiment, source, folder, plan, kept, difference, replaces=len(kept) < len(records))


def _check_owner(folder: RunFolder, source: str) -> None:
    """Refuse a folder that holds something else."""
    if not folder.exists():
        if folder.path.is_dir() and any(p.name != ".lock" for p in folder.path.iterdir()):
            raise StoreError(
                f"'{folder.path}' holds files but no results of cscluster; use another name or --out."
            )
        existing = next(p for p in (folder.path, *folder.path.absolute().parents) if p.exists())
        if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
            raise StoreError(
                f"No permission to write results to '{folder.path}'; choose another place with --out."
            )
        return
    owner = folder.config().get("source")
    if owner != source:
        raise StoreError(
            f"The result folder '{folder.path}' belongs to another experiment file ({owner}); "
            "give this one another name or another --out."
        )


def carry_out(job: Job, pool: Pool, progress: Callable[[list[Record]], None] | None = None) -> list[Record]:
    """Run what is left of a job; every finished trial is on disk before the next is reported."""
    here = environment.describe(job.experiment.threads)
    here_id = environment.identify(here)
    stored = {record["key"] for record in job.kept}
    new: list[Record] = []
    with job.folder.writing() as writer:
        writer.put_json(
            "config.json", {"source": job.source, "experiment": job.experiment.model_dump(mode="json")}
        )
        cells = job.folder.cells() if (job.folder.path / "plan.json").exists() else {}
        cells |= {trial.cell.hash: trial.cell.identity for trial in job.plan}
        datasets = {
            cell.data.name: {"n_samples": cell.n_samples, "source": cell.data.recipe.source}
            for cell in (trial.cell for trial in job.plan)
        }
        keys = [key for trial in job.plan for key in trial.keys]
        writer.put_json("plan.json", {"cells": cells, "datasets": datasets, "keys": keys})
        if not job.difference.todo:
            return new
        writer.put_json("environments.json", {**job.folder.environments(), here_id: here})
        if job.replaces:
            writer.keep(stored)
        for ref in {trial.cell.data.key: trial.cell.data for trial in job.difference.todo}.values():
            prepared.prepare(ref)

        def done(trial: Trial, records: list[Record]) -> None:
            fresh = [record for record in records if record["key"] not in stored]
            writer.append(fresh)
            new.extend(fresh)
            if progress is not None:
                progress(fresh)

        execute(job.difference.todo, pool, here_id, done)
    return new


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
