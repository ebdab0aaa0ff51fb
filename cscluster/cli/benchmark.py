"""``cscluster benchmark``: all methods on many data sets, and which to use when."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from rich.table import Table

from cscluster.cli import console
from cscluster.cli.steps import How, run_and_show
from cscluster.papers.benchmark import Standing, choose, tracks
from cscluster.report.aggregate import Results


def benchmark(track: str | None, profile: str, results: Path, **how: Unpack[How]) -> None:
    """Run the tracks of the benchmark (all, or the one that is named), and print who leads on each."""
    run_and_show(choose(track, profile, results), _show, **how)


def _show(runs: dict[str, Results]) -> None:
    for name, run in runs.items():
        point = int(run.cells["point"].max())
        standing = Standing.of(run, point)
        console.out.say("")
        console.out.print(f"{tracks()[name].title}, at {point}", style="bold")
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        for head in ("method", "mean rank", "mean ARI", "seconds"):
            table.add_column(head, justify="left" if head == "method" else "right")
        mean = standing.table.mean()
        for label in standing.order:
            rank = f"{standing.ranks.mean_ranks[label]:.2f}" if standing.ranks else ""
            table.add_row(
                label, rank, f"{mean[label]:.3f}", f"{standing.seconds.get(label, float('nan')):.2g}"
            )
        console.out.print(table)
