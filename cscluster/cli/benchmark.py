"""``cscluster benchmark``: all methods on many data sets, and which to use when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cscluster.cli import console
from cscluster.cli.steps import run_and_show
from cscluster.papers.benchmark import choose
from cscluster.papers.standing import Standing, two_digits
from cscluster.papers.tracks import tracks
from cscluster.report.aggregate import Results


def benchmark(track: str | None, profile: str, results: Path, draws: int | None, **how: Any) -> None:
    """Run the tracks of the benchmark (all, or the one that is named), and print who leads on each."""
    run_and_show(choose(track, profile, results, draws), _show, **how)


def _show(runs: dict[str, Results]) -> None:
    if not runs:
        console.out.say("no draw of links has been run to its end")
    for name, run in runs.items():
        point = int(run.cells["point"].max())
        standing = Standing.of(run, point)
        console.out.say("")
        made = run.trials["draw"].nunique()
        title = f"{tracks()[name].title}, at {point} ({made} of {run.planned} draws)"
        console.out.print(title, style="bold")
        numbers = ["mean rank", "mean ARI", "CPU seconds"]
        rows = [
            [label, standing.rank(label), f"{standing.means[label]:.3f}", two_digits(standing.seconds[label])]
            for label in standing.order
        ]
        console.out.table(["method", *numbers], rows, numbers)
