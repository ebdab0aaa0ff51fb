"""``cscluster compare``: what differs between two runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cscluster.cli import complete
from cscluster.cli.report import ResultsOption, check_metrics, require_run

if TYPE_CHECKING:
    from cscluster.report.compare import Comparison


def command(
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="The first run.", autocompletion=complete.runs)
    ],
    after: Annotated[
        str, typer.Argument(metavar="AFTER", help="The second run.", autocompletion=complete.runs)
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", metavar="NAME", help="Metric to compare; can be given several times."),
    ] = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Say what changed between two runs, and which results moved.

    Their definitions and versions are compared as well.
    """
    from cscluster.report.aggregate import collect
    from cscluster.report.compare import compare

    old, new = require_run(before, results), require_run(after, results)
    first, second = collect(old, metric), collect(new, metric)
    check_metrics(first, old)
    check_metrics(second, new)
    _show(compare(old, new, first, second))


def _show(found: Comparison) -> None:
    from rich.console import Console

    from cscluster.cli.listing import print_table
    from cscluster.metrics.catalogue import metric_title

    console = Console()
    console.print("what changed", style="bold")
    for line in found.changes or ["nothing in the experiment, the algorithms and the environment"]:
        console.print(f"  {line}", highlight=False, markup=False)
    console.print()
    moved = found.cells[found.cells["verdict"].isin(["better", "worse"])]
    moved = moved.iloc[moved["difference"].abs().argsort()[::-1]]
    if len(moved):
        print_table(
            ["what", "before", "after", "change", "p", "verdict"],
            [
                [
                    f"{metric_title(r.metric)} of {r.label} on {r.dataset} at {_at(r.point, r.tier, found)}",
                    f"{r.before:.3f}",
                    f"{r.after:.3f}",
                    f"{r.difference:+.3f}",
                    f"{r.p:.2g}",
                    r.verdict,
                ]
                for r in moved.itertuples()
            ],
        )
        console.print()
    console.print(found.verdict, style="bold", highlight=False, markup=False)
    if found.cells.empty:
        return
    how = "trial by trial" if found.paired else "as independent samples, since their links differ"
    console.print(f"t-tests of the trials, {how}, with Holm's correction", style="dim", highlight=False)


def _at(point: int, tier: int, found: Comparison) -> str:
    return f"{point} tier {tier}" if found.cells["tier"].max() > 1 else str(point)
