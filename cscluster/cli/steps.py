"""Experiments that are run one after another, and what has drifted in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from cscluster.cli import console
from cscluster.cli.options import SuiteOptions
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import run_job
from cscluster.papers.benchmark import Benchmark
from cscluster.papers.reproduce import Reproduction
from cscluster.papers.suite import Remaining, SuiteItem
from cscluster.words import plural


def run_and_show(work: Reproduction | Benchmark, show: Callable[[Any], None], options: SuiteOptions) -> None:
    """Run what is not stored yet and show what came out.

    Parameters
    ----------
    work, show
        The experiments, and what prints their outcome.
    options : SuiteOptions
        How they are run, and whether they are compared with the reference or become it.

    Raises
    ------
    typer.Exit
        With code 1 if scores have drifted, 130 after an interrupt.
    """
    if options.dry_run:
        _look_ahead(work.experiments())
        return
    if not options.stored:
        _run(work.experiments(), Pool(options.jobs), options.retry is not None)
    outcome: Any = work.outcome()
    show(outcome)
    if options.write:
        console.out.whole(f"written: {work.write(outcome)}")
    if options.check:
        _show_drift(work.drift(outcome, options.tolerance), options.tolerance)


def _look_ahead(experiments: list[SuiteItem]) -> None:
    """Say what is left to run and how long it will take, by stored trials of the same methods and data."""
    with console.out.working("reading the experiments and what is stored"):
        left = [experiment.remaining() for experiment in experiments]
    numbers = ["planned", "stored", "CPU hours left"]
    console.out.table(["experiment", *numbers, "missing data"], map(_remaining_row, left), numbers)
    planned, stored = sum(each.planned for each in left), sum(each.stored for each in left)
    hours = sum(each.seconds for each in left) / 3600
    console.out.say("", f"{planned:,} trials planned, {stored:,} stored, CPU hours left: {hours:.2f}")
    console.out.print("hours are estimated for methods with stored trials on the same data only", style="dim")


def _remaining_row(each: Remaining) -> list[str]:
    hours, missing = f"{each.seconds / 3600:.2f}", ", ".join(each.missing)
    return [each.name, f"{each.planned:,}", f"{each.stored:,}", hours, missing]


def _run(experiments: list[SuiteItem], pool: Pool, again: bool) -> None:
    """Run all experiments, one after another; an interrupt leaves what is finished on disk."""
    try:
        for number, experiment in enumerate(experiments, start=1):
            job = experiment.prepare(again)
            said = []
            if job is not None:
                said.append(f"{len(job.trials.plan.keys()):,} trials, {len(job.difference.todo):,} to run")
            if experiment.missing:
                said.append(f"missing data: {', '.join(experiment.missing)}")
            console.out.say(f"[{number}/{len(experiments)}] {experiment.name}: {', '.join(said)}")
            if job is not None:
                with console.trials(experiment.name, len(job.difference.todo), transient=True) as advance:
                    run_job(job, pool, advance)
    except KeyboardInterrupt:
        console.out.say("", "interrupted: finished trials are stored, the same command resumes")
        raise typer.Exit(130) from None


def _show_drift(sentences: list[str], tolerance: float) -> None:
    """Print what has drifted; exit with code 1 if something has."""
    for sentence in sentences:
        console.out.print(sentence, style="red")
    drifted = f"drifted: {plural(len(sentences), 'score')}"
    outcome = drifted if sentences else "all scores agree with the reference"
    console.out.say(f"{outcome} (tolerance {tolerance:g})")
    if sentences:
        raise typer.Exit(1)
