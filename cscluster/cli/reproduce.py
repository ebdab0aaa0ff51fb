"""``cscluster reproduce``: the experiments of the papers, and which of their claims hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from cscluster.cli import console
from cscluster.cli.steps import run_and_show
from cscluster.papers.claims import summary
from cscluster.papers.outlook import Outlook
from cscluster.papers.page import Chapter
from cscluster.papers.reproduce import choose
from cscluster.words import plural

_LARGEST = 5
_STYLES = {
    "reproduced": "green",
    "better": "green",
    "differs": "red",
    "not decidable": "yellow",
    "not run": "dim",
}


def reproduce(target: str | None, profile: str, results: Path, dry_run: bool, **how: Any) -> None:
    """Run the experiments of the papers (all, or the paper or item named), and say which claims hold."""
    if dry_run:
        _look_ahead(target, profile, results)
        return
    run_and_show(choose(target, profile, results), lambda chapters: _show(chapters, profile), **how)


def _look_ahead(target: str | None, profile: str, results: Path) -> None:
    """Say what is left to run and how many CPU hours it will take, by the times of stored trials."""
    with console.out.working("reading the experiments and what is stored"):
        outlooks = list(choose(target, profile, results).outlooks())
    numbers = ["planned", "stored", "CPU hours left"]
    console.out.table(["experiment", *numbers, "missing data"], map(_row, outlooks), numbers)
    unknown = sum(outlook.unknown for outlook in outlooks)
    parts = [
        (seconds, outlook.name, *slot) for outlook in outlooks for slot, seconds in outlook.seconds.items()
    ]
    total = sum(part[0] for part in parts)
    console.out.say(
        "",
        f"{sum(outlook.planned for outlook in outlooks):,} trials planned, "
        f"{sum(outlook.stored for outlook in outlooks):,} stored; CPU hours left: {_hours(total, unknown)}",
    )
    if unknown:
        console.out.say(
            f"unknown (?): {plural(unknown, 'trial')} of methods with no stored trial on their data"
        )
    for seconds, name, dataset, label in sorted(parts, reverse=True)[:_LARGEST]:
        console.out.say(f"{seconds / total:.0%}: {label} on {dataset} in {name}, {_hours(seconds)}")
    if parts:
        note = "what the trials of a draw share counts in each of them, so that less may be needed"
        console.out.print(note, style="dim")


def _row(outlook: Outlook) -> list[str]:
    hours = _hours(sum(outlook.seconds.values()), outlook.unknown)
    return [outlook.name, f"{outlook.planned:,}", f"{outlook.stored:,}", hours, ", ".join(outlook.missing)]


def _hours(seconds: float, unknown: int = 0) -> str:
    """Write CPU hours; a question mark where some are not known."""
    known = f"{seconds / 3600:.2f}" if seconds or not unknown else ""
    return f"{known} + ?".removeprefix(" + ") if unknown else known


def _show(chapters: list[Chapter], profile: str) -> None:
    """Print one table for each paper: claim, what the paper says, ours, verdict."""
    out = console.out
    for chapter in chapters:
        out.say("")
        out.print(chapter.title, style="bold")
        if not chapter.verdicts:
            name = chapter.paper.name
            out.say(
                f"no claim rests on this alone; `cscluster reproduce {name} --stored --write` shows its use"
            )
            continue
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
