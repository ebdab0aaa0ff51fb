"""``cscluster run``: from an experiment file to tables."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cscluster.cli import complete

if TYPE_CHECKING:
    from rich.console import Console

    from cscluster.experiment.execute import Pool
    from cscluster.experiment.run import Job


def command(
    config: Annotated[
        str,
        typer.Argument(
            help="Experiment: a YAML file or the name of a bundled one.", autocompletion=complete.configs
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a key, e.g. --set trials=5."),
    ] = None,
    trials: Annotated[int | None, typer.Option(help="Number of trials.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the experiment.")] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of workers.")] = os.cpu_count()
    or 1,
    backend: Annotated[str, typer.Option(help="loky, threading or dask.")] = "loky",
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    out: Annotated[Path, typer.Option("--results", "--out", help="Folder for results.")] = Path("results"),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be run.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget stored results and run all again.")] = False,
    retry: Annotated[str | None, typer.Option(metavar="failed", help="Run failed trials again.")] = None,
    allow_failures: Annotated[
        bool, typer.Option("--allow-failures", help="Exit with 0 even if trials failed.")
    ] = False,
) -> None:
    """Run an experiment and show its tables.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """
    from rich.console import Console

    from cscluster.errors import ConfigError
    from cscluster.experiment.execute import Pool
    from cscluster.experiment.run import prepare

    if retry not in (None, "failed"):
        raise ConfigError(f"--retry takes only 'failed', got '{retry}'.")
    changes = list(settings or ())
    changes += [f"trials={trials}"] if trials is not None else []
    changes += [f"seed={seed}"] if seed is not None else []
    pool = Pool(jobs, backend, scheduler)
    console = Console()
    with console.status("reading the experiment and its data"):
        job = prepare(config, settings=changes, out=out, fresh=fresh, retry_failed=retry == "failed")
    _announce(job, console, pool)
    if dry_run:
        return
    failed = _carry_out(job, pool, console)
    _show(job, console)
    if failed and not allow_failures:
        raise typer.Exit(1)


def _announce(job: Job, console: Console, pool: Pool) -> None:
    """Say what there is to do, and why stored results are not used."""
    experiment, found = job.experiment, job.difference
    console.print(experiment.title or experiment.name, style="bold", highlight=False, markup=False)
    planned = sum(len(trial.keys) for trial in job.plan)
    cells = {(t.cell.data.name, t.cell.label, str(t.cell.grid)) for t in job.plan}
    console.print(
        f"{planned} trials planned ({len(cells)} settings x {len(experiment.constraints.points)} points x "
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
    from cscluster.experiment.run import carry_out

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
        command = " ".join(["cscluster", *sys.argv[1:]])
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
    from cscluster.report import terminal, write
    from cscluster.report.aggregate import collect
    from cscluster.report.document import compose

    results = collect(job.folder)
    document = compose(results)
    console.print()
    terminal.show(document, console)
    written = write.into_folder(results, document, job.folder.path)
    console.print(f"\nreport: {written}", highlight=False, markup=False, soft_wrap=True)
