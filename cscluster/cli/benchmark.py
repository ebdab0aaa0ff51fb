"""``cscluster benchmark``: all methods on many data sets, and which to use when."""

from __future__ import annotations

from cscluster.cli import console
from cscluster.cli.options import BenchmarkOptions
from cscluster.cli.steps import run_and_show
from cscluster.papers.benchmark import choose
from cscluster.papers.benchmark_page import TrackReport


def benchmark(options: BenchmarkOptions) -> None:
    """Run the tracks of the benchmark (all, or the one that is named), and print how the methods compare."""
    run_and_show(choose(options.track, options.profile, options.results, options.draws), _show, options)


def _show(reports: dict[str, TrackReport]) -> None:
    if not reports:
        console.out.say("no repetition has been run to its end")
    for report in reports.values():
        table = report.table()
        console.out.say("")
        console.out.print(f"{report.track.title} (repetitions: {report.progress})", style="bold")
        console.out.table(table.heads, table.rows, table.heads[1:])
