"""``cscluster benchmark``: all methods on many data sets, and which to use when."""

from __future__ import annotations

from collections.abc import Mapping

import typer

from cscluster.cli import console
from cscluster.cli.options import BenchmarkOptions
from cscluster.cli.steps import run_and_show
from cscluster.errors import ConfigError
from cscluster.papers import exact
from cscluster.papers.added import Added, choose_added
from cscluster.papers.benchmark import choose
from cscluster.papers.benchmark_page import TrackReport
from cscluster.papers.tracks import EXACT
from cscluster.words import plural


def benchmark(options: BenchmarkOptions) -> None:
    """Run the tracks of the benchmark (all, or the one that is named), and print how the methods compare."""
    if options.track == EXACT:
        _exact(options)
        return
    chosen = options.track, options.profile, options.results, options.repetitions
    if options.add is None:
        run_and_show(choose(*chosen), _show, options)
        return
    if options.write or options.check:
        raise ConfigError("--add leaves RESULTS/reference as it is: it takes neither --write nor --check.")
    with console.out.working("reading the stored trials"):
        work = choose_added(options.add, *chosen)
    run_and_show(work, lambda reports: _show_added(work, reports), options)


def _show(reports: Mapping[str, TrackReport], added: str | None = None) -> None:
    if not reports:
        console.out.say("no repetition has been run to its end")
    for report in reports.values():
        table = report.table(added).with_marks(">")
        console.out.say("")
        console.out.print(f"{report.track.title} (repetitions: {report.progress})", style="bold")
        console.out.table(table.heads, table.rows, table.heads[1:])
        console.out.say(table.caption)


def _show_added(work: Added, reports: Mapping[str, TrackReport]) -> None:
    """Print the tables with the added method and write its page; exit with code 1 if trials of it failed."""
    _show(reports, work.label)
    if not reports:
        return
    console.out.say("")
    console.out.whole(f"page: {work.write(reports) / 'benchmark.html'}")
    if failed := work.failed(reports):
        console.out.say(f"failed: {plural(failed, 'trial')} of {work.label}, each counted as ARI 0")
        raise typer.Exit(1)


def _exact(options: BenchmarkOptions) -> None:
    """Run the instances with given constraints; print how far methods are from the best known objective."""
    if options.add or options.check or options.profile != "full":
        raise ConfigError(f"The track '{EXACT}' takes neither --add, --check nor --profile quick.")
    n_runs = options.repetitions or exact.RUNS
    total = len(exact.planned(n_runs))
    if options.dry_run:
        console.out.say(plural(total, "run"))
        return
    if options.stored:
        rows = exact.stored(options.results)
    else:
        with console.trials(EXACT, total, transient=True) as advance:
            rows = exact.run_all(n_runs, advance)
    table = exact.table(rows)
    console.out.print(exact.TITLE, style="bold")
    console.out.table(table.heads, table.rows, table.heads[1:])
    if options.write:
        exact.write(options.results, rows)
        console.out.whole(f"written: {choose(None, 'full', options.results).write({})}")
