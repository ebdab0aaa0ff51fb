"""``cscluster reproduce``: the experiments of the papers, and which of their claims hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from cscluster.cli import console
from cscluster.cli.steps import run_and_show
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


def reproduce(target: str | None, profile: str, results: Path, **how: Any) -> None:
    """Run the experiments of the papers (all, or the paper or item named), and say which claims hold."""
    run_and_show(choose(target, profile, results), lambda chapters: _show(chapters, profile), **how)


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
