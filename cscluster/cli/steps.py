"""Experiments that are run one after another, and what has drifted in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

import typer

from cscluster.cli import console
from cscluster.cli.options import SuiteOptions
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import run_job
from cscluster.papers.suite import Remaining, SuiteItem
from cscluster.words import plural

_LARGEST = 5

T = TypeVar("T")
"""What experiments come out as."""


class Steps(Protocol[T]):
    """Experiments that are run one after another, and what is kept of them."""

    def experiments(self) -> list[SuiteItem]:
        """Return what to run, one after another."""

    def outcome(self) -> T:
        """Return what the stored results say."""

    def write(self, outcome: T) -> Path:
        """Write the reference; return its directory."""

    def drift(self, outcome: T, tolerance: float) -> list[str]:
        """Return a sentence for each score that differs from the reference by more than a tolerance."""


def run_and_show(work: Steps[T], show: Callable[[T], None], options: SuiteOptions) -> None:
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
    outcome = work.outcome()
    show(outcome)
    if options.write:
        console.out.whole(f"written: {work.write(outcome)}")
    if options.check:
        _show_drift(work.drift(outcome, options.tolerance), options.tolerance)


def _look_ahead(experiments: list[SuiteItem]) -> None:
    """Say what is left to run and how many CPU hours it will take, by the times of stored trials."""
    with console.out.working("reading the experiments and what is stored"):
        left = [experiment.remaining() for experiment in experiments]
    numbers = ["planned", "stored", "CPU hours left"]
    console.out.table(["experiment", *numbers, "missing data"], map(_row, left), numbers)
    unknown = sum(each.unknown for each in left)
    parts = [(seconds, each.name, *slot) for each in left for slot, seconds in each.seconds.items()]
    total = sum(part[0] for part in parts)
    console.out.say(
        "",
        f"{sum(each.planned for each in left):,} trials planned, "
        f"{sum(each.stored for each in left):,} stored; CPU hours left: {_hours(total, unknown)}",
    )
    if unknown:
        console.out.say(
            f"unknown (?): {plural(unknown, 'trial')} of methods with no stored trial on their data"
        )
    for seconds, name, dataset, label in sorted(parts, reverse=True)[:_LARGEST]:
        console.out.say(f"{seconds / total:.0%}: {label} on {dataset} in {name}, {_hours(seconds)}")
    if parts:
        note = "what the trials of a repetition share counts in each of them, so that less may be needed"
        console.out.print(note, style="dim")


def _row(each: Remaining) -> list[str]:
    hours = _hours(sum(each.seconds.values()), each.unknown)
    return [each.name, f"{each.planned:,}", f"{each.stored:,}", hours, ", ".join(each.missing)]


def _hours(seconds: float, unknown: int = 0) -> str:
    """Write CPU hours; a question mark where some are not known."""
    known = f"{seconds / 3600:.2f}" if seconds or not unknown else ""
    return f"{known} + ?".removeprefix(" + ") if unknown else known


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
            console.out.say(f"[{number}/{len(experiments)}] {experiment.name}: {'; '.join(said)}")
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
