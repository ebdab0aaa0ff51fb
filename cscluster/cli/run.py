"""``cscluster run``: from an experiment file to tables."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cscluster.cli import complete

if TYPE_CHECKING:
    from rich.console import Console

    from cscluster.experiment.engine.execute import Pool
    from cscluster.experiment.engine.run import Job


Config = Annotated[
    str,
    typer.Argument(
        metavar="CONFIG",
        help="Experiment: a YAML file or the name of a bundled one.",
        autocompletion=complete.configs,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key, e.g. --set trials=5."),
]
Trials = Annotated[int | None, typer.Option(help="Number of trials.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the experiment.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of workers.")]
Backend = Annotated[str, typer.Option(help="local (processes of this machine) or dask.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")]
ShardOf = Annotated[str | None, typer.Option("--shard", metavar="I/N", help="Run only part I of N.")]
Out = Annotated[Path, typer.Option("--results", "--out", help="Folder for results.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be run.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget stored results and run all again.")]
Retry = Annotated[str | None, typer.Option(metavar="failed", help="Run failed trials again.")]
AllowFailures = Annotated[bool, typer.Option("--allow-failures", help="Exit with 0 even if trials failed.")]
CORES = os.cpu_count() or 1
RESULTS = Path("results")


def command(
    config: Config,
    settings: Settings = None,
    trials: Trials = None,
    seed: Seed = None,
    jobs: Jobs = CORES,
    backend: Backend = "local",
    scheduler: Scheduler = None,
    shard: ShardOf = None,
    out: Out = RESULTS,
    dry_run: DryRun = False,
    fresh: Fresh = False,
    retry: Retry = None,
    allow_failures: AllowFailures = False,
) -> None:
    """Run an experiment and show its tables.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """
    start(
        config,
        changes(settings, trials, seed),
        pool=(jobs, backend, scheduler),
        shard=shard,
        out=out,
        dry_run=dry_run,
        fresh=fresh,
        retry=retry,
        allow_failures=allow_failures,
    )


def option(out: Path) -> str:
    """Return what a command needs to find its results in `out`."""
    return "" if out == RESULTS else f" --results {shlex.quote(str(out))}"


def changes(settings: list[str] | None, trials: int | None, seed: int | None) -> list[str]:
    """Return all changes of the experiment as ``KEY=VALUE``."""
    given = {"trials": trials, "seed": seed}
    return [*(settings or ()), *(f"{key}={value}" for key, value in given.items() if value is not None)]


def start(
    config: str,
    settings: list[str],
    *,
    pool: tuple[int, str, str | None],
    shard: str | None,
    out: Path,
    dry_run: bool,
    fresh: bool,
    retry: str | None,
    allow_failures: bool,
    sweep: list[str] | None = None,
) -> None:
    """Do what ``run`` and ``sweep`` have in common: plan, announce, execute, show.

    Raises
    ------
    typer.Exit
        With code 1 if trials failed, 130 after an interrupt.
    """
    from rich.console import Console

    from cscluster.errors import ConfigError
    from cscluster.experiment.engine.execute import Pool
    from cscluster.experiment.engine.run import locked, mixed_versions, prepare
    from cscluster.experiment.plan.shard import Shard

    if retry not in (None, "failed"):
        raise ConfigError(f"--retry takes only 'failed', got '{retry}'.")
    workers = Pool(*pool)
    part = Shard.parse(shard) if shard is not None else None
    console = Console()
    with console.status("reading the experiment and its data"):
        job = prepare(
            config,
            settings=settings,
            out=out,
            fresh=fresh,
            retry_failed=retry == "failed",
            sweep=sweep,
            shard=part,
        )
    with nullcontext(job) if dry_run else locked(job) as job:
        _announce(job, console, workers)
        mixed = mixed_versions(job)
        if mixed:
            typer.echo(f"warning: this run will mix versions: {', '.join(mixed)}", err=True)
        if dry_run:
            return
        failed = _carry_out(job, workers, console)
    if job.shard is None:
        _show(job, console)
    else:
        others = job.folder.path.with_name(f"{job.experiment.name}.shard-*-of-{job.shard.count}")
        console.print(
            f"stored in {job.folder.path}; when all shards are done: cscluster merge {others}{option(out)}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )
    if failed and not allow_failures:
        raise typer.Exit(1)


def _announce(job: Job, console: Console, pool: Pool) -> None:
    """Say what there is to do, and why stored results are not used."""
    experiment, found = job.experiment, job.difference
    console.print(experiment.title or experiment.name, style="bold", highlight=False, markup=False)
    planned = sum(len(trial.keys) for trial in job.plan)
    cells = {(t.cell.data.name, t.cell.label, str(t.cell.grid)) for t in job.whole}
    whole = sum(len(trial.keys) for trial in job.whole)
    share = f"{planned} of {whole} trials in shard {job.shard}" if job.shard else f"{planned} trials planned"
    console.print(
        f"{share} ({len(cells)} settings x {len(experiment.constraints.points)} points x "
        f"{experiment.trials * experiment.repeats} trials): {found.n_cached} stored, "
        f"{planned - found.n_cached} to run with {pool.jobs} worker{'s' * (pool.jobs > 1)}",
        highlight=False,
    )
    for reason in found.reasons:
        console.print(f"stale: {reason}", highlight=False, markup=False)
    if not found.todo:
        console.print("nothing to compute: all trials are stored")


def _carry_out(job: Job, pool: Pool, console: Console) -> int:
    """Run the job with a progress bar; return the number of failed records of the plan."""
    from cscluster.experiment.engine.run import carry_out

    total = len(job.difference.todo)
    planned = {key for trial in job.plan for key in trial.keys}
    failed = sum(r["status"] != "ok" and r["key"] in planned for r in job.kept)
    bar = _bar(console, total)
    try:
        with bar or nullcontext():
            task = bar.add_task("trials", total=total, failed="") if bar else None

            def progress(records: list[Any]) -> None:
                nonlocal failed
                failed += sum(record["status"] != "ok" for record in records)
                if bar and task is not None:
                    bar.update(task, advance=1, failed=f"{failed} failed" if failed else "")

            carry_out(job, pool, progress)
    except KeyboardInterrupt:
        command = shlex.join(["cscluster", *sys.argv[1:]])
        console.print(f"\ninterrupted: finished trials are stored; resume with: {command}", markup=False)
        raise typer.Exit(130) from None
    return failed


def _bar(console: Console, total: int) -> Any:
    """Return a progress bar with an estimate of the time left, or None if there is nothing to do."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    if not total:
        return None
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        TextColumn("[red]{task.fields[failed]}"),
        console=console,
        refresh_per_second=5,
    )


def _show(job: Job, console: Console) -> None:
    from cscluster.report import write
    from cscluster.report.aggregate import collect
    from cscluster.report.document import compose
    from cscluster.report.formats import terminal

    results = collect(job.folder)
    console.print()
    terminal.show(compose(results), console, brief=True)
    written = write.into_folder(results, job.folder.path)
    console.print(f"\nreport: {written}", highlight=False, markup=False, soft_wrap=True)
