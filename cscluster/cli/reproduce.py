"""``cscluster reproduce``: the experiments of the papers, and which of their claims hold."""

from __future__ import annotations

from cscluster.cli import console
from cscluster.cli.options import ReproduceOptions
from cscluster.cli.steps import run_and_show
from cscluster.papers.claims import summary
from cscluster.papers.page import PaperReport, draw_one
from cscluster.papers.reproduce import choose


def reproduce(options: ReproduceOptions) -> None:
    """Run the experiments of the papers (all, or the paper or item named), and say which claims hold."""
    work = choose(options.target, options.profile, options.results)
    run_and_show(work, lambda reports: _show(reports, options), options)


def _show(reports: list[PaperReport], options: ReproduceOptions) -> None:
    """Print one table for each paper: claim, what the paper says, our numbers, verdict."""
    out = console.out
    for report in reports:
        out.say("")
        out.print(report.title, style="bold")
        if not report.verdicts:
            name = report.paper.name
            out.say(
                f"no claim rests on this alone: `cscluster reproduce {name} --stored --write` shows its use"
            )
            continue
        rows = [
            [v.status, v.claim.where, v.claim.quote, ", ".join(filter(None, [v.text, v.notes]))]
            for v in report.verdicts
        ]
        out.table(["verdict", "where", "the paper says", "our numbers"], rows)
        for item, state in report.states.items():
            if state.failed or (state.missing and state.planned):
                out.print(f"{item}: {state.words()}", style="dim")
    out.say("")
    out.print(summary([verdict for report in reports for verdict in report.verdicts]), style="bold")
    if options.profile == "quick":
        drawn = (draw_one(options.results / "papers-quick" / "figures", report) for report in reports)
        for path in filter(None, drawn):
            out.whole(f"drawn: {path}")
        out.print("quick profile: few trials on few data sets, the full profile decides", style="dim")
