"""``cscluster benchmark``: all methods on many data sets, and which to use when."""

from __future__ import annotations

from cscluster.cli import console
from cscluster.cli.options import BenchmarkOptions
from cscluster.cli.steps import run_and_show
from cscluster.papers.benchmark import choose
from cscluster.papers.ranking import Ranking, two_digits
from cscluster.papers.tracks import tracks
from cscluster.report.aggregate import Results


def benchmark(options: BenchmarkOptions) -> None:
    """Run the tracks of the benchmark (all, or the one that is named), and print who leads on each."""
    work = choose(options.track, options.profile, options.results, options.draws)
    run_and_show(work, _show, options)


def _show(runs: dict[str, Results]) -> None:
    if not runs:
        console.out.say("no repetition has been run to its end")
    for name, run in runs.items():
        point = int(run.cells["point"].max())
        ranking = Ranking.of(run, point)
        console.out.say("")
        made = run.trials["draw"].nunique()
        title = f"{tracks()[name].title}, at {point} ({made} of {run.planned} repetitions)"
        console.out.print(title, style="bold")
        numbers = ["mean rank", "mean ARI", "CPU seconds"]
        rows = [
            [label, ranking.rank(label), f"{ranking.means[label]:.3f}", two_digits(ranking.seconds[label])]
            for label in ranking.order
        ]
        console.out.table(["method", *numbers], rows, numbers)
