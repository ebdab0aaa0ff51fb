"""``cscluster run`` and ``cscluster sweep``: from an experiment file to tables."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext

import pandas as pd
import typer

from cscluster.cli import console
from cscluster.cli.options import RunOptions, SweepOptions, results_flag
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import Job, locked, mixed_versions, prepare, run_job
from cscluster.experiment.plan.shard import parse_shard
from cscluster.report import write
from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import terminal
from cscluster.words import plural


def sweep(options: SweepOptions) -> None:
    """Run an experiment's algorithms over grids of their parameters; see `run`."""
    select = [f"select={options.select}"] if options.select is not None else []
    run(options, grids=[*options.grid, *select])


def run(options: RunOptions, grids: list[str] | None = None) -> None:
    """Plan an experiment, say what there is to do, do it and show the tables.

    Parameters
    ----------
    options : RunOptions
        The experiment and its changes, workers, and what to do with stored results.
    grids : list of str, optional
        Grids of parameters; a list makes it a sweep.

    Raises
    ------
    typer.Exit
        With code 1 if trials failed, 130 after an interrupt.
    """
    workers = Pool(options.jobs, options.backend, options.scheduler)
    part = None if options.shard is None else parse_shard(options.shard)
    with console.out.working("reading the experiment and its data"):
        job = prepare(
            options.config,
            settings=options.settings,
            out=options.results,
            fresh=options.fresh,
            retry_failed=options.retry is not None,
            sweep=grids,
            shard=part,
        )
    with nullcontext(job) if options.dry_run else locked(job) as job:
        _announce(job, workers.jobs)
        mixed = mixed_versions(job)
        if mixed:
            console.err.whole(f"warning: this run will mix versions: {', '.join(mixed)}")
        if options.dry_run:
            return
        stored, failed = _execute(job, workers)
    if part is None:
        _show(job, stored)
    else:
        others = job.directory.path.with_name(f"{job.experiment.name}.shard-*-of-{part[1]}")
        merge = f"cscluster merge {others}{results_flag(options.results)}"
        console.out.whole(f"stored in {job.directory.path}, when all shards are done: {merge}")
    if failed and not options.allow_failures:
        raise typer.Exit(1)


def _announce(job: Job, n_workers: int) -> None:
    """Say what there is to do, and why stored results are not used."""
    experiment, difference = job.experiment, job.difference
    console.out.print(experiment.title or experiment.name, style="bold")
    plan = job.trials.plan
    planned, share = len(plan.keys()), f"{len(plan.keys())} trials planned"
    if plan.shard:
        shard = "/".join(map(str, plan.shard))
        share = f"{planned} of {len(plan.changed(shard=None).keys())} trials in shard {shard}"
    console.out.say(
        f"{share} ({plural(len(plan.cells), 'setting')} x "
        f"{plural(len(plan.points), 'number')} of constraints x "
        f"{plural(plan.repetitions * plan.repeats, 'trial')})",
        f"{len(difference.stored)} stored, "
        f"{planned - len(difference.stored)} to run with {plural(n_workers, 'worker')}",
    )
    steps = ", ".join(map(str, experiment.preprocess or ["none"]))
    if any(entry.preprocess is not None or entry.algorithm.preprocess for entry in experiment.algorithms):
        steps += " (some algorithms have steps of their own)"
    console.out.say(f"preprocessing: {steps}")
    n_outside = job.n_outside() - difference.n_stale
    if n_outside > 0:
        console.out.say(f"not part of this plan: {plural(n_outside, 'stored trial')} (kept, not reported)")
    console.out.say(*(f"stale: {reason}" for reason in difference.reasons))
    if job.rescorable:
        console.out.say(f"{plural(len(job.rescorable), 'trial')} scored again from kept labels")
    if not difference.todo:
        console.out.say("nothing to compute: all trials are stored")


def _execute(job: Job, pool: Pool) -> tuple[pd.DataFrame, int]:
    """Run the job with a progress bar; return all that is stored and the number of failures in the plan."""
    try:
        with console.trials("trials", len(job.difference.todo), job.n_failed()) as advance:
            stored = run_job(job, pool, advance)
    except KeyboardInterrupt:
        command = shlex.join(["cscluster", *(word for word in sys.argv[1:] if word != "--fresh")])
        console.out.whole("", f"interrupted: finished trials are stored, resume with: {command}")
        raise typer.Exit(130) from None
    return stored, int((job.directory.planned(stored)["status"] != "ok").sum())


def _show(job: Job, stored: pd.DataFrame) -> None:
    results = collect(job.directory, stored=stored)
    page = compose(results)
    console.out.say("")
    terminal.show(page, console.out, brief=True)
    console.out.whole("", f"report: {write.into_directory(results, job.directory.path, page)}")
