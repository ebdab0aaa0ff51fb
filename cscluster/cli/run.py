"""``cscluster run`` and ``cscluster sweep``: from an experiment file to tables."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import typer

from cscluster.cli import console
from cscluster.cli.options import results_flag, retry_failed
from cscluster.experiment.config.schema import AlgorithmEntry
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import Job, carry_out, locked, mixed_versions, prepare
from cscluster.experiment.plan.shard import Shard
from cscluster.report import write
from cscluster.report.aggregate import collect
from cscluster.report.document import compose
from cscluster.report.formats import terminal
from cscluster.store.records import Record
from cscluster.store.table import RecordTable
from cscluster.words import plural


def sweep(*, grid: list[str] | None, select: str | None, **options: Any) -> None:
    """Run an experiment's algorithms over grids of their parameters; see `run`."""
    run(**options, grids=[*(grid or ()), *([f"select={select}"] if select is not None else [])])


def run(
    config: str,
    *,
    settings: list[str] | None,
    trials: int | None,
    seed: int | None,
    jobs: int,
    backend: str,
    scheduler: str | None,
    shard: str | None,
    results: Path,
    dry_run: bool,
    fresh: bool,
    retry: str | None,
    allow_failures: bool,
    grids: list[str] | None = None,
) -> None:
    """Plan an experiment, say what there is to do, do it and show the tables.

    Parameters
    ----------
    config, settings, trials, seed, grids
        The experiment and its changes; a list of grids makes it a sweep.
    jobs, backend, scheduler
        Number of workers, and where they are.
    shard : str, optional
        Which part of the plan to run, as ``I/N``.
    results : Path
        Directory of all results.
    dry_run, fresh, retry, allow_failures
        As the options say.

    Raises
    ------
    typer.Exit
        With code 1 if trials failed, 130 after an interrupt.
    """
    again = retry_failed(retry)
    given = {"trials": trials, "seed": seed}
    changes = [*(settings or ()), *(f"{key}={value}" for key, value in given.items() if value is not None)]
    workers = Pool(jobs, backend, scheduler)
    part = Shard.parse(shard) if shard is not None else None
    with console.out.working("reading the experiment and its data"):
        job = prepare(
            config,
            settings=changes,
            out=results,
            fresh=fresh,
            retry_failed=again,
            sweep=grids,
            shard=part,
        )
    with nullcontext(job) if dry_run else locked(job) as job:
        _announce(job, workers.jobs)
        mixed = mixed_versions(job)
        if mixed:
            console.err.whole(f"warning: this run will mix versions: {', '.join(mixed)}")
        if dry_run:
            return
        table, failed = _execute(job, workers)
    if job.shard is None:
        _show(job, table)
    else:
        others = job.folder.path.with_name(f"{job.experiment.name}.shard-*-of-{job.shard.count}")
        merge = f"cscluster merge {others}{results_flag(results)}"
        console.out.whole(f"stored in {job.folder.path}; when all shards are done: {merge}")
    if failed and not allow_failures:
        raise typer.Exit(1)


def _announce(job: Job, n_workers: int) -> None:
    """Say what there is to do, and why stored results are not used."""
    experiment, difference = job.experiment, job.difference
    console.out.print(experiment.title or experiment.name, style="bold")
    planned = sum(len(trial.keys) for trial in job.plan)
    cells = {trial.cell.hash for trial in job.whole}
    whole = sum(len(trial.keys) for trial in job.whole)
    share = f"{planned} of {whole} trials in shard {job.shard}" if job.shard else f"{planned} trials planned"
    console.out.say(
        f"{share} ({len(cells)} settings x {len(experiment.constraints.points)} points x "
        f"{experiment.trials * experiment.repeats} trials): {len(difference.stored)} stored, "
        f"{planned - len(difference.stored)} to run with {plural(n_workers, 'worker')}"
    )
    console.out.say(f"preprocessing: {preprocessing_words(experiment.preprocess, experiment.algorithms)}")
    n_aside = job.n_aside()
    if n_aside:
        words = plural(n_aside, "stored trial")
        console.out.say(f"put aside: {words} of an earlier, larger plan; the report is of this plan")
    console.out.say(*(f"stale: {reason}" for reason in difference.reasons))
    if not difference.todo:
        console.out.say("nothing to compute: all trials are stored")


def preprocessing_words(steps: Sequence[Any] | None, algorithms: Sequence[AlgorithmEntry]) -> str:
    """Say what the samples go through before they are clustered."""
    own = any(entry.preprocess is not None or entry.algorithm.preprocess for entry in algorithms)
    except_some = "; some algorithms have steps of their own" if own else ""
    if not steps:
        return f"none, the data are taken as they are{except_some}"
    return ", ".join(str(step) for step in steps) + except_some


def _execute(job: Job, pool: Pool) -> tuple[RecordTable, int]:
    """Run the job with a progress bar; return all that is stored and the number of failures in the plan."""
    failed = job.n_failed()
    try:
        with console.trials("trials", len(job.difference.todo)) as advance:

            def progress(records: list[Record]) -> None:
                nonlocal failed
                failed += sum(record["status"] != "ok" for record in records)
                advance(failed)

            table = carry_out(job, pool, progress)
    except KeyboardInterrupt:
        command = shlex.join(["cscluster", *sys.argv[1:]])
        console.out.whole("", f"interrupted: finished trials are stored; resume with: {command}")
        raise typer.Exit(130) from None
    return table, failed


def _show(job: Job, table: RecordTable) -> None:
    results = collect(job.folder, table=table)
    document = compose(results)
    console.out.say("")
    terminal.show(document, console.out, brief=True)
    console.out.whole("", f"report: {write.into_folder(results, job.folder.path, document)}")
