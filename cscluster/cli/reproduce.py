"""``cscluster reproduce``: the experiments of the papers, and which of their claims hold."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table
from rich.text import Text

from cscluster.cli import console
from cscluster.cli.steps import run_steps, show_drift
from cscluster.experiment.engine.execute import Pool
from cscluster.papers.claims import summary
from cscluster.papers.page import Chapter
from cscluster.papers.reproduce import choose

_STYLES = {
    "reproduced": "green",
    "better": "green",
    "differs": "red",
    "not decidable": "yellow",
    "not run": "dim",
}


def reproduce(
    target: str | None,
    profile: str,
    results: Path,
    *,
    jobs: int | None,
    tolerance: float | None,
    write: bool,
) -> None:
    """Run the experiments of the papers and say which claims hold.

    Parameters
    ----------
    target, profile, results
        Which paper or item, how much of it, and the directory of all results.
    jobs : int, optional
        Number of workers; without it nothing is run, and what is stored is judged.
    tolerance : float, optional
        How far scores may drift from the reference; without it they are not compared.
    write : bool
        Whether to write the reference.

    Raises
    ------
    typer.Exit
        With code 1 if scores have drifted, 130 after an interrupt.
    """
    work = choose(target, profile, results)
    if jobs is not None:
        run_steps(work, Pool(jobs))
    chapters = work.chapters()
    _show(chapters, profile)
    if write:
        console.out.whole(f"written: {work.write(chapters)}")
    if tolerance is not None:
        show_drift(work.drift(chapters, tolerance), tolerance)


def _show(chapters: list[Chapter], profile: str) -> None:
    """Print one table for each paper: claim, what the paper says, ours, verdict."""
    out = console.out
    for chapter in chapters:
        out.say("")
        out.print(chapter.title, style="bold")
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        for head, ratio in (("where", 3), ("the paper says", 7), ("our numbers", 6)):
            table.add_column(head, ratio=ratio, overflow="fold")
        table.add_column("as printed", no_wrap=True)
        table.add_column("ours", no_wrap=True)
        for verdict in chapter.verdicts:
            numbers = verdict.ours.text or verdict.printed.text
            marks = (verdict.printed.status, verdict.ours.status)
            cells = (verdict.claim.where, verdict.claim.says, numbers)
            table.add_row(*cells, *(Text(mark, style=_STYLES[mark]) for mark in marks))
        out.print(table)
        for item, state in chapter.states.items():
            if state.failed or (state.missing and state.planned):
                out.print(f"{item}: {state.words()}", style="dim")
    out.say("")
    out.print(summary([verdict for chapter in chapters for verdict in chapter.verdicts]), style="bold")
    if profile == "quick":
        out.print("quick profile: few trials on few data sets; the full profile decides", style="dim")
