"""Experiments that are run one after another, and what has drifted in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import typer

from cscluster.cli import console
from cscluster.cli.options import retry_failed
from cscluster.experiment.engine.execute import Pool
from cscluster.experiment.engine.run import Job, carry_out
from cscluster.papers.reproduce import Step
from cscluster.store.records import Record
from cscluster.words import plural

T = TypeVar("T")
"""What experiments come out as."""


class Steps(Protocol[T]):
    """Experiments that are run one after another, and what is kept of them."""

    @property
    def n_steps(self) -> int:
        """Number of experiments."""

    def steps(self, retry_failed: bool) -> Iterator[Step]:
        """Plan one after another; on request, with the failed trials once more."""

    def outcome(self) -> T:
        """Return what the stored results say."""

    def write(self, outcome: T) -> Path:
        """Write the reference; return its directory."""

    def drift(self, outcome: T, tolerance: float) -> list[str]:
        """Return a sentence for each score that differs from the reference by more than a tolerance."""


def run_and_show(
    work: Steps[T],
    show: Callable[[T], None],
    *,
    jobs: int,
    stored: bool,
    retry: str | None,
    check: bool,
    tolerance: float,
    write: bool,
) -> None:
    """Run what is not stored yet and show what came out.

    Parameters
    ----------
    work, show
        The experiments, and what prints their outcome.
    jobs, stored : int, bool
        Number of workers, and whether to run nothing.
    retry : str, optional
        ``failed`` to run failed trials again.
    check, tolerance : bool, float
        Whether to compare scores with the reference, and how far they may drift.
    write : bool
        Whether to write the reference.

    Raises
    ------
    typer.Exit
        With code 1 if scores have drifted, 130 after an interrupt.
    """
    again = retry_failed(retry)
    if not stored:
        _run(work, Pool(jobs), again)
    outcome = work.outcome()
    show(outcome)
    if write:
        console.out.whole(f"written: {work.write(outcome)}")
    if check:
        _show_drift(work.drift(outcome, tolerance), tolerance)


def _run(work: Steps[T], pool: Pool, again: bool) -> None:
    """Run all items, one after another; an interrupt leaves what is finished on disk."""
    try:
        for number, step in enumerate(work.steps(again), start=1):
            said = []
            if step.job is not None:
                said.append(f"{len(step.job.plan):,} trials, {len(step.job.difference.todo):,} to run")
            if step.restored:
                said.append(f"{step.restored:,} came with the reference")
            if step.missing:
                said.append(f"missing data: {', '.join(step.missing)}")
            console.out.say(f"[{number}/{work.n_steps}] {step.name}: {'; '.join(said)}")
            if step.job is not None:
                _execute(step.job, pool, step.name)
    except KeyboardInterrupt:
        console.out.say("", "interrupted: finished trials are stored; the same command resumes")
        raise typer.Exit(130) from None


def _execute(job: Job, pool: Pool, name: str) -> None:
    failed = 0
    with console.trials(name, len(job.difference.todo), transient=True) as advance:

        def progress(records: list[Record]) -> None:
            nonlocal failed
            failed += sum(record["status"] != "ok" for record in records)
            advance(failed)

        carry_out(job, pool, progress)


def _show_drift(sentences: list[str], tolerance: float) -> None:
    """Print what has drifted; exit with code 1 if something has."""
    for sentence in sentences:
        console.out.print(sentence, style="red")
    drifted = f"drifted: {plural(len(sentences), 'score')}"
    outcome = drifted if sentences else "all scores agree with the reference"
    console.out.say(f"{outcome} (tolerance {tolerance:g})")
    if sentences:
        raise typer.Exit(1)
