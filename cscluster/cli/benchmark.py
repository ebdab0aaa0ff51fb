"""``cscluster benchmark``: all methods on many data sets, and which to use when."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from cscluster.cli import console
from cscluster.cli.steps import run_steps, show_drift
from cscluster.experiment.engine.execute import Pool
from cscluster.papers.benchmark import Standing, choose, tracks


def benchmark(
    track: str | None,
    profile: str,
    results: Path,
    *,
    jobs: int | None,
    tolerance: float | None,
    write: bool,
) -> None:
    """Run the tracks of the benchmark and print who leads on each.

    Parameters
    ----------
    track, profile, results
        Which track, how much of it, and the directory of all results.
    jobs : int, optional
        Number of workers; without it nothing is run, and what is stored is compared.
    tolerance : float, optional
        How far scores may drift from the reference; without it they are not compared.
    write : bool
        Whether to write the reference.

    Raises
    ------
    typer.Exit
        With code 1 if scores have drifted, 130 after an interrupt.
    """
    work = choose(track, profile, results)
    if jobs is not None:
        run_steps(work, Pool(jobs))
    runs = work.runs()
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
    if write:
        console.out.whole(f"written: {work.write(runs)}")
    if tolerance is not None:
        show_drift(work.drift(runs, tolerance), tolerance)
